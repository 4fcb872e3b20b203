/** Members of an organization and their roles. An organization always keeps an owner. */
import type { Caller, Role } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import { invalidField, notFound } from '../core/errors.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database, WriteTransaction } from '../store/engine/database.ts';
import { InvitationStore } from '../store/people/invitation-store.ts';
import { SessionStore } from '../store/people/session-store.ts';
import { membershipIn, membershipsOf } from '../store/people/membership-store.ts';
import { identityProviderOfDomain } from '../store/people/organization-provider-store.ts';
import { forgetIdentities } from '../store/people/user-identity-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { Membership, User } from '../store/tables/people-tables.ts';
import { authorityIn, hasRole, noOrganization, requireRole } from './organization-reach.ts';
import { requireNoViolations, ROLES, roleViolations } from './people-rules.ts';
import { wordOf } from '../core/stored-words.ts';

/** A member as the API shows it. */
export interface MemberView {
  /** `mem_…` */
  id: string;
  user_id: string;
  email: string;
  given_name: string;
  family_name: string;
  role: Role;
  created_at: string;
  updated_at: string;
}

/** Identifies a member of an organization. */
export interface MemberKey {
  organizationId: string;
  userId: string;
}

interface MembersDeps {
  db: Database;
  clock: Clock;
  pageTokens: PageTokens;
}

export class Members {
  readonly #deps: MembersDeps;

  constructor(deps: MembersDeps) {
    this.#deps = deps;
  }

  /** Newest first. @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED below admin; INVALID_ARGUMENT for a page token of another list */
  async list(
    caller: Caller,
    organizationId: string,
    query: PageQuery = {},
  ): Promise<PageLinks & { members: MemberView[] }> {
    const { environmentId } = caller;
    requireRole(caller, await authorityIn(this.#deps.db.read, caller, organizationId), 'admin');
    if ((await rows(this.#deps.db.read, 'organizations').find(environmentId, organizationId)) === undefined)
      throw noOrganization();
    const { rows: page, links } = await newestFirst(this.#deps.pageTokens, query, {
      bound: ['members', environmentId, organizationId],
      ...rows(this.#deps.db.longRead, 'memberships').pages(environmentId, {
        organization_id: organizationId,
      }),
    });
    const users = await rows(this.#deps.db.read, 'users').findAll(
      environmentId,
      page.map(({ user_id }) => user_id),
    );
    const byId = new Map(users.map((user) => [user.id, user]));
    return { members: page.flatMap((row) => toView(row, byId.get(row.user_id))), ...links };
  }

  /** Those of these users who are members, in any order. @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED below admin */
  async listByIds(caller: Caller, organizationId: string, userIds: readonly string[]): Promise<MemberView[]> {
    const { environmentId } = caller;
    const { read } = this.#deps.db;
    requireRole(caller, await authorityIn(read, caller, organizationId), 'admin');
    const [users, memberships] = await Promise.all([
      rows(read, 'users').findAll(environmentId, userIds),
      membershipsOf(read, environmentId, userIds),
    ]);
    const byId = new Map(users.map((user) => [user.id, user]));
    return memberships
      .filter(({ organization_id }) => organization_id === organizationId)
      .flatMap((row) => toView(row, byId.get(row.user_id)));
  }

  /** One member. @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED below admin */
  async get(caller: Caller, { organizationId, userId }: MemberKey): Promise<MemberView> {
    const [view] = await this.listByIds(caller, organizationId, [userId]);
    if (view === undefined) throw notFound('member');
    return view;
  }

  /**
   * Gives a member a role. A member who loses rights also loses the invitations they made.
   *
   * @throws ServiceError INVALID_ARGUMENT for an unknown role, or if no owner would remain;
   *   RESOURCE_NOT_FOUND; PERMISSION_DENIED below owner
   */
  async setRole(caller: Caller, key: MemberKey, named: string): Promise<MemberView> {
    requireNoViolations(roleViolations(named));
    const role = wordOf(ROLES, named);
    const now = this.#deps.clock.now();
    return this.#deps.db.transaction(async (tx) => {
      const authority = await authorityIn(tx, caller, key.organizationId);
      requireRole(caller, authority, 'owner');
      const row = await findMember(tx, caller.environmentId, key);
      const user = await rows(tx, 'users').find(caller.environmentId, key.userId);
      if (row.role !== role) {
        if (row.role === 'owner') await requireAnotherOwner(tx, caller.environmentId, key, 'role');
        await rows(tx, 'memberships').update(caller.environmentId, row.id, { role, updated_at: now });
        if (!hasRole(role, row.role)) await revokeInvitationsBy(tx, caller.environmentId, key, now);
        await writeAuditLine(tx, caller, { action: 'member.update', target: row.id, now });
      }
      const [view] = toView({ ...row, role, updated_at: row.role === role ? row.updated_at : now }, user);
      if (view === undefined) throw notFound('member');
      return view;
    });
  }

  /**
   * Removes a member from an organization: their sessions in it end, and invitations they made are revoked.
   * Every member may leave; only an owner removes an owner.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED; INVALID_ARGUMENT for the only owner
   */
  async remove(caller: Caller, key: MemberKey): Promise<void> {
    const { environmentId } = caller;
    const { organizationId, userId } = key;
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) => {
      const authority = await authorityIn(tx, caller, organizationId);
      const isSelf = caller.kind === 'person' && caller.person.userId === userId;
      if (!isSelf) requireRole(caller, authority, 'admin');
      const row = await findMember(tx, environmentId, key);
      if (row.role === 'owner') {
        requireRole(caller, authority, 'owner');
        await requireAnotherOwner(tx, environmentId, key, 'user_id');
      }
      await rows(tx, 'memberships').delete(environmentId, row.id);
      await new SessionStore(tx).endAll(environmentId, { userId, organizationId }, now);
      await revokeInvitationsBy(tx, environmentId, key, now);
      await writeAuditLine(tx, caller, { action: 'member.delete', target: row.id, now });
    });
  }

  /**
   * Forgets who a member is at identity providers, so that the next subject with their address is bound. All their
   * sessions end: the organization's provider decides who they are everywhere.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED below owner; INVALID_ARGUMENT for a member who does not
   *   sign in through the organization's provider
   */
  async unbind(caller: Caller, key: MemberKey): Promise<void> {
    const { environmentId } = caller;
    const { organizationId, userId } = key;
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) => {
      requireRole(caller, await authorityIn(tx, caller, organizationId), 'owner');
      const row = await findMember(tx, environmentId, key);
      const user = await rows(tx, 'users').find(environmentId, userId);
      const domain = user?.email.split('@')[1] ?? '';
      const provider = await identityProviderOfDomain(tx, environmentId, domain);
      if (provider?.organization_id !== organizationId)
        throw invalidField(
          'user_id',
          "This member does not sign in through the organization's identity provider, so there is nothing to unbind.",
          'not_bound',
        );
      await forgetIdentities(tx, environmentId, userId);
      await new SessionStore(tx).endAll(environmentId, { userId }, now);
      await writeAuditLine(tx, caller, { action: 'member.unbind', target: row.id, now });
    });
  }
}

