/**
 * The invited user's side of an invitation: reading its offer, and joining. A link works once, for the user
 * who proves that the invited address is theirs.
 */
import type { Role, Visitor } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { ServiceError } from '../core/errors.ts';
import { hashSecret } from '../core/ids.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database, Readable } from '../store/engine/database.ts';
import { InvitationStore } from '../store/people/invitation-store.ts';
import { findOrWrite } from '../store/engine/unique-rows.ts';
import { membershipIn } from '../store/people/membership-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { Invitation } from '../store/tables/people-tables.ts';
import { isPending, type InvitationOffer } from './invitation-views.ts';
import { findOrCreateUser, insertMembership } from './people-rows.ts';
import { checkedPerson, personViolations, requireNoViolations, type PersonInput } from './people-rules.ts';

/** Longer texts cannot be tokens of ours. */
const MAX_TOKEN_LENGTH = 200;

/** An accepted invitation. */
export interface AcceptedInvitation {
  userId: string;
  organizationId: string;
  role: Role;
}

interface InvitationLinksDeps {
  db: Database;
  clock: Clock;
  environments: Environments;
}

export class InvitationLinks {
  readonly #deps: InvitationLinksDeps;

  constructor(deps: InvitationLinksDeps) {
    this.#deps = deps;
  }

  /** Returns the offer of a link without using it up; `undefined` if it is unknown, used, revoked or expired. */
  async find(environmentId: string, token: string): Promise<InvitationOffer | undefined> {
    const row = await this.#pending(this.#deps.db.read, environmentId, token);
    if (row === undefined) return undefined;
    const [organization, user] = await Promise.all([
      rows(this.#deps.db.read, 'organizations').find(environmentId, row.organization_id),
      rows(this.#deps.db.read, 'users').findBy(environmentId, { email: row.email }),
    ]);
    if (organization === undefined) return undefined;
    const { id, name } = organization;
    return {
      id: row.id,
      organization: { id, name },
      email: row.email,
      role: row.role,
      expiresAt: row.expires_at,
      isKnown: user !== undefined,
    };
  }

  /**
   * Joins the organization. Creates a missing user if `sign_up` allows it. Of several concurrent calls one succeeds.
   *
   * @param person who accepts and has proven the address
   * @throws ServiceError RESOURCE_NOT_FOUND for a link that cannot be used; PERMISSION_DENIED for anybody but the
   *   invited, and for an unknown user while `sign_up` is `closed`; INVALID_ARGUMENT for names
   */
  async accept(
    environmentId: string,
    token: string,
    person: PersonInput,
    visitor: Visitor,
  ): Promise<AcceptedInvitation> {
    requireNoViolations(personViolations(person));
    const checked = checkedPerson(person);
    const { signUp } = this.#deps.environments.get(environmentId);
    return findOrWrite(this.#deps.db, async (tx) => {
      const now = this.#deps.clock.now();
      const row = await this.#pending(tx, environmentId, token);
      if (row === undefined) throw notUsable();
      if (row.email !== checked.email)
        throw new ServiceError('PERMISSION_DENIED', 'This invitation is for another e-mail address.');
      const known = await rows(tx, 'users').findBy(environmentId, { email: checked.email });
      if (known === undefined && signUp === 'closed')
        throw new ServiceError(
          'PERMISSION_DENIED',
          'Only people who are known here can join. Ask the operator of this installation to add you first.',
        );
      if (!(await new InvitationStore(tx).claim(environmentId, row.id, now))) throw notUsable();
      const who = { environmentId, actor: '', ip: visitor.ip };
      const user = await findOrCreateUser(tx, who, checked, { now, isEmailVerified: true });
      const of = { environmentId, organizationId: row.organization_id, userId: user.id };
      const before = await membershipIn(tx, environmentId, of.organizationId, user.id);
      const membership = before ?? (await insertMembership(tx, of, row.role, now));
      await writeAuditLine(
        tx,
        { ...who, actor: user.id },
        { action: 'invitation.accept', target: row.id, now },
      );
      return { userId: user.id, organizationId: of.organizationId, role: membership.role };
    });
  }

  async #pending(db: Readable, environmentId: string, token: string): Promise<Invitation | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const row = await rows(db, 'invitations').findBy(environmentId, { token_hash: hashSecret(token) });
    return row !== undefined && isPending(row, this.#deps.clock.now()) ? row : undefined;
  }
}

function notUsable(): ServiceError {
  return new ServiceError(
    'RESOURCE_NOT_FOUND',
    'This invitation was used or revoked, has expired, or never existed. Ask the person who invited you for a new one.',
  );
}
