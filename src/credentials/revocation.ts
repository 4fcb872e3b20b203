/**
 * Revokes tokens at the provider after their account or their verification has ended here
 * (docs/contract.md#revocation-at-the-provider).
 *
 * Revokes only as far as the connector declares: `token` ends the tokens themselves, `grant` everything that the user
 * has granted the app. Runs after the local commit, with one short attempt: the credentials stay erased here whatever
 * the provider answers. Never throws.
 */
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { ErasedAccount, RevocationMode } from '../accounts/erasure.ts';
import { consentFiller, placeholderValues } from '../connections/placeholders.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import type { ErasedCredentials } from '../accounts/waiting-credentials.ts';
import type { ConnectorAuth } from '../catalog/model/types.ts';
import { ServiceError } from '../core/errors.ts';
import type { Log, LogFields } from '../core/log.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import type { Vault } from '../vault/vault.ts';
import { oauthClientOf } from './oauth/oauth-client.ts';
import { TokenFailure, type OAuthClient, type TokenEndpoint } from './oauth/token-endpoint.ts';
import { mcpClientOf } from './schemes/mcp-oauth.ts';
import type { SchemeServices } from './schemes/renewal.ts';
import { systemTimers, type Timers } from '../core/timers.ts';
import { InFlight } from '../core/in-flight.ts';

/** Limit for all tokens of one account together. */
const DEADLINE_MS = 5_000;

type OAuthToken = NonNullable<AuthorizationDetails['oauth_token']>;

interface RevocationDeps {
  db: Database;
  vault: Vault;
  sealed: SealedDetails;
  connections: ConnectionFinder;
  tokens: Pick<TokenEndpoint, 'revoke'>;
  mcp: SchemeServices['mcp'];
  log: Log;
  timers?: Timers;
}

export class Revocation implements ErasedCredentials {
  readonly #deps: RevocationDeps;
  readonly #timers: Timers;
  readonly #running = new InFlight();

  constructor(deps: RevocationDeps) {
    this.#deps = deps;
    this.#timers = deps.timers ?? systemTimers;
  }

  /** The revocation rules of an account's provider; `undefined` also if the catalog no longer has its connector. */
  modeOf(account: Account): RevocationMode {
    const auth = this.#authOf(account);
    if (auth?.type === 'OAUTH') return auth.oauth.revocation;
    return auth?.type === 'MCP_OAUTH' ? auth.mcp_oauth.revocation : undefined;
  }

