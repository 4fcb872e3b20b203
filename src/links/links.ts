/**
 * Connect links: made for one account, opened in a browser, completed once (docs/contract.md#making-a-link).
 *
 * Opening a link never uses it up, so a mail scanner or a preview cannot take it from its user. The token is
 * stored as a hash, and nothing here logs it.
 */
import { accountNotFound, requestedOwner, type AccountFinder } from '../accounts/account-finder.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { findOrCreateAccount } from '../accounts/new-account.ts';
import { asWritten } from '../connections/oauth-endpoints.ts';
import { normalizeText } from '../core/text-rules.ts';
import { PageFailure } from '../core/page-failure.ts';
import type { WaitingCredentials } from '../accounts/waiting-credentials.ts';
import type { Catalog, CredentialField } from '../catalog/model/types.ts';
import type { Caller } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { invalidArgument } from '../core/errors.ts';
import { hashSecret, newId, newSecret } from '../core/ids.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import { LinkStore } from '../store/accounts/link-store.ts';
import type { LinkCompletion } from './link-completion.ts';
import {
  InvalidForm,
  linkViolations,
  requireConnectable,
  requireOwnName,
  shownIdentifier,
  type LinkInput,
} from './link-rules.ts';
import { csrfMatches, csrfToken } from './csrf.ts';
import { connectForm, readCredentialForm } from './form-fields.ts';
import { askedScopes, consentRequestOf, type ConsentRequest } from './asked-scopes.ts';
import { consentStepOf, consentSubject } from './consent-subject.ts';
import { isByConsent } from '../authorization-types/index.ts';
import { usableLink, type UsableLink } from './usable-link.ts';
import { afterwardsOrigin, verificationTarget, type VerificationTarget } from './verification-target.ts';

/** Data of the connect page. */
export interface LinkPage {
  environmentName: string;
  connector: string;
  connectorTitle: string;
  connectorDescription: string;
  /** Name of the account, as its owner knows it. */
  identifier: string;
  /** Current status of the account. */
  status: string;
  fields: readonly CredentialField[];
  /** The request of the provider's consent page, after the form if there are fields; null if there is only a form. */
  consent: ConsentRequest | null;
  csrf: string;
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
}

interface LinksDeps {
  db: Database;
  clock: Clock;
  environments: Environments;
  finder: AccountFinder;
  connections: ConnectionFinder;
  catalog: Catalog;
  completion: LinkCompletion;
  waiting: WaitingCredentials;
  csrfKey: Buffer;
  lifetimeMs: number;
  baseUrl: (environmentId: string) => Promise<string>;
}

export class Links {
  readonly #deps: LinksDeps;

  /** @param deps.baseUrl public origin for links; a stdio process opens its listener here, at the first link */
  constructor(deps: LinksDeps) {
    this.#deps = deps;
  }

