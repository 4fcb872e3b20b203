/**
 * Connect links: made for one account, opened in a browser, completed once (docs/contract.md#making-a-link).
 *
 * Opening a link never uses it up, so a mail scanner or a preview cannot take it from its user. The token is
 * stored as a hash, that of a prompt sealed too, and nothing here logs it.
 */
import { accountNotFound, requestedOwner, type AccountFinder } from '../accounts/account-finder.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { findOrCreateAccount } from '../accounts/new-account.ts';
import { asWritten } from '../connections/oauth-endpoints.ts';
import { normalizeText, textViolations } from '../core/text-rules.ts';
import { PageFailure } from '../core/page-failure.ts';
import type { CredentialTrials } from '../accounts/credential-trials.ts';
import type { WaitingCredentials } from '../accounts/waiting-credentials.ts';
import type { SelectionNames } from '../catalog/model/tool-selection.ts';
import type { Catalog, Connector, CredentialField, Tool } from '../catalog/model/types.ts';
import { requireOrganizationScope, type Caller, type Owner } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { invalidArgument, type FieldViolation } from '../core/errors.ts';
import { hashSecret, newId, newSecret } from '../core/ids.ts';
import { rows } from '../store/engine/rows.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import { LinkStore } from '../store/accounts/link-store.ts';
import type { LinkCompletion, NewCredentials } from './link-completion.ts';
import {
  confirmerOf,
  connectorToConnect,
  InvalidForm,
  linkViolations,
  HOUR_MS,
  requireConnectable,
  requireFewLinks,
  requireOwnName,
  namesOf,
  onlyCompleter,
  shownOwner,
  type CallerName,
  type LinkInput,
  type LinkOptions,
} from './link-rules.ts';
import { csrfMatches, csrfToken } from './csrf.ts';
import { doneMark } from './done-marks.ts';
import { connectForm, readCredentialForm } from './form-fields.ts';
import { askedScopes, consentRequestOf, scopesBeyond, toolsOf, type ConsentRequest } from './asked-scopes.ts';
import { consentStepOf, consentSubject, locatedConsent } from './consent-subject.ts';
import type { SchemeServices } from '../credentials/schemes/renewal.ts';
import { isByConsent } from '../authorization-types/index.ts';
import { usableLink, type UsableLink } from './usable-link.ts';
import {
  afterwardsOrigin,
  urlViolation,
  verificationTarget,
  type VerificationTarget,
} from './verification-target.ts';
import { UnreadableSecret, type SealedPlace, type Vault } from '../vault/vault.ts';

/** Data of the connect page. */
export interface LinkPage {
  connectorTitle: string;
  connectorDescription: string;
  /** Name of the person it belongs to; '' if unknown here. */
  ownerName: string;
  /** Name of the account, as its owner knows it. */
  identifier: string;
  /** The requester: the name given to it here, or null; and the name that it claims, if it does. */
  requester: string | null;
  requestedBy: string | null;
  /** Current status of the account. */
  status: string;
  fields: readonly CredentialField[];
  /** Whether what is entered is tried at the provider before it is stored. */
  isTried: boolean;
  /** The request of the provider's consent page, after the form if there are fields; null if there is only a form. */
  consent: ConsentRequest | null;
  csrf: string;
  /** Name of the only person who can complete it, '' if unknown here; null if anybody can who has the account. */
  onlyBy: string | null;
  /** Id of the user who alone confirms the account, signed in; null if nobody has to sign in. */
  confirmedBy: string | null;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Origin that the answer to the POST redirects to; null for our own page. */
  submitOrigin: string | null;
}

/** Destination after a completed form. */
export interface Submitted {
  /** The customer's app with auth_request_id and state; null if the account is connected. */
  redirectTo: string | null;
  connectorTitle: string;
  /** Whether the credential should have been tried, but nothing is known about it. */
  isUntried?: boolean;
  /** For `LinkEnds.connected`, if the browser comes to our final page. */
  done?: string | undefined;
}

/** Credentials tried with one link; further ones are stored untried. */
const TRIALS_PER_LINK = 5;

/** A prompt gives an open link again as long as this much of it is left, in milliseconds. */
export const GIVEN_AGAIN_MS = 10 * 60_000;

/** Most new links of one account in an hour. */
const MAX_NEW_LINKS = 20;