  /** Revokes live and waiting credentials of a disconnected or deleted account. Resolves within the deadline. */
  async accountErased({ account, waiting, isGrantKept }: ErasedAccount): Promise<void> {
    const mode = this.modeOf(account);
    if (isGrantKept) this.#note('grant_kept', account);
    const work: Promise<void>[] = [];
    if (mode === 'token' && waiting !== undefined) {
      const details = async () => this.#deps.sealed.openWaiting(waiting);
      work.push(this.#track(async () => this.#revoke(account, await details()), account));
    }
    if (mode === 'token' || (mode === 'grant' && !isGrantKept)) {
      const details = async () => this.#deps.sealed.open(account);
      work.push(this.#track(async () => this.#revoke(account, await details()), account));
    }
    await Promise.all(work);
    this.#deps.sealed.forget(account.id);
  }

  waitingErased(request: AuthRequest): void {
    void this.#track(async () => {
      const reach = { environmentId: request.environmentId };
      const account = await new AccountStore(this.#deps.db.read).find(reach, request.accountId);
      if (account === undefined || this.modeOf(account) !== 'token') return;
      const details = await this.#deps.sealed.openWaiting(request);
      if (!(await this.#isInUse(account, details.oauth_token))) await this.#revoke(account, details);
    });
  }

  /** Revokes tokens that arrived after their account was disconnected or deleted. */
  tokensDiscarded(account: Account, details: AuthorizationDetails): void {
    if (this.modeOf(account) !== 'token') return;
    void this.#track(async () => {
      const reach = { environmentId: account.environmentId };
      const current = await new AccountStore(this.#deps.db.read).find(reach, account.id);
      if (current === undefined || !(await this.#isInUse(current, details.oauth_token)))
        await this.#revoke(account, details);
    }, account);
  }

  /** Resolves when the running revocations are done or `graceMs` have passed. */
  async close(graceMs: number): Promise<void> {
    const waiting = new AbortController();
    const grace = this.#timers.sleep(graceMs, waiting.signal).catch(() => {});
    await Promise.race([this.settled(), grace]);
    waiting.abort();
  }

  /** Resolves when no revocation is running, within the deadline. */
  async settled(): Promise<void> {
    await this.#running.settled();
  }

  #authOf(account: Account): ConnectorAuth | undefined {
    try {
      return this.#deps.connections.connectorOf(account.connection).auth;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /** Some providers return the same token at each consent: one that is stored, live or waiting, must stay valid. */
  async #isInUse(account: Account, token: OAuthToken | undefined): Promise<boolean> {
    const { environmentId, id } = account;
    const waiting = await new AuthRequestStore(this.#deps.db.read).findOpenByAccount(environmentId, id);
    const stored = [
      await this.#deps.sealed.openIfReadable(account),
      waiting === undefined ? {} : await this.#deps.sealed.openWaiting(waiting),
    ];
    const used = stored.flatMap(({ oauth_token: own }) => [own?.access_token, own?.refresh_token]);
    return [token?.access_token, token?.refresh_token].some((text) => isText(text) && used.includes(text));
  }

  /** Revokes a refresh token first: most providers end its access tokens with it. */
  async #revoke(account: Account, details: AuthorizationDetails): Promise<void> {
    const { oauth_token: token } = details;
    const client = await this.#clientOf(account, details);
    if (token === undefined || client === undefined) return;
    if (client.revocationUrl === undefined) return;
    const { refresh_token: refreshToken = '', access_token: accessToken = '' } = token;
    if (refreshToken !== '') await this.#deps.tokens.revoke(client, refreshToken, 'refresh_token');
    const isGrantGone = refreshToken !== '' && this.modeOf(account) === 'grant';
    if (accessToken !== '' && !isGrantGone)
      await this.#deps.tokens.revoke(client, accessToken, 'access_token');
    this.#note('revoked', account);
  }

  async #clientOf(
    account: Account,
    { oauth_token: token, internal }: AuthorizationDetails,
  ): Promise<OAuthClient | undefined> {
    const auth = this.#authOf(account);
    const connection = await new ConnectionStore(this.#deps.db.read).findById(
      account.environmentId,
      account.connection.id,
    );
    if (auth === undefined || connection === undefined) return undefined;
    if (auth.type === 'MCP_OAUTH')
      return internal?.grant === undefined ? undefined : mcpClientOf(connection, internal.grant, this.#deps);
    if (auth.type !== 'OAUTH') return undefined;
    const { oauth: rules } = auth;
    const { connector } = this.#deps.connections.connectorOf(account.connection);
    const fill = consentFiller(rules, connector, placeholderValues(account, token?.domain));
    return oauthClientOf(this.#deps.vault, connection, rules, fill);
  }

  async #track(work: () => Promise<void>, account?: Account): Promise<void> {
    const waiting = new AbortController();
    const late = this.#timers.sleep(DEADLINE_MS, waiting.signal).then(
      () => {
        throw new TokenFailure('unknown', 'The provider did not revoke the tokens in time.');
      },
      () => {},
    );
    const attempt = Promise.race([work(), late]).catch((error: unknown) => this.#noteFailure(error, account));
    await this.#running.track(attempt.finally(() => waiting.abort()));
  }

  #noteFailure(error: unknown, account: Account | undefined): void {
    if (error instanceof TokenFailure || error instanceof ServiceError) {
      const code = error instanceof TokenFailure ? error.kind : error.code;
      this.#deps.log.warn('tokens_not_revoked', { error_code: code, ...(account && placeOf(account)) });
      return;
    }
    this.#deps.log.error('tokens_not_revoked', { err: error, ...(account && placeOf(account)) });
  }

  #note(what: 'revoked' | 'grant_kept', account: Account): void {
    this.#deps.log.info(`tokens_${what}`, placeOf(account));
  }
}

function isText(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}

function placeOf(account: Account): LogFields {
  return {
    environment_id: account.environmentId,
    connected_account_id: account.id,
    connection_id: account.connection.id,
    connector: account.connection.connector,
  };
}
