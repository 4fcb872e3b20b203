/**
 * Invitations to join an organization: a link for one address. It is mailed if a mail server is set,
 * otherwise returned to the inviter. Accepting is in invitation-links.ts.
 */
import type { Caller, Visitor } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { notFound, ServiceError } from '../core/errors.ts';
import { hashSecret, newId, newSecret } from '../core/ids.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { Policy } from '../interceptors/policy.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database, Readable } from '../store/engine/database.ts';
import { InvitationStore } from '../store/people/invitation-store.ts';
import { membershipsOf } from '../store/people/membership-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { Invitation, Organization } from '../store/tables/people-tables.ts';
import type { Mailer } from './mailer.ts';
import { emailViolations, normalizeEmail } from '../core/email-address.ts';
import { invitationMail, toInvitationView, type InvitationView } from './invitation-views.ts';
import { authorityIn, hasRole, noOrganization, requireRole } from './organization-reach.ts';
import { requireNoViolations, ROLES, roleViolations } from './people-rules.ts';
import { toPolicyUser } from './policy-user.ts';
import { wordOf } from '../core/stored-words.ts';

/** Lifetime of a link. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

const HOUR_MS = 60 * 60 * 1000;

/** Limits for one user in an hour, so that nobody can use our mail server to pester others. Machines are not limited. */
const HOURLY = { inAll: 50, toOneAddress: 3 } as const;

/** Body of `POST /api/v1/organizations/{id}/invitations`. */
export interface InvitationInput {
  email: string;
  /** Default `member`. */
  role?: string | undefined;
}

interface InvitationsDeps {
  db: Database;
  clock: Clock;
  policy: Policy;
  environments: Environments;
  pageTokens: PageTokens;
  mailer?: Pick<Mailer, 'send'> | undefined;
}

export class Invitations {
  readonly #deps: InvitationsDeps;

  /** @param deps.mailer absent without a mail server: then the answer contains the link */
  constructor(deps: InvitationsDeps) {
    this.#deps = deps;
  }