  /**
   * Finds or creates the account and makes a link for it.
   *
   * @throws ServiceError INVALID_ARGUMENT, CONNECTION_MISSING, RESOURCE_NOT_FOUND (an id that does not exist)
   */
  async create(caller: Caller, input: LinkInput): Promise<{ link: string; expiry: string }> {
    const violations = linkViolations(input);
    if (violations.length > 0) throw invalidArgument(violations);
    const environment = this.#deps.environments.get(caller.environmentId);
    const found = input.id === undefined ? undefined : await this.#account(caller, input);
    const owner = found === undefined ? requestedOwner(caller, input) : found.owner;
    const target = verificationTarget(environment, input.user_verify_url, { caller, owner });
    const state = input.state ?? null;
    const row = found ?? (await this.#account(caller, input));
    return this.#make(caller, row, { ...target, state, scopes: [] });
  }

  /**
   * Makes a link for an existing account. For prompts.
   *
   * @param options.scopes requested in addition to those of the connection, e.g. after the provider missed one
   * @throws ServiceError INVALID_ARGUMENT if no link can be made
   */
  async createFor(
    caller: Caller,
    row: Account,
    options: { scopes?: readonly string[] } = {},
  ): Promise<{ link: string; expiry: string }> {
    const environment = this.#deps.environments.get(caller.environmentId);
    const target = verificationTarget(environment, undefined, { caller, owner: row.owner });
    return this.#make(caller, row, { ...target, state: null, scopes: options.scopes ?? [] });
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
    const cookie = browser !== undefined && /^[A-Za-z0-9_-]{43}$/.test(browser) ? browser : newSecret();
    return {
      browser: cookie,
      page: {
        environmentName: this.#deps.environments.get(environmentId).name,
        connector: row.connection.name,
        connectorTitle: connector.title,
        connectorDescription: connector.description,
        identifier: await shownIdentifier(this.#deps.db.read, row),
        status: row.status,
        fields,
        consent: isByConsent(auth) ? this.#consent(usable, fields.length > 0) : null,
        csrf: csrfToken(this.#deps.csrfKey, link.id, cookie),
        expiresAt: link.expiresAt,
        submitOrigin: afterwardsOrigin(link, this.#deps.environments.get(environmentId).baseUrl),
      },
    };
  }

  /**
   * Accepts a submitted form: in mode `app` its credentials wait for verify, in mode `none` the account is connected.
   *
   * @returns null if the form belongs to a consent, which takes its values (`Consents.start`)
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
    if (!csrfMatches(this.#deps.csrfKey, link.id, browser, form.csrf)) throw new PageFailure('link', 'csrf');
    if (isByConsent(auth)) return null;
    const read = readCredentialForm(connectForm(usable, row.apiConfig), form);
    if ('violations' in read) throw new InvalidForm(read.violations);
    requireOwnName(usable, form);
    const redirectTo = await this.#deps.completion.complete(link, row, {
      details: read.details,
      expiresAt: null,
      apiConfig: read.apiConfig,
    });
    return { redirectTo, connectorTitle: connector.title };
  }

  async #account(caller: Caller, input: LinkInput): Promise<Account> {
    if (input.id !== undefined) {
      const { id, connector, identifier, organization_id, user_id } = input;
      return this.#deps.finder.find(caller, {
        id,
        connection: connector,
        identifier,
        organization_id,
        user_id,
      });
    }
    const owner = requestedOwner(caller, input);
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
    target: VerificationTarget & { state: string | null; scopes: readonly string[] },
  ): Promise<{ link: string; expiry: string }> {
    const connection = await this.#connectionOf(row);
    requireConnectable(connection, this.#deps.connections.connectorOf(connection));
    const baseUrl = await this.#deps.baseUrl(caller.environmentId);
    const token = newSecret();
    const now = this.#deps.clock.now();
    const link = {
      id: newId('lnk', now),
      environment_id: row.environmentId,
      account_id: row.id,
      token_hash: hashSecret(token),
      verification: target.verification,
      user_verify_url: target.userVerifyUrl,
      caller_state: target.state,
      scopes: JSON.stringify(target.scopes),
      created_by: caller.actor,
      created_at: now,
      expires_at: now + this.#deps.lifetimeMs,
      completed_at: null,
    };
    await this.#deps.db.transaction(async (tx) => {
      const account = await new AccountStore(tx).find({ environmentId: row.environmentId }, row.id);
      if (account === undefined) throw accountNotFound();
      await new LinkStore(tx).insert(link);
    });
    return { link: `${baseUrl}/connect/${token}`, expiry: toTimestamp(link.expires_at) };
  }

  #consent(usable: UsableLink, isAsking: boolean): ConsentRequest {
    const { link, row, connection, auth } = usable;
    const subject = consentSubject(usable, row.apiConfig);
    const outline = consentStepOf(auth).outline(isAsking ? { ...subject, fill: asWritten } : subject);
    const scopes = askedScopes(connection, outline, this.#deps.catalog.tools.values(), link.scopes);
    return consentRequestOf(auth, outline, scopes);
  }

  async #connectionOf(row: Account): Promise<Connection> {
    const store = new ConnectionStore(this.#deps.db.read);
    const connection = await store.findById(row.environmentId, row.connection.id);
    if (connection === undefined) throw accountNotFound();
    return connection;
  }
}
