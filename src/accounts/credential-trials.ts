/**
 * Tries a credential at its provider before it is stored, where its connector says how
 * (docs/contract.md#trying-a-credential). Decides what is tried and how often; who sends the request is handed in.
 */
import { typeOf } from '../authorization-types/index.ts';
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import { placesOf } from '../catalog/model/credential-places.ts';
import type { Connector, ConnectorAuth } from '../catalog/model/types.ts';
import { invalidArgument, type FieldViolation } from '../core/errors.ts';
import type { Account, AccountConnection } from '../store/accounts/account.ts';
import type { RateLimiter } from '../store/records/rate-limiter.ts';

/** A complete credential that is not stored yet, with what decides where it is sent. */
export interface Candidate {
  connector: Connector;
  auth: ConnectorAuth;
  connection: AccountConnection;
  details: AuthorizationDetails;
  apiConfig: Account['apiConfig'];
}

/** Result of one request to the provider. `unknown` proves nothing. */
export type TrialOutcome = 'accepted' | 'refused' | 'unknown';

/** Sends the request of the connector's `check`, once. Never throws for anything that the provider does. */
export type SendTrial = (candidate: Candidate) => Promise<TrialOutcome>;

/** On whose behalf a credential is tried. */
export interface TrialSubject {
  environmentId: string;
  /** `cred_…`, `usr_…` or `local`: trials are counted for each. */
  actor: string;
  /** Counts the trial elsewhere too. @returns false if there have been too many */
  mayTry?: () => Promise<boolean>;
  /** Prefix of field names in violations: `STATIC_DETAILS` for the body of a request. */
  fieldPrefix?: string;
}

/** Path of a form's fields in the body of a request. */
export const STATIC_DETAILS = 'connected_account.authorization_details.static_auth.details.';

/** Trials a minute of one actor, so that nobody uses Gatehouse to sort stolen keys. */
const TRIALS_PER_MINUTE = 60;

export class CredentialTrials {
  readonly #rates: Pick<RateLimiter, 'take'>;
  readonly #send: SendTrial;

  constructor(deps: { rates: Pick<RateLimiter, 'take'>; sendTrial: SendTrial }) {
    this.#rates = deps.rates;
    this.#send = deps.sendTrial;
  }

  /** The trial of one request or form. */
  begin(subject: TrialSubject): CredentialTrial {
    const isAllowed = async (): Promise<boolean> => this.#isAllowed(subject);
    return new CredentialTrial({ send: this.#send, isAllowed }, subject.fieldPrefix ?? '');
  }

  async #isAllowed({ environmentId, actor, mayTry }: TrialSubject): Promise<boolean> {
    if ((await mayTry?.()) === false) return false;
    return (await this.#rates.take(`${environmentId}:check:${actor}`, TRIALS_PER_MINUTE)) === undefined;
  }
}

/** Tries one credential once, however often it is asked to, and collects what its user should know. */
export class CredentialTrial {
  /** Sentences about what was not proven. */
  readonly warnings: string[] = [];
  readonly #send: SendTrial;
  readonly #isAllowed: () => Promise<boolean>;
  readonly #fieldPrefix: string;
  #isOver = false;
  #outcome: TrialOutcome | undefined;

  constructor(deps: { send: SendTrial; isAllowed: () => Promise<boolean> }, fieldPrefix: string) {
    this.#send = deps.send;
    this.#isAllowed = deps.isAllowed;
    this.#fieldPrefix = fieldPrefix;
  }

  /**
   * Tries the credential.
   *
   * @param candidate `undefined` if the request brings no complete credential
   * @returns the violation of a refused credential, with the name of its field
   */
  async violation(candidate: Candidate | undefined): Promise<FieldViolation | undefined> {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    if (candidate === undefined) {
      this.warnings.push('Nothing was tried: the request brings no complete credential.');
      return undefined;
    }
    const { connector, auth } = candidate;
    const { title } = connector;
    if (auth.check === undefined) {
      this.warnings.push(`The credential was not tried: ${title} has no request here that proves it.`);
      return undefined;
    }
    const outcome = (await this.#isAllowed()) ? await this.#send(candidate) : 'unknown';
    this.#outcome = outcome;
    if (outcome === 'refused') return refusal(connector, auth, this.#fieldPrefix);
    if (outcome === 'unknown')
      this.warnings.push(
        `The credential is stored, but it could not be tried at ${title}. The first call shows whether ${title} accepts it.`,
      );
    return undefined;
  }

  /**
   * Whether the provider may be asked whose the credential is: it has accepted it, or there was nothing to try. The
   * answer proves a credential too, so it counts as a trial then.
   */
  async mayAskWho(): Promise<boolean> {
    return this.#outcome === undefined ? this.#isAllowed() : this.#outcome === 'accepted';
  }
}

/**
 * Tries the credential of a request before it is stored.
 *
 * @param candidate as in `CredentialTrial.violation`
 * @throws ServiceError INVALID_ARGUMENT on the field of a refused credential
 */
export async function requireAccepted(
  trial: CredentialTrial,
  candidate: Candidate | undefined,
): Promise<void> {
  const violation = await trial.violation(candidate);
  if (violation !== undefined) throw invalidArgument([violation]);
}

/** Names the fields that are sent; of user name and password the password is marked. */
function refusal({ title }: Connector, auth: ConnectorAuth, prefix: string): FieldViolation {
  const places = placesOf(auth).flatMap(({ field }) => field ?? []);
  const sent = places.length > 0 ? places : (typeOf(auth).requiredFields ?? []);
  const fields = auth.fields.filter(({ name }) => sent.includes(name));
  return {
    field: `${prefix}${fields.at(-1)?.name ?? ''}`,
    description: `${title} does not accept this: ${fields.map(({ label }) => label).join(', ')}. Check that it is complete and still valid, then enter it again.`,
    constraint: 'refused',
  };
}
