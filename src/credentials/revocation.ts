/**
 * Revokes tokens at the provider when their account or their verification has ended here
 * (docs/contract.md#revocation-at-the-provider).
 *
 * Only where the connector says so, and never more than it says: `token` ends the tokens themselves, `grant`
 * everything the person has granted the app. After the local commit, with one short attempt: what is gone here
 * stays gone whatever the provider answers. Never throws.
 */
import type { AuthorizationDetails } from '../authorization-types/credentials.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { ErasedAccount, RevocationMode } from '../accounts/erasure.ts';
import { consentFiller, placeholderValues } from '../connections/placeholders.ts';
import type { SealedDetails } from '../accounts/sealed-details.ts';
import type { ErasedCredentials } from '../accounts/waiting-credentials.ts';
import type { OAuthRules } from '../catalog/model/types.ts';
import { ServiceError } from '../core/errors.ts';
import type { Log, LogFields } from '../core/log.ts';
import { AccountStore, type AccountRow } from '../store/accounts/account-store.ts';
import { AuthRequestStore } from '../store/accounts/auth-request-store.ts';
import type { AuthRequest } from '../store/accounts/auth-request.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import type { Vault } from '../vault/vault.ts';
import { oauthClientOf } from './oauth/oauth-client.ts';
import { TokenFailure, type OAuthClient, type TokenEndpoint } from './oauth/token-endpoint.ts';
import { systemTimers, type Timers } from '../core/timers.ts';
import { InFlight } from '../core/in-flight.ts';

/** For all tokens of one account together. */
const DEADLINE_MS = 5_000;

type OAuthToken = NonNullable<AuthorizationDetails['oauth_token']>;

interface RevocationDeps {
  db: Database;
  vault: Vault;
  sealed: SealedDetails;
  connections: ConnectionFinder;
  tokens: Pick<TokenEndpoint, 'revoke'>;
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

  /** How the provider of an account revokes; undefined also where the catalog no longer has its connector. */
  modeOf(row: AccountRow): RevocationMode {
    return this.#rulesOf(row)?.revocation;
  }

