/**
 * Signs a browser in after a proof of identity: finds the user, or creates them if that is allowed, begins the
 * session and ends the browser's previous one.
 *
 * Proofs are a code by e-mail (email-codes.ts) and the answer of an organization's provider (identity-provider-sign-in.ts).
 */
import type { Role, Visitor } from '../../core/caller.ts';
import { PageFailure } from '../../core/page-failure.ts';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { LOCAL, writeAuditLine } from '../../store/records/audit-store.ts';
import type { Database, WriteTransaction } from '../../store/engine/database.ts';
import { findOrWrite } from '../../store/engine/unique-rows.ts';
import { membershipIn, membershipsOf } from '../../store/people/membership-store.ts';
import { rows } from '../../store/engine/rows.ts';
import type { ConnectionDetail, User } from '../../store/tables/people-tables.ts';
import { EMAIL_CODE } from '../../interceptors/policy.ts';
import { normalizeEmail } from '../../core/email-address.ts';
import { hasOperatorRights } from '../operator-rights.ts';
import { findOrCreateUser, insertMembership } from '../people-rows.ts';
import { fullName, MAX_PERSON_NAME_LENGTH, personViolations, storedName } from '../people-rules.ts';
import { isFreshSession, vouchedBy, type Session } from '../session-rules.ts';
import type { Sessions, StartedSession } from '../sessions.ts';
import { domainOf } from './identity-provider-rules.ts';
import type { ProvenByProvider } from './identity-provider-sign-in.ts';

/** The description of a code by e-mail for interceptors. */
export const BY_EMAIL: readonly ConnectionDetail[] = [EMAIL_CODE];

/** An organization that a user belongs to. */
export interface OwnOrganization {
  id: string;
  name: string;
  role: Role;
}

/** The user of a browser. */
export interface SignedInPerson {
  session: Session;
  userId: string;
  email: string;
  /** Given and family name; '' if neither is known. */
  name: string;
  /** May administer the whole environment in this session. */
  isOperator: boolean;
  /** Oldest membership first. */
  organizations: readonly OwnOrganization[];
}

/** The browser that signs in. */
export interface SigningIn {
  environmentId: string;
  visitor: Visitor;
  /** Value of its previous session cookie; '' for none. */
  cookie: string;
}

interface SignInDeps {
  db: Database;
  clock: Clock;
  sessions: Sessions;
}

