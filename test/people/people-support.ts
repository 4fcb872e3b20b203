/** The services of people over a database, with interceptors that agree unless the test says otherwise. */
import {
  SCOPES,
  type Caller,
  type MachineCaller,
  type PersonCaller,
  type Visitor,
} from '../../src/core/caller.ts';
import { Environments, type SignUp } from '../../src/core/environment.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { PageTokens } from '../../src/core/page-token.ts';
import { buildPeople } from '../../src/people/sign-in/build-people.ts';
import type { Mail } from '../../src/people/mailer.ts';
import type { Policy } from '../../src/interceptors/policy.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { testAuthorizationServer } from '../support/authorization-server.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { environment, testVault, withEnvironments } from '../authorization-server/identity-support.ts';
import type { AddedClaims } from '../../src/store/tables/people-tables.ts';

/** An API credential with every scope. */
export const machine: MachineCaller = {
  kind: 'machine',
  environmentId: 'env_dev',
  actor: 'cred_1',
  scopes: new Set(SCOPES),
  source: 'api',
  ip: '192.0.2.7',
};

/** One of the other environment. */
export const foreigner: Caller = { ...machine, environmentId: 'env_prod', actor: 'cred_2' };

/** One bound to an organization. */
export function boundTo(organizationId: string): Caller {
  return { ...machine, actor: 'cred_3', boundOrganizationId: organizationId };
}

/** A person signed in to an organization, with the token of an ordinary client. */
export function personIn(userId: string, organizationId: string): PersonCaller {
  const own = { userId, organizationId: '' };
  return {
    kind: 'person',
    isApp: false,
    environmentId: 'env_dev',
    actor: userId,
    scopes: new Set(['accounts:read', 'accounts:write', 'tools:execute']),
    source: 'api',
    owner: own,
    onlyOwner: own,
    person: { userId, sessionId: 'ses_1', organizationId },
    ip: '192.0.2.8',
  };
}

export const visitor: Visitor = { ip: '192.0.2.9', userAgent: 'Test/1.0', region: 'PT', city: 'Lisbon' };

/** What interceptors were asked, and what they say. */
export class FakePolicy implements Policy {
  readonly asked: { trigger: string; question: object }[] = [];
  /** Says DENY with this message. */
  denial: string | undefined;
  claims: AddedClaims = {};
  /** Runs while the interceptor thinks. */
  meanwhile: () => Promise<unknown> = async () => undefined;

  async beforeSignup(question: object): Promise<void> {
    await this.#ask('PRE_SIGNUP', question);
  }

  async beforeSession(question: object): Promise<AddedClaims> {
    await this.#ask('PRE_SESSION_CREATION', question);
    return this.claims;
  }

  async beforeInvitation(question: object): Promise<void> {
    await this.#ask('PRE_USER_INVITATION', question);
  }

  async beforeMachineToken(): Promise<never> {
    throw new Error('people ask nothing about machines');
  }

  async #ask(trigger: string, question: object): Promise<void> {
    this.asked.push({ trigger, question });
    await this.meanwhile();
    if (this.denial !== undefined) throw new ServiceError('POLICY_DENIED', this.denial);
  }
}

/** Everything over one database; `env_dev` and `env_prod` exist. */
export async function peopleServices(
  database: Database,
  options: { signUp?: SignUp; mailer?: (mail: Mail) => boolean } = {},
) {
  const db = await withEnvironments(database, 'env_dev', 'env_prod');
  const clock = fixedClock();
  const policy = new FakePolicy();
  const environments = new Environments([
    { ...environment('http://127.0.0.1:3000'), signUp: options.signUp ?? 'invited' },
    environment('https://gate.example.test', 'env_prod'),
  ]);
  const pageTokens = new PageTokens(Buffer.alloc(32, 7));
  const base = { db, vault: testVault(), clock, policy, environments, pageTokens };
  const { sessions, apiSessions } = testAuthorizationServer(base, { policy, pageTokens });
  const { mailer } = options;
  return {
    ...base,
    sessions,
    apiSessions,
    ...buildPeople({
      ...base,
      isReachable: (url) => url.protocol === 'https:',
      isPublic: (url) => url.protocol === 'https:' && !url.hostname.startsWith('10.'),
      mailer: mailer && { send: async (mail) => mailer(mail) },
    }),
    /** Actor, action and target of every audit line, in order. */
    auditLines: async (): Promise<string[]> => {
      const rows = await db.read.selectFrom('audit').selectAll().orderBy('at').orderBy('id').execute();
      return rows.map(({ actor, action, target }) => `${actor} ${action} ${target}`);
    },
  };
}

export type PeopleServices = Awaited<ReturnType<typeof peopleServices>>;

/** A user by name. @returns the id */
export async function makeUser({ users }: PeopleServices, name: string): Promise<string> {
  return (await users.create(machine, { email: `${name}@example.test`, given_name: name })).id;
}

/** An organization owned by somebody, made through the front door. @returns ids of organization and owner */
export async function makeOrganization(
  { organizations }: PeopleServices,
  name: string,
  owner: string,
): Promise<{ id: string; ownerId: string }> {
  const input = { name, user: { email: `${owner}@example.test` } };
  const { organization, user } = await organizations.create(machine, input, visitor);
  return { id: organization.id, ownerId: user.id };
}

/** A further member, made by the operator. @returns the id of the user */
export async function makeMember(
  { users }: PeopleServices,
  organizationId: string,
  name: string,
  role = 'member',
): Promise<string> {
  const input = { email: `${name}@example.test`, organization_id: organizationId, role };
  return (await users.create(machine, input)).id;
}

/** How a promise failed: its code and, for bad input, field and constraint of each violation; or its value. */
export async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const violations = error.details['field_violations'] as
      { field: string; constraint: string }[] | undefined;
    if (violations === undefined) return error.code;
    return violations.map(({ field, constraint }) => `${field} ${constraint}`);
  }
}
