/** A provider's token endpoint as credentials need it, and how it fails. No HTTP here: see token-client.ts. */

/** A connection as a client of one token endpoint. */
export interface OAuthClient {
  tokenUrl: string;
  /** undefined: tokens cannot be revoked. */
  revocationUrl: string | undefined;
  /** The provider, for oauth4webapi; never fetched. */
  issuer: string;
  clientId: string;
  /** undefined: a public client. */
  clientSecret: string | undefined;
  /**
   * `private_key_jwt`: `clientSecret` is a private key in PEM form. `none`: nothing but the grant is sent, not even the
   * client id.
   */
  authentication: 'post' | 'basic' | 'private_key_jwt' | 'none';
  /** `kid` of assertions signed with that key. */
  keyId?: string | undefined;
  /** What an RSA key signs with; default RS256. */
  rsaAlgorithm?: 'RS256' | 'RS384';
  scopeSeparator: ' ' | ',';
  /** What the provider calls our scopes, where that differs. */
  scopeNames?: Readonly<Record<string, string>> | undefined;
  /** Members of a token reply to be kept beside those of OAuth. */
  replyContext?: readonly string[];
}

/** A provider's answer to a code or a refresh token, freed of the ways in which providers differ. */
export interface TokenReply {
  accessToken: string;
  /** undefined: none came, or an empty one; the one before stays good (RFC 6749 section 6). */
  refreshToken: string | undefined;
  /** Seconds from the receipt; undefined: not said or not readable. */
  expiresInSeconds: number | undefined;
  /** As granted; undefined: not said, so as asked for (RFC 6749 section 5.1). */
  scopes: string[] | undefined;
  /** Members of `replyContext` that came, as text; undefined: none. */
  context?: Readonly<Record<string, string>> | undefined;
}

/**
 * Why there is no token reply.
 *
 * - `invalid_grant`: code or refresh token is refused for good
 * - `client_refused`: the connection's client id, secret or registration is wrong (invalid_client, unauthorized_client, …)
 * - `refused`: another error the provider names, e.g. invalid_request, invalid_scope
 * - `not_sent`: the provider certainly has not seen the request
 * - `temporary`: answered 429 or 5xx
 * - `unknown`: sent, and no readable answer: the provider may have acted (reset, timeout, HTML, garbage)
 */
export type TokenFailureKind =
  'invalid_grant' | 'client_refused' | 'refused' | 'not_sent' | 'temporary' | 'unknown';

/** A failed token request. `message` is our own sentence; it never holds a token or a secret. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
  readonly kind: TokenFailureKind;
  /** HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** The provider's own `error` and `error_description`, capped and scrubbed; data, never our words. */
  readonly providerError: string | undefined;
  readonly providerDescription: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: TokenFailureKind,
    message: string,
    answer: {
      status?: number | undefined;
      error?: string | undefined;
      description?: string | undefined;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: answer.cause });
    this.kind = kind;
    this.status = answer.status;
    this.providerError = answer.error;
    this.providerDescription = answer.description;
    this.retryAfterMs = answer.retryAfterMs;
  }

  /** The same answer, judged otherwise by who knows more about the request. */
  as(kind: TokenFailureKind): TokenFailure {
    const { message, status, providerError: error, providerDescription: description, retryAfterMs } = this;
    return new TokenFailure(kind, message, { status, error, description, retryAfterMs, cause: this.cause });
  }
}

/** A provider's token and revocation endpoints. Each method sends one request at most and repeats nothing. */
export interface TokenEndpoint {
  /**
   * Exchanges an authorization code (RFC 6749 section 4.1.3).
   *
   * @param grant.verifier PKCE code verifier; undefined: none was announced
   * @throws TokenFailure
   */
  exchange(
    client: OAuthClient,
    grant: { code: string; redirectUri: string; verifier: string | undefined },
  ): Promise<TokenReply>;
  /**
   * Presents a refresh token (RFC 6749 section 6).
   *
   * @param options.timeoutMs for the whole request
   * @throws TokenFailure
   */
  refresh(client: OAuthClient, refreshToken: string, options: { timeoutMs: number }): Promise<TokenReply>;
  /**
   * Asks for an access token with a grant that spends nothing: client credentials (RFC 6749 section 4.4), an assertion
   * (RFC 7523 section 2.1).
   *
   * @param grant.parameters beside `grant_type`
   * @param grant.secrets among the parameters, never to be repeated in words
   * @throws TokenFailure
   */
  mint(
    client: OAuthClient,
    grant: { type: string; parameters: Readonly<Record<string, string>>; secrets: readonly string[] },
    options: { timeoutMs: number },
  ): Promise<TokenReply>;
  /**
   * Revokes a token (RFC 7009). A token the provider does not know counts as revoked.
   *
   * @throws TokenFailure
   */
  revoke(client: OAuthClient, token: string, hint: 'access_token' | 'refresh_token'): Promise<void>;
}
