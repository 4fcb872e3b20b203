/**
 * The link that signs an operator in without mail. It makes the first operator of an environment, and lets a known
 * one in again. Only somebody on the machine can get one.
 *
 * There is one link at a time for the whole installation. Its token is stored as a hash, and works once within 15
 * minutes; looking at its page spends nothing.
 */
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { hashSecret, newSecret } from '../../core/ids.ts';
import { isSameText } from '../../core/same-text.ts';
import type { Database, Readable } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { InstallationStore, type StoredOperatorLink } from '../../store/installation/installation-store.ts';
import { LOCAL, writeAuditLine } from '../../store/records/audit-store.ts';
import { findOrCreateUser } from '../people-rows.ts';

/** Lifetime of a link, in milliseconds. */
const LINK_MS = 15 * 60_000;

/** Longer values cannot be tokens of ours. */
const MAX_TOKEN_LENGTH = 100;

/** An open link, for its page. */
export interface OperatorLinkOffer {
  /** Address of the operator whom it signs in; `undefined` if it makes the first operator. */
  email: string | undefined;
}

interface OperatorLinksDeps {
  db: Database;
  clock: Clock;
}

export class OperatorLinks {
  readonly #deps: OperatorLinksDeps;

  constructor(deps: OperatorLinksDeps) {
    this.#deps = deps;
  }

  /** Whether an environment has an operator. */
  async hasOperator(environmentId: string): Promise<boolean> {
    return hasOperator(this.#deps.db.read, environmentId);
  }

  /**
   * Makes a link, which replaces the one before.
   *
   * @param userId `usr_…` of an operator to sign in; default: the link makes the first operator
   * @returns the path of its page, which holds the only copy of the token
   * @throws ServiceError INVALID_ARGUMENT if the user is no operator, or if none is named and there is one already
   */
  async create(environmentId: string, userId = ''): Promise<string> {
    const token = newSecret();
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) => {
      if (!(await isMeaningful(tx, environmentId, userId))) throw meaningless(userId);
      await new InstallationStore(tx).putOperatorLink({
        environmentId,
        userId,
        tokenHash: hashSecret(token),
        expiresAt: now + LINK_MS,
      });
      const target = userId === '' ? environmentId : userId;
      await writeAuditLine(tx, { environmentId, ...LOCAL }, { action: 'operator_link.create', target, now });
    });
    return `/operator/${token}`;
  }

  /** Ends the link that is open, if there is one. */
  async end(): Promise<void> {
    await this.#deps.db.transaction(async (tx) => new InstallationStore(tx).putOperatorLink(undefined));
  }

  /** The open link with this token; `undefined` if it is used, replaced, expired, unknown or of another environment. */
  async find(environmentId: string, token: string): Promise<OperatorLinkOffer | undefined> {
    const link = await this.#open(this.#deps.db.read, environmentId, token);
    if (link === undefined || link.userId === '') return link && { email: undefined };
    const user = await rows(this.#deps.db.read, 'users').find(environmentId, link.userId);
    return user && { email: user.email };
  }

  /**
   * The user that a link signs in: the named operator, or the user with this address, who is created if there is
   * none. Nobody gets rights before `use`.
   *
   * @param by.email in normal form; ignored for a link that signs in a known operator
   * @returns id of the user; `undefined` as in `find`
   */
  async person(
    environmentId: string,
    token: string,
    { email, ip }: { email: string; ip: string },
  ): Promise<string | undefined> {
    return this.#deps.db.transaction(async (tx) => {
      const link = await this.#open(tx, environmentId, token);
      if (link === undefined || link.userId !== '') return link?.userId;
      const by = { environmentId, actor: LOCAL.actor, ip };
      const person = { email, givenName: '', familyName: '' };
      // The machine vouches for the address, but nobody has proven that mail to it arrives.
      const facts = { now: this.#deps.clock.now(), isEmailVerified: false };
      return (await findOrCreateUser(tx, by, person, facts)).id;
    });
  }

  /**
   * Spends a link for the user of `person`, who becomes the first operator if nobody operates the environment.
   *
   * @returns false as `undefined` in `find`: of several attempts at once, one succeeds
   */
  async use(
    environmentId: string,
    token: string,
    { userId, ip }: { userId: string; ip: string },
  ): Promise<boolean> {
    return this.#deps.db.transaction(async (tx) => {
      const link = await this.#open(tx, environmentId, token);
      if (link === undefined || !(await new InstallationStore(tx).spendOperatorLink(link))) return false;
      const now = this.#deps.clock.now();
      const by = { environmentId, actor: LOCAL.actor, ip };
      if (link.userId === '') {
        await rows(tx, 'users').update(environmentId, userId, { is_operator: 1, updated_at: now });
        await writeAuditLine(tx, by, { action: 'user.update', target: userId, now });
      }
      const used = { action: 'operator_link.use', target: userId, now };
      await writeAuditLine(tx, { ...by, actor: userId }, used);
      return true;
    });
  }

  async #open(db: Readable, environmentId: string, token: string): Promise<StoredOperatorLink | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const link = await new InstallationStore(db).operatorLink();
    if (link?.environmentId !== environmentId || !isSameText(link.tokenHash, hashSecret(token)))
      return undefined;
    if (link.expiresAt <= this.#deps.clock.now()) return undefined;
    return (await isMeaningful(db, environmentId, link.userId)) ? link : undefined;
  }
}

/** Whether a link still does what it was made for: the named user is an operator, or there is no operator yet. */
async function isMeaningful(db: Readable, environmentId: string, userId: string): Promise<boolean> {
  if (userId === '') return !(await hasOperator(db, environmentId));
  return (await rows(db, 'users').find(environmentId, userId))?.is_operator === true;
}

async function hasOperator(db: Readable, environmentId: string): Promise<boolean> {
  return (await rows(db, 'users').count(environmentId, { is_operator: 1 }, 1)) > 0;
}

function meaningless(userId: string): ServiceError {
  return new ServiceError(
    'INVALID_ARGUMENT',
    userId === ''
      ? 'This environment has an operator. Give the e-mail address of an operator, whom the link then signs in.'
      : 'This user is not an operator. "gatehouse users update EMAIL --operator" makes somebody one.',
  );
}
