/**
 * Creates, lists, renames and deletes organizations. The first user owns one, and PRE_SIGNUP has to allow its
 * creation. Members are in members.ts.
 */
import { boundOrganizationOf, requireScope, type Caller, type Visitor } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { ServiceError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { Policy } from '../interceptors/policy.ts';
import { vouchedBy } from './session-rules.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { SessionStore } from '../store/people/session-store.ts';
import { findOrWrite } from '../store/engine/unique-rows.ts';
import { membershipsOf } from '../store/people/membership-store.ts';
import { rows } from '../store/engine/rows.ts';
import type { ConnectionDetail, Organization } from '../store/tables/people-tables.ts';
import { authorityIn, noOrganization, organizationReach, requireRole } from './organization-reach.ts';
import { findOrCreateUser, insertMembership, type Actor } from './people-rows.ts';
import {
  checkedPerson,
  organizationNameViolations,
  personViolations,
  requireNoViolations,
  storedName,
  type CheckedPerson,
  type PersonInput,
} from './people-rules.ts';
import { toPolicyUser } from './policy-user.ts';

/** Body of `POST /api/v1/organizations` (docs/contract.md#bodies). */
export interface OrganizationInput {
  name: string;
  /** Becomes the owner; an existing user keeps their names. */
  user: PersonInput;
}

/** An organization as the API shows it. */
export interface OrganizationView {
  id: string;
  name: string;
  created_at: string;
  updated_at: string;
}

/** A new organization and its owner. */
export interface SignedUp {
  organization: OrganizationView;
  user: {
    id: string;
    email: string;
    email_verified: boolean;
    given_name: string;
    family_name: string;
    created_at: string;
    updated_at: string;
  };
}

interface OrganizationsDeps {
  db: Database;
  clock: Clock;
  policy: Policy;
  environments: Environments;
  pageTokens: PageTokens;
}

export class Organizations {
  readonly #deps: OrganizationsDeps;

  constructor(deps: OrganizationsDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an organization for a user; the address of a user created here is not proven yet.
   *
   * @throws ServiceError PERMISSION_DENIED without `admin` over the whole environment; INVALID_ARGUMENT with
   *   all violations; POLICY_DENIED
   */
  async create(caller: Caller, input: OrganizationInput, visitor: Visitor): Promise<SignedUp> {
    requireScope(caller, 'admin');
    const bound = boundOrganizationOf(caller);
    if (bound !== undefined)
      throw new ServiceError(
        'PERMISSION_DENIED',
        `Your credential belongs to the organization ${bound} and makes no others.`,
      );
    requireValidOrganization(input);
    const connectionDetails = vouchedBy(caller.actor);
    return this.#signUp(caller, input, { visitor, connectionDetails, isEmailVerified: false });
  }

  /**
   * Creates an organization for the user who signs up.
   *
   * @param input.user has just proven this address
   * @throws ServiceError PERMISSION_DENIED unless `sign_up` is `open`; INVALID_ARGUMENT with all violations;
   *   POLICY_DENIED
   */
  async signUp(
    environmentId: string,
    input: OrganizationInput,
    how: { visitor: Visitor; connectionDetails: readonly ConnectionDetail[] },
  ): Promise<SignedUp> {
    if (this.#deps.environments.get(environmentId).signUp !== 'open')
      throw new ServiceError(
        'PERMISSION_DENIED',
        'Nobody can sign up here. Ask the operator of this installation for an invitation.',
      );
    requireValidOrganization(input);
    const who = { environmentId, actor: '', ip: how.visitor.ip };
    return this.#signUp(who, input, { ...how, isEmailVerified: true });
  }

  /**
   * Newest first: all for `admin`, otherwise the one that the caller belongs to.
   *
   * @param filter.name exact
   * @throws ServiceError PERMISSION_DENIED for a machine without `admin`; INVALID_ARGUMENT for a page token of another list
   */
  async list(
    caller: Caller,
    filter: { name?: string | undefined } = {},
    query: PageQuery = {},
  ): Promise<PageLinks & { organizations: OrganizationView[] }> {
    const { environmentId } = caller;
    const of = {
      id: organizationReach(caller),
      name: filter.name === undefined ? undefined : storedName(filter.name),
    };
    const { rows: page, links } = await newestFirst(this.#deps.pageTokens, query, {
      bound: ['organizations', environmentId, of],
      ...rows(this.#deps.db.longRead, 'organizations').pages(environmentId, of),
    });
    return { organizations: page.map(toView), ...links };
  }

  /** Those of these ids that the caller reaches, in any order. @throws as `list` */
  async listByIds(caller: Caller, ids: readonly string[]): Promise<OrganizationView[]> {
    const reach = organizationReach(caller);
    const reached = reach === undefined ? ids : ids.filter((id) => id === reach);
    return (await rows(this.#deps.db.read, 'organizations').findAll(caller.environmentId, reached)).map(
      toView,
    );
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(caller: Caller, id: string): Promise<OrganizationView> {
    await authorityIn(this.#deps.db.read, caller, id);
    return toView(found(await rows(this.#deps.db.read, 'organizations').find(caller.environmentId, id)));
  }

  /** Renames it. @throws ServiceError INVALID_ARGUMENT; RESOURCE_NOT_FOUND; PERMISSION_DENIED below owner */
  async update(
    caller: Caller,
    id: string,
    { name }: { name?: string | undefined },
  ): Promise<OrganizationView> {
    requireNoViolations(name === undefined ? [] : organizationNameViolations(name));
    const now = this.#deps.clock.now();
    const changed = await this.#deps.db.transaction(async (tx) => {
      requireRole(caller, await authorityIn(tx, caller, id), 'owner');
      const row = found(await rows(tx, 'organizations').find(caller.environmentId, id));
      if (name === undefined) return row;
      const set = { name: storedName(name), updated_at: now };
      await rows(tx, 'organizations').update(caller.environmentId, id, set);
      await writeAuditLine(tx, caller, { action: 'organization.update', target: id, now });
      return { ...row, ...set };
    });
    return toView(changed);
  }

  /**
   * Deletes an organization with its memberships, invitations and OpenID provider, and ends the sessions in
   * it. Its users stay; its connected accounts stay until they are deleted, and only `admin` reaches them.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; PERMISSION_DENIED below owner
   */
  async remove(caller: Caller, id: string): Promise<void> {
    const { environmentId } = caller;
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) => {
      requireRole(caller, await authorityIn(tx, caller, id), 'owner');
      found(await rows(tx, 'organizations').find(environmentId, id));
      await new SessionStore(tx).endAll(environmentId, { organizationId: id }, now);
      await rows(tx, 'organizations').delete(environmentId, id);
      await writeAuditLine(tx, caller, { action: 'organization.delete', target: id, now });
    });
  }

  async #signUp(
    who: Actor,
    input: OrganizationInput,
    how: { visitor: Visitor; connectionDetails: readonly ConnectionDetail[]; isEmailVerified: boolean },
  ): Promise<SignedUp> {
    const { environmentId } = who;
    const { visitor, connectionDetails, isEmailVerified } = how;
    const person = checkedPerson(input.user);
    const user = await this.#policyUser(environmentId, person);
    const question = { environmentId, actor: who.actor, visitor, connectionDetails, ...(user && { user }) };
    await this.#deps.policy.beforeSignup(question);
    const now = this.#deps.clock.now();
    const row: Organization = {
      id: newId('org', now),
      environment_id: environmentId,
      name: storedName(input.name),
      created_at: now,
      updated_at: now,
    };
    return findOrWrite(this.#deps.db, async (tx) => {
      const owner = await findOrCreateUser(tx, who, person, { now, isEmailVerified });
      await rows(tx, 'organizations').insert(row);
      await insertMembership(tx, { environmentId, organizationId: row.id, userId: owner.id }, 'owner', now);
      const actor = who.actor === '' ? owner.id : who.actor;
      await writeAuditLine(tx, { ...who, actor }, { action: 'organization.create', target: row.id, now });
      const { memberships: _, name: __, ...shown } = toPolicyUser(owner, []);
      return { organization: toView(row), user: shown };
    });
  }

  async #policyUser(environmentId: string, { email }: CheckedPerson) {
    const row = await rows(this.#deps.db.read, 'users').findBy(environmentId, { email });
    if (row === undefined) return undefined;
    return toPolicyUser(row, await membershipsOf(this.#deps.db.read, environmentId, [row.id]));
  }
}

function requireValidOrganization({ name, user }: OrganizationInput): void {
  requireNoViolations([...organizationNameViolations(name), ...personViolations(user, 'user.')]);
}

function toView(row: Organization): OrganizationView {
  return {
    id: row.id,
    name: row.name,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

function found(row: Organization | undefined): Organization {
  if (row !== undefined) return row;
  throw noOrganization();
}