async function findMember(
  tx: WriteTransaction,
  environmentId: string,
  { organizationId, userId }: MemberKey,
): Promise<Membership> {
  const row = await membershipIn(tx, environmentId, organizationId, userId);
  if (row === undefined) throw notFound('member');
  return row;
}

/** Counted in the transaction that removes one, so that two owners who leave at the same time do not both succeed. */
async function requireAnotherOwner(
  tx: WriteTransaction,
  environmentId: string,
  { organizationId }: MemberKey,
  field: string,
): Promise<void> {
  const owners = { organization_id: organizationId, role: 'owner' } as const;
  if ((await rows(tx, 'memberships').count(environmentId, owners, 2)) > 1) return;
  throw invalidField(
    field,
    'This is the only owner of the organization. Make somebody else an owner first.',
    'last_owner',
  );
}

async function revokeInvitationsBy(
  tx: WriteTransaction,
  environmentId: string,
  { organizationId, userId }: MemberKey,
  now: number,
): Promise<void> {
  await new InvitationStore(tx).revoke(environmentId, { organizationId, invitedBy: userId }, now);
}

/** Empty for a member who is being removed at the moment. */
function toView(row: Membership, user: User | undefined): MemberView[] {
  if (user === undefined) return [];
  return [
    {
      id: row.id,
      user_id: user.id,
      email: user.email,
      given_name: user.given_name,
      family_name: user.family_name,
      role: row.role,
      created_at: toTimestamp(row.created_at),
      updated_at: toTimestamp(row.updated_at),
    },
  ];
}