export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /** The user signed in by a session cookie; the lookup counts as a use, which keeps the session alive. */
  async ofCookie(environmentId: string, cookie: string): Promise<SignedInPerson | undefined> {
    const session = await this.#deps.sessions.findByCookie(environmentId, cookie);
    if (session === undefined) return undefined;
    const user = await rows(this.#deps.db.read, 'users').find(environmentId, session.userId);
    if (user === undefined) return undefined;
    const name = fullName(user);
    const organizations = await this.organizationsOf(environmentId, user.id);
    const { connectionDetails } = session;
    const isOperator = await hasOperatorRights(this.#deps.db.read, environmentId, {
      isOperator: user.is_operator,
      connectionDetails,
    });
    return { session, userId: user.id, email: user.email, name, isOperator, organizations };
  }

  /** Whether somebody has proven their identity so recently that they may hand on the power of an operator. */
  isFresh({ session }: Pick<SignedInPerson, 'session'>): boolean {
    return isFreshSession(session, this.#deps.clock.now());
  }

  async organizationsOf(environmentId: string, userId: string): Promise<OwnOrganization[]> {
    const memberships = await membershipsOf(this.#deps.db.read, environmentId, [userId]);
    const ids = memberships.map((membership) => membership.organization_id);
    const organizations = await rows(this.#deps.db.read, 'organizations').findAll(environmentId, ids);
    return memberships.flatMap(({ organization_id: id, role }) => {
      const row = organizations.find((organization) => organization.id === id);
      return row === undefined ? [] : [{ id, name: row.name, role }];
    });
  }

  /** Whether a user has this address. @param email in its normal form */
  async isKnown(environmentId: string, email: string): Promise<boolean> {
    return (await rows(this.#deps.db.read, 'users').findBy(environmentId, { email })) !== undefined;
  }

  /**
   * Signs in the user who has just proven the address by a code; `undefined` if no user has it.
   *
   * @param organizationId to begin in; default: the user's oldest membership
   * @throws ServiceError POLICY_DENIED
   */
  async byEmail(at: SigningIn, email: string, organizationId?: string): Promise<StartedSession | undefined> {
    const user = await rows(this.#deps.db.read, 'users').findBy(at.environmentId, { email });
    if (user === undefined) return undefined;
    await this.#markVerified(user);
    const first = (await this.organizationsOf(at.environmentId, user.id))[0]?.id ?? '';
    return this.#begin(at, user.id, { organizationId: organizationId ?? first, connectionDetails: BY_EMAIL });
  }

  /**
   * Signs in the user who came back from the organization's provider, as a member of it. An unknown user is created.
   *
   * A provider is trusted for addresses of its own domains only. Otherwise its administrator could be every user of
   * this environment. From the first sign-in on, an address belongs to one subject of its issuer.
   *
   * @throws PageFailure of a sign-in: `email`, `unverified`, `identity`; ServiceError POLICY_DENIED
   */
  async byProvider(at: SigningIn, proven: ProvenByProvider): Promise<StartedSession> {
    const { provider } = proven;
    const email = normalizeEmail(proven.email);
    const { domains } = provider;
    if (email === undefined || !domains.includes(domainOf(email) ?? ''))
      throw new PageFailure('sign_in', 'email');
    if (!(proven.emailVerified ?? provider.assume_email_verified))
      throw new PageFailure('sign_in', 'unverified');
    const organizationId = provider.organization_id;
    const user = await this.#memberOf(at, proven, {
      email,
      givenName: usableName(proven.givenName),
      familyName: usableName(proven.familyName),
    });
    if (user === undefined) throw new PageFailure('sign_in', 'identity');
    const { host } = new URL(provider.issuer);
    const { provenAt } = proven;
    const connectionDetails: ConnectionDetail[] = [
      { id: provider.id, type: 'OIDC', provider: host, ...(provenAt !== undefined && { provenAt }) },
    ];
    return this.#begin(at, user.id, { organizationId, connectionDetails });
  }

  /**
   * Signs in an operator for whom somebody at the machine vouched by a link.
   *
   * @throws ServiceError POLICY_DENIED
   */
  async byOperatorLink(at: SigningIn, userId: string): Promise<StartedSession> {
    const organizationId = (await this.organizationsOf(at.environmentId, userId))[0]?.id ?? '';
    return this.#begin(at, userId, { organizationId, connectionDetails: vouchedBy(LOCAL.actor) });
  }

  /** Ends the session of a browser; ending none does nothing. */
  async signOut({ environmentId, visitor, cookie }: SigningIn): Promise<void> {
    const session = await this.#deps.sessions.findByCookie(environmentId, cookie);
    if (session !== undefined)
      await this.#deps.sessions.end(environmentId, session.id, session.userId, visitor.ip);
  }

  /** Begins a session for a proven user, and ends the previous one, so that no earlier cookie signs in as them. */
  async #begin(
    at: SigningIn,
    userId: string,
    how: { organizationId: string; connectionDetails: readonly ConnectionDetail[] },
  ): Promise<StartedSession> {
    const { environmentId, visitor } = at;
    const started = await this.#deps.sessions.begin({
      environmentId,
      kind: 'browser',
      userId,
      clientId: '',
      resource: '',
      visitor,
      actor: userId,
      ...how,
    });
    await this.signOut(at);
    return started;
  }

  async #markVerified(user: User): Promise<void> {
    if (user.email_verified) return;
    const set = { email_verified: 1, updated_at: this.#deps.clock.now() } as const;
    await this.#deps.db.transaction(async (tx) =>
      rows(tx, 'users').update(user.environment_id, user.id, set),
    );
  }

  /** The person as a member; `undefined`, with an audit line, if another subject of the issuer is that person. */
  async #memberOf(
    { environmentId, visitor }: SigningIn,
    { provider, issuer, subject }: ProvenByProvider,
    person: { email: string; givenName: string; familyName: string },
  ): Promise<User | undefined> {
    const organizationId = provider.organization_id;
    return findOrWrite(this.#deps.db, async (tx) => {
      const now = this.#deps.clock.now();
      const who = { environmentId, actor: '', ip: visitor.ip };
      const identity = { environmentId, issuer, subject };
      const target = await otherHolder(tx, identity, person.email);
      if (target !== undefined) {
        const refused = { action: 'user.refuse_identity', target, now };
        await writeAuditLine(tx, { ...who, actor: provider.id }, refused);
        return undefined;
      }
      const user = await findOrCreateUser(tx, who, person, { now, isEmailVerified: true });
      await bindIdentity(tx, identity, { userId: user.id, ip: visitor.ip, now });
      const of = { environmentId, organizationId, userId: user.id };
      if ((await membershipIn(tx, environmentId, organizationId, user.id)) === undefined) {
        const { id: target } = await insertMembership(tx, of, 'member', now);
        await writeAuditLine(tx, { ...who, actor: user.id }, { action: 'member.create', target, now });
      }
      return user;
    });
  }
}

/** A subject of an identity provider. */
interface Identity {
  environmentId: string;
  issuer: string;
  subject: string;
}

/**
 * A user who conflicts with this sign-in: the one with this address under another subject, or another user under
 * this subject.
 */
async function otherHolder(
  tx: WriteTransaction,
  { environmentId, issuer, subject }: Identity,
  email: string,
): Promise<string | undefined> {
  const identities = rows(tx, 'user_identities');
  const user = await rows(tx, 'users').findBy(environmentId, { email });
  const ofUser = user && (await identities.findBy(environmentId, { issuer, user_id: user.id }));
  if (ofUser !== undefined) return ofUser.subject === subject ? undefined : ofUser.user_id;
  return (await identities.findBy(environmentId, { issuer, subject }))?.user_id;
}

/** Binds a user to a subject at their first sign-in through its issuer. */
async function bindIdentity(
  tx: WriteTransaction,
  { environmentId, issuer, subject }: Identity,
  { userId, ip, now }: { userId: string; ip: string; now: number },
): Promise<void> {
  const identities = rows(tx, 'user_identities');
  if ((await identities.findBy(environmentId, { issuer, subject })) !== undefined) return;
  await identities.insert({
    id: newId('idn', now),
    environment_id: environmentId,
    user_id: userId,
    issuer,
    subject,
    created_at: now,
  });
  const who = { environmentId, actor: userId, ip };
  await writeAuditLine(tx, who, { action: 'user.bind', target: userId, now });
}

/** The name from a provider, if it is valid here. */
function usableName(name: string): string {
  const cut = name.slice(0, MAX_PERSON_NAME_LENGTH).toWellFormed();
  return personViolations({ given_name: cut }).length === 0 ? storedName(cut) : '';
}
