/**
 * Users of an environment. The operator creates, changes and removes them here; signing up and accepting an
 * invitation also create them (organizations.ts, invitations.ts). There are no passwords.
 */
import { boundOrganizationOf, requireNoApp, requireScope, type Caller, type Role } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import { invalidField, notFound, ServiceError } from '../core/errors.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database, Readable } from '../store/engine/database.ts';
import { InvitationStore } from '../store/people/invitation-store.ts';
import { SessionStore } from '../store/people/session-store.ts';
import { forgetIdentities } from '../store/people/user-identity-store.ts';
import { writeUnique } from '../store/engine/unique-rows.ts';
import { normalizeEmail } from '../core/email-address.ts';
import { authorityIn, noOrganization, requireRole } from './organization-reach.ts';
import { insertMembership, insertUser, newUserRow } from './people-rows.ts';
import {
  checkedPerson,
  personViolations,
  requireNoViolations,
  ROLES,
  roleViolations,
  storedName,
  type PersonInput,
} from './people-rules.ts';
import { wordOf } from '../core/stored-words.ts';
import { asRead } from '../store/engine/row-reader.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import { membershipsOf, organizationsOwnedAlone } from '../store/people/membership-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { Membership, User, UserTable } from '../store/tables/people-tables.ts';

/** Input for a user that the operator creates. */
export interface UserInput extends PersonInput {
  /** Whether they may administer the environment. Only the command line sets it. */
  is_operator?: boolean | undefined;
  /** Makes the user a member of this organization. */
  organization_id?: string | undefined;
  /** In that organization; default `member`. */
  role?: string | undefined;
}

/** Absent members stay as they are. */
export interface UserChange {
  email?: string | undefined;
  given_name?: string | undefined;
  family_name?: string | undefined;
  is_operator?: boolean | undefined;
}

/** A user as the API shows it. */
export interface UserView {
  id: string;
  email: string;
  /** Whether the user has proven that the address is theirs. */
  email_verified: boolean;
  given_name: string;
  family_name: string;
  is_operator: boolean;
  memberships: { organization_id: string; role: Role }[];
  created_at: string;
  updated_at: string;
}

const ROLE_OF_NOTHING = {
  field: 'organization_id',
  description: 'This field is required with a role: a role belongs to an organization.',
  constraint: 'required',
};

const TAKEN = 'There is a user with this e-mail address already. Change that one, or give another address.';

interface UsersDeps {
  db: Database;
  clock: Clock;
  pageTokens: PageTokens;
}