  /** Live and waiting credentials of an account that was disconnected or deleted. Resolves within the deadline. */
  async accountErased({ row, waiting, isGrantKept }: ErasedAccount): Promise<void> {
    const mode = this.modeOf(row);
    if (isGrantKept) this.#note('grant_kept', row);
    const work: Promise<void>[] = [];
    if (mode === 'token' && waiting !== undefined) {
      const tokens = async () => (await this.#deps.sealed.openWaiting(waiting)).oauth_token;
      work.push(this.#track(async () => this.#revoke(row, await tokens()), row));
    }
    if (mode === 'token' || (mode === 'grant' && !isGrantKept)) {
      const tokens = async () => (await this.#deps.sealed.open(row)).oauth_token;
      work.push(this.#track(async () => this.#revoke(row, await tokens()), row));
    }
    await Promise.all(work);
    this.#deps.sealed.forget(row.id);
  }

  waitingErased(request: AuthRequest): void {
    void this.#track(async () => {
      const reach = { environmentId: request.environmentId };
      const row = await new AccountStore(this.#deps.db.read).find(reach, request.accountId);
      if (row === undefined || this.modeOf(row) !== 'token') return;
      const { oauth_token: token } = await this.#deps.sealed.openWaiting(request);
      if (!(await this.#isInUse(row, token))) await this.#revoke(row, token);
    });
  }

  /** Tokens that came for an account that has been disconnected or deleted meanwhile. */
  tokensDiscarded(row: AccountRow, token: OAuthToken): void {
    if (this.modeOf(row) !== 'token') return;
    void this.#track(async () => {
      const reach = { environmentId: row.environment_id };
      const current = await new AccountStore(this.#deps.db.read).find(reach, row.id);
      if (current === undefined || !(await this.#isInUse(current, token))) await this.#revoke(row, token);
    }, row);
  }

  /** Resolves when what is being revoked is done, or `graceMs` are over. */
  async close(graceMs: number): Promise<void> {
    const waiting = new AbortController();
    const grace = this.#timers.sleep(graceMs, waiting.signal).catch(() => {});
    await Promise.race([this.settled(), grace]);
    waiting.abort();
  }

  /** Resolves when nothing is being revoked any more: within the deadline. */
  async settled(): Promise<void> {
    await this.#running.settled();
  }

  #rulesOf(row: AccountRow): OAuthRules | undefined {
    try {
      const { auth } = this.#deps.connections.connectorOf(row);
      return auth.type === 'OAUTH' ? auth.oauth : undefined;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /** Some providers give the same token again at each consent: one that is stored live or waits must stay. */
  async #isInUse(row: AccountRow, token: OAuthToken | undefined): Promise<boolean> {
    const { environment_id, id } = row;
    const waiting = await new AuthRequestStore(this.#deps.db.read).findOpenByAccount(environment_id, id);
    const stored = [
      await this.#deps.sealed.openIfReadable(row),
      waiting === undefined ? {} : await this.#deps.sealed.openWaiting(waiting),
    ];
    const used = stored.flatMap(({ oauth_token: own }) => [own?.access_token, own?.refresh_token]);
    return [token?.access_token, token?.refresh_token].some((text) => isText(text) && used.includes(text));
  }

  /** A refresh token first: most providers end the access tokens that came from it with it. */
  async #revoke(row: AccountRow, token: OAuthToken | undefined): Promise<void> {
    const client = await this.#clientOf(row, token?.domain);
    if (token === undefined || client === undefined) return;
    if (client.revocationUrl === undefined) return;
    const { refresh_token: refreshToken = '', access_token: accessToken = '' } = token;
    if (refreshToken !== '') await this.#deps.tokens.revoke(client, refreshToken, 'refresh_token');
    const isGrantGone = refreshToken !== '' && this.modeOf(row) === 'grant';
    if (accessToken !== '' && !isGrantGone)
      await this.#deps.tokens.revoke(client, accessToken, 'access_token');
    this.#note('revoked', row);
  }

  async #clientOf(row: AccountRow, domain: string | undefined): Promise<OAuthClient | undefined> {
    const rules = this.#rulesOf(row);
    const connection = await new ConnectionStore(this.#deps.db.read).findById(
      row.environment_id,
      row.connection_id,
    );
    if (rules === undefined || connection === undefined) return undefined;
    const { connector } = this.#deps.connections.connectorOf(row);
    const fill = consentFiller(rules, connector, placeholderValues(row, domain));
    return oauthClientOf(this.#deps.vault, connection, rules, fill);
  }

  async #track(work: () => Promise<void>, row?: AccountRow): Promise<void> {
    const waiting = new AbortController();
    const late = this.#timers.sleep(DEADLINE_MS, waiting.signal).then(
      () => {
        throw new TokenFailure('unknown', 'The provider did not revoke the tokens in time.');
      },
      () => {},
    );
    const attempt = Promise.race([work(), late]).catch((error: unknown) => this.#noteFailure(error, row));
    await this.#running.track(attempt.finally(() => waiting.abort()));
  }

  #noteFailure(error: unknown, row: AccountRow | undefined): void {
    if (error instanceof TokenFailure || error instanceof ServiceError) {
      const code = error instanceof TokenFailure ? error.kind : error.code;
      this.#deps.log.warn('tokens_not_revoked', { error_code: code, ...(row && placeOf(row)) });
      return;
    }
    this.#deps.log.error('tokens_not_revoked', { err: error, ...(row && placeOf(row)) });
  }

  #note(what: 'revoked' | 'grant_kept', row: AccountRow): void {
    this.#deps.log.info(`tokens_${what}`, placeOf(row));
  }
}

function isText(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}

function placeOf(row: AccountRow): LogFields {
  return {
    environment_id: row.environment_id,
    connected_account_id: row.id,
    connection_id: row.connection_id,
    connector: row.connector,
  };
}
