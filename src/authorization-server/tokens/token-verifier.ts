/**
 * Verifies our own access tokens: signature, issuer, audience, times, and revocation.
 *
 * A known token costs a map look-up. Its revocation, its credential or session, and the rights of its user
 * are checked every 4 s, so that every process refuses it within 5 s (docs/contract.md#access-tokens). The bearer only
 * authenticates here; it is never passed on (docs/security.md#token-audience).
 */
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { SCOPES, type Caller, type Scope } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../store/engine/database.ts';
import { hasOperatorRights } from '../../people/operator-rights.ts';
import { noteUse } from '../../store/tokens/credential-store.ts';
import { TokenHolderStore } from '../../store/tokens/token-holder-store.ts';
import type { SigningKeys } from './signing-keys.ts';
import { callerOfHolder, holderOf, isOfSession, type TokenHolder } from './token-holder.ts';

/** Time for which the result of a database check of a token is reused, in milliseconds. */
const RECHECK_AFTER_MS = 4_000;

/** The use of a credential is noted at most once in this time. */
const NOTED_EVERY_MS = 60_000;

/** Tolerated clock difference between machines of one installation, for `nbf` only, never for `exp`. */
const CLOCK_SKEW_SECONDS = 30;

/** Most tokens remembered, about 1.5 kB each. */
const REMEMBERED_TOKENS = 2_000;

/** Longer texts cannot be our tokens and get no signature check. */
const MAX_TOKEN_LENGTH = 16_384;

/** The meaning of an access token. */
export interface VerifiedToken {
  environmentId: string;
  /** `cred_…`, the claim `gid`; for a person's token `ses_…`. */
  credentialId: string;
  clientId: string;
  /** The person of a session's token; absent for a machine's. */
  holder?: TokenHolder;
  scopes: ReadonlySet<string>;
  /** The claim `oid`; '' for a credential without an organization. */
  organizationId: string;
  audience: readonly string[];
  /** Unix milliseconds. */
  expiresAt: number;
  /** The claim `jti`. */
  tokenId: string;
}

/** A token whose signature was checked. */
interface KnownToken {
  token: VerifiedToken;
  /** The claim `sub`. */
  subject: string;
  /** Time of the last database check, Unix milliseconds. */
  checkedAt: number;
  /** The running check, shared by all callers with the same token. */
  checking: Promise<boolean> | undefined;
}

interface TokenVerifierDeps {
  environments: Environments;
  keys: SigningKeys;
  database: Database;
  clock: Clock;
  log: Log;
  rememberedTokens?: number;
}

export class TokenVerifier {
  readonly #deps: TokenVerifierDeps;
  readonly #holders: TokenHolderStore;
  readonly #rememberedTokens: number;
  /** By token, in order of use, oldest first. */
  readonly #known = new Map<string, KnownToken>();

  /** @param deps.rememberedTokens most tokens remembered; the least recently used is dropped first. Default 2,000 */
  constructor(deps: TokenVerifierDeps) {
    this.#deps = deps;
    this.#holders = new TokenHolderStore(deps.database.read);
    this.#rememberedTokens = deps.rememberedTokens ?? REMEMBERED_TOKENS;
  }