  /**
   * Invites a user, after PRE_USER_INVITATION allowed it. An earlier invitation of the same address to the same organization is
   * revoked. Admins invite members; owners and API credentials invite with any role.
   *
   * @returns `link` only if it is not mailed
   * @throws ServiceError INVALID_ARGUMENT with all violations; RESOURCE_NOT_FOUND; PERMISSION_DENIED; ALREADY_EXISTS for a member;
   *   RATE_LIMITED for a user who sends too many; POLICY_DENIED; UNAVAILABLE if the mail cannot be sent: nobody is invited then
   */
  async create(
    caller: Caller,
    organizationId: string,
    input: InvitationInput,
    visitor: Visitor,
  ): Promise<InvitationView & { link?: string }> {
    const { role = 'member' } = input;
    const { environmentId } = caller;
    const organization = await this.#invitable(this.#deps.db.read, caller, organizationId, role);
    requireNoViolations([...emailViolations('email', input.email), ...roleViolations(role)]);
    const email = normalizeEmail(input.email) ?? '';
    const user = await this.#policyUser(this.#deps.db.read, environmentId, email, organizationId);
    await this.#deps.policy.beforeInvitation({
      environmentId,
      actor: caller.actor,
      visitor,
      organization: { id: organizationId, name: organization.name },
      email,
      ...(user && { user }),
    });

    const token = newSecret();
    const now = this.#deps.clock.now();
    const row: Invitation = {
      id: newId('inv', now),
      environment_id: environmentId,
      organization_id: organizationId,
      email,
      role: wordOf(ROLES, role),
      token_hash: hashSecret(token),
      invited_by: caller.actor,
      created_at: now,
      expires_at: now + LIFETIME_MS,
      accepted_at: null,
      revoked_at: null,
    };
    await this.#deps.db.transaction(async (tx) => {
      await this.#invitable(tx, caller, organizationId, role);
      await this.#policyUser(tx, environmentId, email, organizationId);
      const store = new InvitationStore(tx);
      if (caller.kind === 'person') await requireFew(store, row);
      await store.revoke(environmentId, { organizationId, email }, now);
      await rows(tx, 'invitations').insert(row);
      await writeAuditLine(tx, caller, { action: 'invitation.create', target: row.id, now });
    });
    const link = `${this.#deps.environments.get(environmentId).baseUrl}/invitations/${token}`;
    const view = toInvitationView(row, now);
    if (this.#deps.mailer === undefined) return { ...view, link };
    const mail = invitationMail(row, organization.name, link);
    if (await this.#deps.mailer.send(mail)) return view;
    await this.#deps.db.transaction(async (tx) =>
      new InvitationStore(tx).revoke(environmentId, { id: row.id }, this.#deps.clock.now()),
    );
    throw new ServiceError('UNAVAILABLE', 'The mail could not be sent, so nobody is invited. Try again.');
  }

  /** Newest first. @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED below admin; INVALID_ARGUMENT for a page token of another list */
  async list(
    caller: Caller,
    organizationId: string,
    query: PageQuery = {},
  ): Promise<PageLinks & { invitations: InvitationView[] }> {
    await this.#organization(this.#deps.db.read, caller, organizationId);
    const { environmentId } = caller;
    const { rows: page, links } = await newestFirst(this.#deps.pageTokens, query, {
      bound: ['invitations', environmentId, organizationId],
      ...rows(this.#deps.db.longRead, 'invitations').pages(environmentId, {
        organization_id: organizationId,
      }),
    });
    const now = this.#deps.clock.now();
    return { invitations: page.map((row) => toInvitationView(row, now)), ...links };
  }

  /** Revokes an invitation; one that cannot be accepted any more stays as it is. @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED below admin */
  async revoke(caller: Caller, organizationId: string, id: string): Promise<void> {
    const { environmentId } = caller;
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) => {
      await this.#organization(tx, caller, organizationId);
      const invitation = await rows(tx, 'invitations').find(environmentId, id);
      if (invitation?.organization_id !== organizationId) throw notFound('invitation');
      const revoked = await new InvitationStore(tx).revoke(environmentId, { id, organizationId }, now);
      if (revoked.length > 0)
        await writeAuditLine(tx, caller, { action: 'invitation.revoke', target: id, now });
    });
  }

  async #organization(db: Readable, caller: Caller, id: string): Promise<Organization> {
    requireRole(caller, await authorityIn(db, caller, id), 'admin');
    const organization = await rows(db, 'organizations').find(caller.environmentId, id);
    if (organization === undefined) throw noOrganization();
    return organization;
  }

  /** Users cannot give by invitation a role that they could not give directly: only owners assign roles. */
  async #invitable(
    db: Readable,
    caller: Caller,
    organizationId: string,
    role: string,
  ): Promise<Organization> {
    const organization = await this.#organization(db, caller, organizationId);
    if (role !== 'member' && !hasRole(await authorityIn(db, caller, organizationId), 'owner'))
      throw new ServiceError('PERMISSION_DENIED', 'Only an owner invites with a role other than member.', {
        details: { required_role: 'owner' },
      });
    return organization;
  }

  /** The invited user, if they exist. @throws ServiceError ALREADY_EXISTS if they are already a member */
  async #policyUser(db: Readable, environmentId: string, email: string, organizationId: string) {
    const row = await rows(db, 'users').findBy(environmentId, { email });
    if (row === undefined) return undefined;
    const memberships = await membershipsOf(db, environmentId, [row.id]);
    if (memberships.some((of) => of.organization_id === organizationId))
      throw new ServiceError('ALREADY_EXISTS', 'This person is a member of the organization already.');
    return toPolicyUser(row, memberships);
  }
}

/** @throws ServiceError RATE_LIMITED */
async function requireFew(store: InvitationStore, row: Invitation): Promise<void> {
  const { environment_id, invited_by, email, created_at } = row;
  const since = created_at - HOUR_MS;
  const inAll = await store.countBy(environment_id, invited_by, since);
  const toOneAddress = await store.countBy(environment_id, invited_by, since, email);
  if (inAll < HOURLY.inAll && toOneAddress < HOURLY.toOneAddress) return;
  throw new ServiceError(
    'RATE_LIMITED',
    `You have invited too often: ${HOURLY.inAll} times an hour in all, ${HOURLY.toOneAddress} times the same address. Wait before the next one.`,
    { retryAfterSeconds: HOUR_MS / 1_000 },
  );
}
