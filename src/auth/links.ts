/**
 * Connect links: made for one account, opened in a browser, completed once (contract section 6).
 *
 * Opening never spends a link, so a mail scanner or a preview cannot take it from its owner. The token is
 * stored as a hash, and nothing here logs it.
 */
import { accountNotFound, requestedOwner, type AccountFinder } from '../accounts/account-finder.ts';
import type { ConnectionFinder } from '../accounts/connection-finder.ts';
import { endExpiredVerifications } from '../accounts/expiry.ts';
import { findOrCreateAccount } from '../accounts/new-account.ts';
import { normalizeText, ownerViolations, textViolations } from '../accounts/text-rules.ts';
import type { Connector, ConnectorAuth, CredentialField } from '../catalog/types.ts';
import type { Caller } from '../core/caller.ts';
import { toTimestamp, type Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import { invalidArgument, invalidField, ServiceError } from '../core/errors.ts';
import { hashSecret, newId, newSecret } from '../core/ids.ts';
import { AccountStore, type AccountRow } from '../store/account-store.ts';
import type { Database } from '../store/database.ts';
import { LinkStore, type LinkRow } from '../store/link-store.ts';
import type { Completion } from './completion.ts';
import { csrfMatches, csrfToken } from './csrf.ts';
import { connectForm, readForm } from './form-fields.ts';
import { InvalidForm, LinkProblem } from './link-problem.ts';
import { isSupported } from './schemes/index.ts';
import { verificationTarget } from './verification-target.ts';

/** Body of POST …/magic_link (specification 4.7). */
export interface LinkInput {
  id?: string | undefined;
  connector?: string | undefined;
  identifier?: string | undefined;
  organization_id?: string | undefined;
  user_id?: string | undefined;
  state?: string | undefined;
  user_verify_url?: string | undefined;
}

/** What a person is told before going on to the provider. */
export interface ConsentRequest {
  /** Host of the provider's consent page. */
  providerHost: string;
  /** Each scope with what it allows, in words ('' where the catalog has none). */
  scopes: readonly { name: string; meaning: string }[];
  /** The provider grants what is ticked in the registered app, whatever is listed here. */
  isChosenByApp: boolean;
}

/** What the connect page shows. */
export interface LinkPage {
  environmentName: string;
  connector: string;
  connectorTitle: string;
  connectorDescription: string;
  identifier: string;
  /** Status of the account now. */
  status: string;
  fields: readonly CredentialField[];
  /** What the provider's consent page will be asked for; null: the page has a form instead. */
  consent: ConsentRequest | null;
  csrf: string;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Origin that the answer to the POST redirects to; null: our own page. */
  submitOrigin: string | null;
}

/** Where a completed form leads. */
export interface Submitted {
  /** The customer's app with auth_request_id and state; null: the account is connected. */
  redirectTo: string | null;
  connectorTitle: string;
}

export class Links {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #environments: Environments;
  readonly #finder: AccountFinder;
  readonly #connections: ConnectionFinder;
  readonly #completion: Completion;
  readonly #csrfKey: Buffer;
  readonly #lifetimeMs: number;
  readonly #baseUrl: (environmentId: string) => Promise<string>;

  /** @param deps.baseUrl public origin for links; a stdio process opens its listener here, at the first link */
  constructor(deps: {
    db: Database;
    clock: Clock;
    environments: Environments;
    finder: AccountFinder;
    connections: ConnectionFinder;
    completion: Completion;
    csrfKey: Buffer;
    lifetimeMs: number;
    baseUrl: (environmentId: string) => Promise<string>;
  }) {
    this.#db = deps.db;
    this.#clock = deps.clock;
    this.#environments = deps.environments;
    this.#finder = deps.finder;
    this.#connections = deps.connections;
    this.#completion = deps.completion;
    this.#csrfKey = deps.csrfKey;
    this.#lifetimeMs = deps.lifetimeMs;
    this.#baseUrl = deps.baseUrl;
  }

  /**
   * Finds or creates the account and makes a link for it.
   *
   * @throws ServiceError INVALID_ARGUMENT, CONNECTION_MISSING, RESOURCE_NOT_FOUND (an id that does not exist)
   */
  async create(caller: Caller, input: LinkInput): Promise<{ link: string; expiry: string }> {
    const { connector, identifier, organization_id, user_id, state, user_verify_url } = input;
    const violations = [
      ...textViolations({ connector, identifier, organization_id, user_id, state, user_verify_url }),
      ...ownerViolations({ organization_id, user_id }),
    ];
    if (input.id === undefined && connector === undefined) {
      violations.push({
        field: 'connector',
        description: 'Give connector, or the id of an account.',
        constraint: 'required',
      });
    }
    if (input.id === undefined && (identifier ?? user_id ?? organization_id) === undefined) {
      violations.push({
        field: 'identifier',
        description: 'Give identifier, user_id or organization_id: a link is for one account.',
        constraint: 'required',
      });
    }
    if (violations.length > 0) throw invalidArgument(violations);
    const target = verificationTarget(this.#environments.get(caller.environmentId), user_verify_url);
    return this.#make(caller, await this.#account(caller, input), { ...target, state: state ?? null });
  }

  /** A link for an account that is there. For prompts. @throws ServiceError INVALID_ARGUMENT where none can be made */
  async createFor(caller: Caller, row: AccountRow): Promise<{ link: string; expiry: string }> {
    const target = verificationTarget(this.#environments.get(caller.environmentId), undefined);
    return this.#make(caller, row, { ...target, state: null });
  }

  /**
   * What the page shows; spends nothing.
   *
   * @param browser value of the browser's cookie; a new one is made where it is missing or malformed
   * @throws LinkProblem
   */
  async open(
    environmentId: string,
    token: string,
    browser: string | undefined,
  ): Promise<{ page: LinkPage; browser: string }> {
    const { link, row, connector, auth } = await this.#usable(environmentId, token);
    const cookie = browser !== undefined && /^[A-Za-z0-9_-]{43}$/.test(browser) ? browser : newSecret();
    return {
      browser: cookie,
      page: {
        environmentName: this.#environments.get(environmentId).name,
        connector: row.connection_name,
        connectorTitle: connector.title,
        connectorDescription: connector.description,
        identifier: row.identifier,
        status: row.status,
        fields: connectForm(connector, auth, row).fields,
        consent: null,
        csrf: csrfToken(this.#csrfKey, link.id, cookie),
        expiresAt: link.expires_at,
        submitOrigin: link.user_verify_url === null ? null : new URL(link.user_verify_url).origin,
      },
    };
  }

  /**
   * Takes a submitted form: in mode `app` its credentials wait for verify, in mode `none` the account is connected.
   *
   * @throws LinkProblem; InvalidForm to show the form again
   */
  async submit(
    environmentId: string,
    token: string,
    browser: string | undefined,
    form: Readonly<Record<string, string>>,
  ): Promise<Submitted> {
    const { link, row, connector, auth } = await this.#usable(environmentId, token);
    if (!csrfMatches(this.#csrfKey, link.id, browser, form.csrf)) throw new LinkProblem('csrf');
    const read = readForm(connectForm(connector, auth, row), form);
    if ('violations' in read) throw new InvalidForm(read.violations);
    const redirectTo = await this.#completion.complete(link, row, {
      details: read.details,
      expiresAt: null,
      apiConfig: read.apiConfig,
    });
    return { redirectTo, connectorTitle: connector.title };
  }

  async #account(caller: Caller, input: LinkInput): Promise<AccountRow> {
    if (input.id !== undefined) {
      const { id, connector, identifier, organization_id, user_id } = input;
      return this.#finder.find(caller, { id, connector, identifier, organization_id, user_id });
    }
    const owner = requestedOwner(caller, input);
    const connection = await this.#connections.byName(caller.environmentId, input.connector ?? '');
    const auth = this.#requireConnectable(connection);
    const identifier = normalizeText(input.identifier ?? (owner.userId || owner.organizationId));
    const account = { connection, auth, owner, identifier, now: this.#clock.now() };
    return findOrCreateAccount(this.#db, account, caller.actor);
  }

  async #make(
    caller: Caller,
    row: AccountRow,
    target: { verification: string; userVerifyUrl: string | null; state: string | null },
  ): Promise<{ link: string; expiry: string }> {
    this.#requireConnectable({ ...row, connector: row.provider });
    const baseUrl = await this.#baseUrl(caller.environmentId);
    const token = newSecret();
    const now = this.#clock.now();
    const link: LinkRow = {
      id: newId('lnk', now),
      environment_id: row.environment_id,
      account_id: row.id,
      token_hash: hashSecret(token),
      verification: target.verification,
      user_verify_url: target.userVerifyUrl,
      caller_state: target.state,
      scopes: '[]',
      created_by: caller.actor,
      created_at: now,
      expires_at: now + this.#lifetimeMs,
      completed_at: null,
    };
    await this.#db.transaction(async (tx) => {
      const account = await new AccountStore(tx).find({ environmentId: row.environment_id }, row.id);
      if (account === undefined) throw accountNotFound();
      await new LinkStore(tx).insert(link);
    });
    return { link: `${baseUrl}/connect/${token}`, expiry: toTimestamp(link.expires_at) };
  }

  #requireConnectable(connection: { connector: string; authorization_type: string }): ConnectorAuth {
    const { connector, auth } = this.#connections.connectorOf(connection);
    if (isSupported(auth.type)) return auth;
    throw invalidField(
      'connector',
      `Accounts of ${connector.title} (${auth.type}) cannot be connected with this version of Gatehouse.`,
      'authorization_type',
    );
  }

  async #usable(
    environmentId: string,
    token: string,
  ): Promise<{ link: LinkRow; row: AccountRow; connector: Connector; auth: ConnectorAuth }> {
    const link = await new LinkStore(this.#db.read).findByToken(environmentId, hashSecret(token));
    if (link === undefined) throw new LinkProblem('unknown');
    if (link.completed_at !== null) throw new LinkProblem('used');
    if (link.expires_at <= this.#clock.now()) throw new LinkProblem('expired');
    await endExpiredVerifications(this.#db, this.#clock);
    const row = await new AccountStore(this.#db.read).find({ environmentId }, link.account_id);
    if (row === undefined) throw new LinkProblem('unknown');
    try {
      return { link, row, ...this.#connections.connectorOf({ ...row, connector: row.provider }) };
    } catch (cause) {
      if (cause instanceof ServiceError) throw new LinkProblem('unknown');
      throw cause;
    }
  }
}