/** Every method with a caller: @throws ServiceError PERMISSION_DENIED without `admin` over the whole environment */
export class Users {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  /**
   * Newest first.
   *
   * @param filter.email exact, in any spelling
   * @throws ServiceError INVALID_ARGUMENT for a page token of another list
   */
  async list(
    caller: Caller,
    filter: { email?: string | undefined } = {},
    query: PageQuery = {},
  ): Promise<PageLinks & { users: UserView[] }> {
    requireEnvironment(caller);
    const { environmentId } = caller;
    const email = filter.email === undefined ? undefined : (normalizeEmail(filter.email) ?? filter.email);
    const { rows: page, links } = await newestFirst(this.#deps.pageTokens, query, {
      bound: ['users', environmentId, email ?? null],
      ...rows(this.#deps.db.longRead, 'users').pages(environmentId, { email }),
    });
    return { users: await this.#views(this.#deps.db.read, environmentId, page), ...links };
  }

  /** The users with these ids, in any order; ids that nobody has are left out. */
  async listByIds(caller: Caller, ids: readonly string[]): Promise<UserView[]> {
    requireEnvironment(caller);
    const { read } = this.#deps.db;
    const users = await rows(read, 'users').findAll(caller.environmentId, ids);
    return this.#views(read, caller.environmentId, users);
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(caller: Caller, id: string): Promise<UserView> {
    requireEnvironment(caller);
    return this.#view(this.#deps.db.read, found(await this.#find(caller.environmentId, id)));
  }

  /** Whether the environment has no operator but this user, so that nobody administers it without them. */
  async isLastOperator(caller: Caller, user: UserView): Promise<boolean> {
    requireEnvironment(caller);
    if (!user.is_operator) return false;
    return (await rows(this.#deps.db.read, 'users').count(caller.environmentId, { is_operator: 1 }, 2)) === 1;
  }

  /**
   * Creates a user, with `organization_id` as a member of that organization.
   *
   * @throws ServiceError INVALID_ARGUMENT with all violations; RESOURCE_NOT_FOUND for the organization; ALREADY_EXISTS
   *   for a taken address; PERMISSION_DENIED for a role above member that an app asks for
   */
  async create(caller: Caller, input: UserInput): Promise<UserView> {
    requireEnvironment(caller);
    const { organization_id, role = 'member', is_operator = false } = input;
    requireNoViolations([
      ...personViolations(input),
      ...roleViolations(role),
      ...(input.role !== undefined && organization_id === undefined ? [ROLE_OF_NOTHING] : []),
    ]);
    const { environmentId } = caller;
    const now = this.#deps.clock.now();
    const row = newUserRow(environmentId, checkedPerson(input), {
      now,
      isEmailVerified: false,
      isOperator: is_operator,
    });
    return writeUnique(this.#deps.db, TAKEN, async (tx) => {
      await insertUser(tx, caller, row);
      if (organization_id !== undefined) {
        const organization = await rows(tx, 'organizations').find(environmentId, organization_id);
        if (organization === undefined) throw noOrganization();
        if (role !== 'member') requireRole(caller, await authorityIn(tx, caller, organization_id), 'owner');
        const of = { environmentId, organizationId: organization_id, userId: row.id };
        const { id: target } = await insertMembership(tx, of, wordOf(ROLES, role), now);
        await writeAuditLine(tx, caller, { action: 'member.create', target, now });
      }
      return this.#view(tx, asRead('users', row));
    });
  }

  /**
   * Changes the given members. A new address counts as not proven until the user signs in with it. Sessions of the
   * old address end, because pages treat the address of a signed-in user as proven.
   *
   * @throws ServiceError INVALID_ARGUMENT with all violations; RESOURCE_NOT_FOUND; ALREADY_EXISTS for a taken address;
   *   PERMISSION_DENIED for an address that an app gives
   */
  async update(caller: Caller, id: string, change: UserChange): Promise<UserView> {
    requireEnvironment(caller);
    requireNoViolations(personViolations(change));
    const { email: written, given_name, family_name, is_operator } = change;
    if (written !== undefined) requireNoApp(caller);
    const email = written === undefined ? undefined : normalizeEmail(written);
    const now = this.#deps.clock.now();
    return writeUnique(this.#deps.db, TAKEN, async (tx) => {
      const row = found(await rows(tx, 'users').find(caller.environmentId, id));
      const columns: Partial<StoredForm<UserTable>> = {
        ...(email !== undefined && email !== row.email && { email, email_verified: 0 }),
        ...(given_name !== undefined && { given_name: storedName(given_name) }),
        ...(family_name !== undefined && { family_name: storedName(family_name) }),
        ...(is_operator !== undefined && { is_operator: is_operator ? 1 : 0 }),
      };
      if (Object.keys(columns).length === 0) return this.#view(tx, row);
      const set = { ...columns, updated_at: now };
      if ('email' in columns) await new SessionStore(tx).endAll(caller.environmentId, { userId: id }, now);
      await rows(tx, 'users').update(caller.environmentId, id, set);
      await writeAuditLine(tx, caller, { action: 'user.update', target: id, now });
      return this.#view(tx, { ...row, ...asRead('users', set) });
    });
  }

  /**
   * Removes a user with their memberships; their sessions end, and invitations they made are revoked. Their
   * connected accounts stay until they are deleted, like those of users whom only the application knows.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for the only owner of an organization, naming it
   */
  async remove(caller: Caller, id: string): Promise<void> {
    requireEnvironment(caller);
    const { environmentId } = caller;
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) => {
      found(await rows(tx, 'users').find(environmentId, id));
      const alone = await organizationsOwnedAlone(tx, environmentId, id);
      if (alone.length > 0)
        throw invalidField(
          'id',
          `The user is the only owner of ${alone.join(', ')}. Make somebody else an owner, or delete the organization first.`,
          'last_owner',
        );
      await new SessionStore(tx).endAll(environmentId, { userId: id }, now);
      await new InvitationStore(tx).revoke(environmentId, { invitedBy: id }, now);
      await rows(tx, 'users').delete(environmentId, id);
      await writeAuditLine(tx, caller, { action: 'user.delete', target: id, now });
    });
  }

  /**
   * Forgets who a user is at identity providers, so that the next subject with their address is bound. Their sessions
   * end.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED for an app
   */
  async unbind(caller: Caller, id: string): Promise<void> {
    requireEnvironment(caller);
    requireNoApp(caller);
    const { environmentId } = caller;
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) => {
      found(await rows(tx, 'users').find(environmentId, id));
      await forgetIdentities(tx, environmentId, id);
      await new SessionStore(tx).endAll(environmentId, { userId: id }, now);
      await writeAuditLine(tx, caller, { action: 'user.unbind', target: id, now });
    });
  }

  async #find(environmentId: string, id: string): Promise<User | undefined> {
    return rows(this.#deps.db.read, 'users').find(environmentId, id);
  }

  async #view(db: Readable, row: User): Promise<UserView> {
    const memberships = await membershipsOf(db, row.environment_id, [row.id]);
    return toView(row, memberships);
  }

  async #views(db: Readable, environmentId: string, users: readonly User[]): Promise<UserView[]> {
    const memberships = await membershipsOf(
      db,
      environmentId,
      users.map(({ id }) => id),
    );
    const byUser = Map.groupBy(memberships, ({ user_id }) => user_id);
    return users.map((row) => toView(row, byUser.get(row.id) ?? []));
  }
}

function requireEnvironment(caller: Caller): void {
  requireScope(caller, 'admin');
  if (boundOrganizationOf(caller) === undefined) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'Your credential belongs to one organization, and users belong to the whole environment.',
  );
}

function toView(row: User, memberships: readonly Membership[]): UserView {
  return {
    id: row.id,
    email: row.email,
    email_verified: row.email_verified,
    given_name: row.given_name,
    family_name: row.family_name,
    is_operator: row.is_operator,
    memberships: memberships.map(({ organization_id, role }) => ({ organization_id, role })),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

function found(row: User | undefined): User {
  if (row !== undefined) return row;
  throw notFound('user');
}