  /**
   * Checks a bearer token of a request.
   *
   * @param audiences the token must be for one of these, e.g. the base URL and `{base_url}/mcp`
   * @throws ServiceError UNAUTHENTICATED naming the fault; UNAVAILABLE if the database fails
   * @see RFC 9068 section 4
   */
  async verify(
    environmentId: string,
    token: string,
    { audiences }: { audiences: readonly string[] },
  ): Promise<VerifiedToken> {
    const remembered = this.#known.get(token);
    // The issuer of a token is the address of one environment, so another one refuses it.
    const known =
      remembered?.token.environmentId === environmentId
        ? remembered
        : newlyKnown(environmentId, await this.#read(environmentId, token));
    this.#remember(token, known);
    if (this.#deps.clock.now() >= known.token.expiresAt) {
      this.#known.delete(token);
      throw refused('The access token has expired. Get a new one from the token endpoint.');
    }
    if (!(await this.#isLive(known))) {
      this.#known.delete(token);
      throw refused(
        isOfSession(known.token.credentialId)
          ? 'The access token was revoked, or its session has ended. Sign in again.'
          : 'The access token was revoked, or its credential was deleted. Get a new one.',
      );
    }
    if (!known.token.audience.some((audience) => audiences.includes(audience))) {
      // Only a machine's token without resource is for every address.
      const others = isOfSession(known.token.credentialId) ? '' : 'without resource, or ';
      throw refused(
        `The access token is for ${known.token.audience.join(' and ')}, not for this address. ` +
          `Ask for a token ${others}with the resource ${audiences.at(-1) ?? ''}.`,
      );
    }
    return known.token;
  }

  /**
   * The current state of a token, for introspection and revocation: uses no cache and checks no audience.
   *
   * @returns `undefined` for everything that is not a live token of this environment
   */
  async inspect(
    environmentId: string,
    token: string,
  ): Promise<{ token: VerifiedToken; claims: JWTPayload } | undefined> {
    try {
      const claims = await this.#read(environmentId, token);
      const known = newlyKnown(environmentId, claims);
      if (this.#deps.clock.now() >= known.token.expiresAt) return undefined;
      const verified = await this.#kept(known);
      return verified && { token: verified, claims };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'UNAUTHENTICATED') return undefined;
      throw error;
    }
  }

  /** Drops a token from the cache, so that its revocation takes effect in this process at once. */
  forget(tokenId: string): void {
    for (const [text, { token }] of this.#known) if (token.tokenId === tokenId) this.#known.delete(text);
  }

  /** The claims of an unexpired token of this environment with a valid signature. */
  async #read(environmentId: string, token: string): Promise<JWTPayload> {
    if (token.length > MAX_TOKEN_LENGTH) throw notOurs();
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = await this.#deps.keys.publicKey(environmentId, kid ?? '');
          if (key === undefined) throw notOurs();
          return key;
        },
        {
          algorithms: ['RS256'],
          typ: 'at+jwt',
          issuer: this.#deps.environments.get(environmentId).baseUrl,
          clockTolerance: CLOCK_SKEW_SECONDS,
          currentDate: new Date(this.#deps.clock.now()),
          requiredClaims: ['aud', 'exp', 'jti', 'sub', 'client_id', 'gid'],
        },
      );
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        throw refused('The access token has expired. Get a new one from the token endpoint.');
      }
      if (error instanceof errors.JOSEError) throw notOurs(error);
      throw error;
    }
  }

  async #isLive(known: KnownToken): Promise<boolean> {
    const now = this.#deps.clock.now();
    if (now >= known.checkedAt && now - known.checkedAt < RECHECK_AFTER_MS) return true;
    known.checking ??= this.#check(known, now);
    return known.checking;
  }

  async #check(known: KnownToken, now: number): Promise<boolean> {
    try {
      const token = await this.#kept(known);
      if (token === undefined) return false;
      known.token = token;
      known.checkedAt = now;
      return true;
    } finally {
      known.checking = undefined;
    }
  }

  /** The token as the database knows it now; `undefined` if it is revoked, or its credential or session is gone. */
  async #kept({ token, subject }: KnownToken): Promise<VerifiedToken | undefined> {
    const { environmentId, credentialId, tokenId } = token;
    if (isOfSession(credentialId)) return this.#held(token, subject);
    const credential = await this.#holders.findCredential(environmentId, credentialId, tokenId);
    if (credential === undefined) return undefined;
    this.#noteUse(environmentId, credentialId, credential.last_used_at ?? 0);
    return token;
  }

  /** Writes at most once a minute for a credential. Nobody waits for it, and a failure fails no request. */
  #noteUse(environmentId: string, id: string, lastUsedAt: number): void {
    const { clock, database, log } = this.#deps;
    const now = clock.now();
    const notedBefore = now - NOTED_EVERY_MS;
    if (lastUsedAt > notedBefore) return;
    database
      .transaction(async (tx) => noteUse(tx, { environmentId, id }, { now, notedBefore }))
      .catch((err: unknown) =>
        log.warn('credential_use_not_noted', { environment_id: environmentId, actor: id, err }),
      );
  }

  async #held(token: VerifiedToken, subject: string): Promise<VerifiedToken | undefined> {
    const { environmentId, credentialId: sessionId, tokenId } = token;
    const row = await this.#holders.find(environmentId, sessionId, tokenId);
    const holder = holderOf({ ...token, sessionId, subject }, row, this.#deps.clock.now());
    if (row === undefined || holder === undefined) return undefined;
    const { isOperator } = holder;
    const rights = { isOperator, connectionDetails: row.connection_details };
    const has = await hasOperatorRights(this.#deps.database.read, environmentId, rights);
    return { ...token, holder: { ...holder, isOperator: has } };
  }

  #remember(token: string, known: KnownToken): void {
    this.#known.delete(token);
    this.#known.set(token, known);
    if (this.#known.size <= this.#rememberedTokens) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

/** The caller that a verified token stands for. Scopes of others (an interceptor may add some) are left out. */
export function toCaller(token: VerifiedToken, source: Caller['source'], ip: string): Caller {
  if (token.holder !== undefined) return callerOfHolder(token.holder, token, source, ip);
  return {
    kind: 'machine',
    environmentId: token.environmentId,
    actor: token.credentialId,
    scopes: new Set<Scope>(SCOPES.filter((scope) => token.scopes.has(scope))),
    source,
    clientId: token.clientId,
    ...(token.organizationId === '' ? {} : { boundOrganizationId: token.organizationId }),
    ip,
  };
}

function newlyKnown(environmentId: string, claims: JWTPayload): KnownToken {
  const token = toVerified(environmentId, claims);
  return { token, subject: claims.sub ?? '', checkedAt: 0, checking: undefined };
}

function toVerified(environmentId: string, claims: JWTPayload): VerifiedToken {
  return {
    environmentId,
    credentialId: String(claims['gid']),
    clientId: String(claims['client_id']),
    scopes: new Set(typeof claims['scope'] === 'string' ? claims['scope'].split(' ') : []),
    organizationId: typeof claims['oid'] === 'string' ? claims['oid'] : '',
    audience: [claims.aud ?? []].flat(),
    expiresAt: (claims.exp ?? 0) * 1000,
    tokenId: claims.jti ?? '',
  };
}

function notOurs(cause?: unknown): ServiceError {
  return refused('This is not an access token of this server. Get one from the token endpoint.', cause);
}

function refused(message: string, cause?: unknown): ServiceError {
  return new ServiceError('UNAUTHENTICATED', message, { cause });
}