/** Options of a prompt for its link. */
export type PromptOptions = LinkOptions & {
  scopes?: readonly string[];
  tools?: readonly Tool[];
  /** Most new links of the account in an hour; default: `MAX_NEW_LINKS`. */
  maxNew?: number;
};

interface LinksDeps {
  db: Database;
  vault: Pick<Vault, 'seal' | 'open'>;
  clock: Clock;
  environments: Environments;
  finder: AccountFinder;
  connections: ConnectionFinder;
  catalog: Catalog;
  /** Tools that the settings name. */
  selection?: SelectionNames | undefined;
  completion: LinkCompletion;
  waiting: WaitingCredentials;
  trials: CredentialTrials;
  csrfKey: Buffer;
  services: SchemeServices;
  lifetimeMs: number;
  baseUrl: (environmentId: string) => Promise<string>;
  callerName: (caller: Caller) => Promise<CallerName | undefined>;
}

export class Links {
  readonly #deps: LinksDeps;

  /**
   * @param deps.baseUrl public origin for links; a stdio process opens its listener here, at the first link
   * @param deps.callerName name of the API credential or app that calls, where it has one
   */
  constructor(deps: LinksDeps) {
    this.#deps = deps;
  }

  /**
   * Finds or creates the account and makes a new link for it.
   *
   * @throws ServiceError INVALID_ARGUMENT, CONNECTION_MISSING, RESOURCE_NOT_FOUND (an id that does not exist),
   *   RATE_LIMITED
   */
  async create(caller: Caller, input: LinkInput): Promise<{ link: string; expiry: string }> {
    const violations = linkViolations(input);
    if (violations.length > 0) throw invalidArgument(violations);
    const environment = this.#deps.environments.get(caller.environmentId);
    const found = await this.#found(caller, input);
    const owner = found?.owner ?? requestedOwner(caller, input);
    const target = verificationTarget(environment, input.user_verify_url, { caller, owner });
    const state = input.state ?? null;
    const row = found ?? (await this.#created(caller, input, owner));
    return this.#make(caller, row, { ...target, state, scopes: [], requestedBy: input.requested_by });
  }

  /** Names of the connections that a link can connect accounts of, with their connectors; by name. */
  async connectable(environmentId: string): Promise<{ name: string; connector: Connector }[]> {
    const all = await new ConnectionStore(this.#deps.db.read).list(environmentId);
    return all
      .flatMap((connection) => {
        const connector = connectorToConnect(connection, this.#deps.connections);
        return connector === undefined ? [] : [{ name: connection.name, connector }];
      })
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /**
   * The link of a prompt for an existing account: the open one that does the same, or a new one if less than
   * `GIVEN_AGAIN_MS` of it are left.
   *
   * @param options.scopes requested in addition to those of the connection, e.g. after the provider missed one
   * @param options.tools called or selected: the scopes that they need are asked for too
   * @throws ServiceError INVALID_ARGUMENT if no link can be made; PERMISSION_DENIED for an app that may only read the
   *   organization; RATE_LIMITED
   */
  async createFor(
    caller: Caller,
    row: Account,
    options: PromptOptions = {},
  ): Promise<{ link: string; expiry: string }> {
    const { state = null, scopes = [], tools = [], maxNew = MAX_NEW_LINKS } = options;
    const environment = this.#deps.environments.get(caller.environmentId);
    const target = verificationTarget(environment, options.user_verify_url, { caller, owner: row.owner });
    return this.#make(caller, row, { ...target, state, scopes, tools }, { isGivenAgain: true, maxNew });
  }

  /** Everything wrong with what a request says about its link. The fields begin with `link.`. */
  optionViolations(caller: Caller, { state, user_verify_url }: LinkOptions): FieldViolation[] {
    const violations = textViolations({ state, user_verify_url });
    if (user_verify_url !== undefined && !violations.some(({ field }) => field === 'user_verify_url')) {
      const environment = this.#deps.environments.get(caller.environmentId);
      const wrong = urlViolation(environment, user_verify_url, caller.kind === 'person');
      if (wrong !== undefined) violations.push(wrong);
    }
    return violations.map((wrong) => ({ ...wrong, field: `link.${wrong.field}` }));
  }

  /**
   * Returns the data of the page; does not use up the link.
   *
   * @param browser value of the browser's cookie; replaced by a new one if it is missing or malformed
   * @throws PageFailure of a link; ServiceError INVALID_ARGUMENT if the operator has to complete the connection
   */
  async open(
    environmentId: string,
    token: string,
    browser: string | undefined,
  ): Promise<{ page: LinkPage; browser: string }> {
    const usable = await usableLink(this.#deps, environmentId, token);
    const { link, row, connector, auth } = usable;
    const { fields } = connectForm(usable, row.apiConfig);
    const owner = await shownOwner(this.#deps.db.read, row);
    const cookie = browser !== undefined && /^[A-Za-z0-9_-]{43}$/.test(browser) ? browser : newSecret();
    return {
      browser: cookie,
      page: {
        connectorTitle: connector.title,
        connectorDescription: connector.description,
        ownerName: owner.name,
        identifier: owner.identifier,
        requester: link.requester,
        requestedBy: link.requestedBy,
        status: row.status,
        fields,
        isTried: auth.check !== undefined,
        consent: isByConsent(auth) ? await this.#consent(usable, fields.length > 0) : null,
        csrf: csrfToken(this.#deps.csrfKey, link.id, cookie),
        onlyBy: await onlyCompleter(this.#deps.db.read, link, row),
        confirmedBy: link.verification === 'signed_in' ? confirmerOf(link, row) : null,
        expiresAt: link.expiresAt,
        submitOrigin: afterwardsOrigin(link, this.#deps.environments.get(environmentId).baseUrl),
      },
    };
  }

  /**
   * Accepts a submitted form: in mode `app` its credentials wait for verify, in mode `none` the account is connected.
   *
   * @returns null if the form belongs to a consent, which takes its values (`OAuthFlows.start`)
   * @throws PageFailure of a link; InvalidForm to show the form again
   */
  async submit(
    environmentId: string,
    token: string,
    browser: string | undefined,
    form: Readonly<Record<string, string>>,
  ): Promise<Submitted | null> {
    const usable = await usableLink(this.#deps, environmentId, token);
    const { link, row, connector, auth } = usable;
    if (browser === undefined || !csrfMatches(this.#deps.csrfKey, link.id, browser, form.csrf)) {
      throw new PageFailure('link', 'csrf');
    }
    if (isByConsent(auth)) return null;
    const read = readCredentialForm(connectForm(usable, row.apiConfig), form);
    if ('violations' in read) throw new InvalidForm(read.violations);
    requireOwnName(usable, form);
    const isUntried = auth.check !== undefined && !(await this.#isTried(usable, read));
    const credentials = { details: read.details, expiresAt: null, apiConfig: read.apiConfig };
    const redirectTo = await this.#deps.completion.complete(link, row, credentials, hashSecret(browser));
    const done = doneMark(this.#deps.csrfKey, link.id, browser);
    return { redirectTo, connectorTitle: connector.title, isUntried, done };
  }

  /** Whether the provider accepts the credential; false if that cannot be known. @throws InvalidForm if it refuses it */
  async #isTried(
    { link, row, connection, connector, auth }: UsableLink,
    { details, apiConfig }: Pick<NewCredentials, 'details' | 'apiConfig'>,
  ): Promise<boolean> {
    const { id, environmentId, createdBy: actor } = link;
    const mayTry = async (): Promise<boolean> =>
      this.#deps.db.transaction(async (tx) =>
        new LinkStore(tx).countTrial(environmentId, id, TRIALS_PER_LINK),
      );
    const trial = this.#deps.trials.begin({ environmentId, actor, mayTry });
    const entered = { ...row.apiConfig, ...apiConfig };
    const violation = await trial.violation({ connector, auth, connection, details, apiConfig: entered });
    if (violation !== undefined) throw new InvalidForm([violation]);
    return trial.warnings.length === 0;
  }

  /** @returns `undefined` if the input names no id, and no account has its identifier */
  async #found(caller: Caller, input: LinkInput): Promise<Account | undefined> {
    const { id, connector, identifier, organization_id, user_id } = input;
    const { finder, connections } = this.#deps;
    if (id !== undefined)
      return finder.find(caller, { id, connection: connector, identifier, organization_id, user_id });
    if (identifier === undefined) return undefined;
    // A link creates what it does not find, so naming somebody else is refused and not only not found.
    requestedOwner(caller, input);
    const connection = await connections.byName(caller.environmentId, connector ?? '');
    return finder.findNamed(caller, connection, { identifier, organization_id, user_id });
  }

  async #created(caller: Caller, input: LinkInput, owner: Owner): Promise<Account> {
    const connection = await this.#deps.connections.byName(caller.environmentId, input.connector ?? '');
    const { connector, auth } = this.#deps.connections.connectorOf(connection);
    requireConnectable(connection, { connector, auth });
    const identifier = normalizeText(input.identifier ?? (owner.userId || owner.organizationId));
    const account = { connection, auth, owner, identifier, now: this.#deps.clock.now() };
    return findOrCreateAccount(this.#deps.db, account, caller.actor);
  }

  async #make(
    caller: Caller,
    row: Account,
    target: VerificationTarget & {
      state: string | null;
      scopes: readonly string[];
      tools?: readonly Tool[];
      requestedBy?: string | undefined;
    },
    { isGivenAgain = false, maxNew = MAX_NEW_LINKS } = {},
  ): Promise<{ link: string; expiry: string }> {
    if (row.owner.organizationId !== '') requireOrganizationScope(caller, 'write');
    const connection = await this.#connectionOf(row);
    requireConnectable(connection, this.#deps.connections.connectorOf(connection));
    const baseUrl = await this.#deps.baseUrl(caller.environmentId);
    const { db, vault, lifetimeMs } = this.#deps;
    const asking = namesOf(await this.#deps.callerName(caller), target.requestedBy);
    const token = newSecret();
    const now = this.#deps.clock.now();
    const id = newId('lnk', now);
    const link = {
      id,
      environment_id: row.environmentId,
      account_id: row.id,
      token_hash: hashSecret(token),
      verification: target.verification,
      user_verify_url: target.userVerifyUrl,
      caller_state: target.state,
      scopes: JSON.stringify([...target.scopes, ...scopesBeyond(connection, this.#deps, target.tools ?? [])]),
      created_by: caller.actor,
      created_at: now,
      expires_at: now + lifetimeMs,
      completed_at: null,
      ...asking,
      declined_at: null,
      trials: 0,
      token_sealed: isGivenAgain ? await vault.seal(tokenPlace(id), token) : null,
    };
    const open = await db.transaction(async (tx) => {
      const account = await new AccountStore(tx).find({ environmentId: row.environmentId }, row.id);
      if (account === undefined) throw accountNotFound();
      const links = new LinkStore(tx);
      const same = isGivenAgain ? await links.findToGiveAgain(link, now + GIVEN_AGAIN_MS) : undefined;
      if (same !== undefined) return same;
      requireFewLinks(await links.nthNewestSince(row, maxNew, now - HOUR_MS), { now, maxNew });
      await rows(tx, 'links').insert(link);
      return undefined;
    });
    const answer = (secret: string, expiresAt: number) => ({
      link: `${baseUrl}/connect/${secret}`,
      expiry: toTimestamp(expiresAt),
    });
    if (open === undefined) return answer(token, link.expires_at);
    try {
      return answer(await vault.open(tokenPlace(open.id), open.tokenSealed ?? ''), open.expiresAt);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      return this.#make(caller, row, target);
    }
  }

  async #consent(usable: UsableLink, isAsking: boolean): Promise<ConsentRequest> {
    const { link, row, connection, auth } = usable;
    const subject = consentSubject(usable, row.apiConfig);
    const step = consentStepOf(auth);
    const outline = step.outline(isAsking ? { ...subject, fill: asWritten } : subject);
    const ours = askedScopes(connection, outline, this.#deps, link.scopes);
    const located = isAsking ? undefined : await locatedConsent(step, subject, ours, this.#deps.services);
    const { address = outline.address, scopes = ours } = located ?? {};
    const isNamedThere = step.locate !== undefined && located === undefined;
    const tools = toolsOf(connection, this.#deps);
    return consentRequestOf(auth, { ...outline, address, isNamedThere }, scopes, tools);
  }

  async #connectionOf(row: Account): Promise<Connection> {
    const store = new ConnectionStore(this.#deps.db.read);
    const connection = await store.findById(row.environmentId, row.connection.id);
    if (connection === undefined) throw accountNotFound();
    return connection;
  }
}

function tokenPlace(row: string): SealedPlace {
  return { table: 'links', row, column: 'token_sealed' };
}
