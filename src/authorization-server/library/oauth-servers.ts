/**
 * The authorization servers of a process: one per environment, opened with the first request and after a key
 * change.
 */
import type { Clock } from '../../core/clock.ts';
import type { Environment } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../store/engine/database.ts';
import type { RateLimiter } from '../../store/records/rate-limiter.ts';
import type { Vault } from '../../vault/vault.ts';
import type { BeforeMachineToken } from '../tokens/machine-tokens.ts';
import type { Sessions } from '../../people/sessions.ts';
import type { PersonTokens } from '../tokens/person-tokens.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import type { OAuthServer } from './oauth-server.ts';
import { networkOf } from '../../people/sign-in/network.ts';
import { OAuthRecords } from './oauth-records.ts';
import { documentFetch, type DocumentSender } from '../protocol/client-documents.ts';
import { CodeExchange } from './code-exchange.ts';
import type { ProblemPage } from './people-configuration.ts';
import { RefreshTokens } from '../tokens/refresh-tokens.ts';

/** Documents that may be fetched per minute for requests from one address. */
const DOCUMENTS_PER_MINUTE = 20;

export interface ProvidersOptions {
  database: Database;
  vault: Pick<Vault, 'seal' | 'open' | 'derive'>;
  keys: SigningKeys;
  sessions: Sessions;
  tokens: PersonTokens;
  /** Fetches documents and keys of clients if only this computer can name them (`isLocalOnly`). */
  http: DocumentSender;
  /** Used if anyone can name them: reaches only public addresses, whatever the operator allows for other calls. */
  publicHttp: DocumentSender;
  rateLimiter: RateLimiter;
  clock: Clock;
  log: Log;
  /** Lifetime of access tokens; whole seconds, at least one. */
  tokenMs: number;
  beforeMachineToken?: BeforeMachineToken | undefined;
  /** Loads the renderer of the error page. */
  problemPage: () => Promise<ProblemPage>;
}

export class OAuthServers {
  readonly artifacts: OAuthRecords;
  readonly refreshTokens: RefreshTokens;
  readonly #codes: CodeExchange;
  readonly #options: ProvidersOptions;
  /** By environment id; one issuer per provider. */
  readonly #opened = new Map<string, { kid: string; provider: Promise<OAuthServer> }>();

  constructor(options: ProvidersOptions) {
    this.#options = options;
    this.artifacts = new OAuthRecords(options);
    this.refreshTokens = new RefreshTokens(options);
    this.#codes = new CodeExchange({ ...options, artifacts: this.artifacts });
  }

  /** Opens it once; the next request repeats a failed attempt. */
  async of(environment: Environment): Promise<OAuthServer> {
    const signingJwk = await this.#options.keys.signingJwk(environment.id);
    const opened = this.#opened.get(environment.id);
    if (opened?.kid === signingJwk.kid) return opened.provider;
    const { vault, http, publicHttp, rateLimiter, problemPage, ...options } = this.#options;
    const load = async (): Promise<OAuthServer> => {
      const [{ openOAuthServer }, page] = await Promise.all([import('./oauth-server.ts'), problemPage()]);
      return openOAuthServer({
        ...options,
        problemPage: page,
        environment,
        signingJwk,
        artifacts: this.artifacts,
        codes: this.#codes,
        refreshTokens: this.refreshTokens,
        cookieKey: vault.derive('oauth-cookies').toString('base64url'),
        fetch: documentFetch(environment.isLocalOnly ? http : publicHttp),
        mayFetchDocument: async (ip) => {
          const key = `${environment.id}:client-documents:${networkOf(ip)}`;
          return (await rateLimiter.take(key, DOCUMENTS_PER_MINUTE)) === undefined;
        },
      });
    };
    const provider = load();
    this.#opened.set(environment.id, { kid: signingJwk.kid, provider });
    provider.catch(() => this.#opened.delete(environment.id));
    return provider;
  }
}
