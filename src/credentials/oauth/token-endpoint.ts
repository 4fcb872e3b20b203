/** Interface of a provider's token endpoint, and the ways in which it fails. The HTTP is in token-client.ts. */

/** A connection as a client of one token endpoint. */
export interface OAuthClient {
  tokenUrl: string;
  /** `undefined` if tokens cannot be revoked. */
  revocationUrl: string | undefined;
  /** Issuer for oauth4webapi; never fetched. */
  issuer: string;
  clientId: string;
  /** `undefined` for a public client. */
  clientSecret: string | undefined;
  /**
   * `private_key_jwt`: `clientSecret` is a private key in PEM form. `none`: the request has only the grant, not even
   * the client id.
   */
  authentication: 'post' | 'basic' | 'private_key_jwt' | 'none';
  /** `kid` of assertions signed with that key. */
  keyId?: string | undefined;
  /** Signing algorithm of an RSA key; default RS256. */
  rsaAlgorithm?: 'RS256' | 'RS384';
  /** `json`: parameters are members of a JSON object instead of a form. */
  body?: 'json' | undefined;
  scopeSeparator: ' ' | ',';
  /** The provider's names of our scopes, if they differ. */
  scopeNames?: Readonly<Record<string, string>> | undefined;
  /** Sent with every request for tokens (RFC 8707), byte for byte. */
  resource?: string | undefined;
  /** Dotted paths of members of a token reply to keep in addition to those of OAuth. */
  replyContext?: readonly string[] | undefined;
}

/** A provider's answer to a code or a refresh token, in the same form for all providers. */
export interface TokenReply {
  accessToken: string;
  /** `undefined` if none or an empty one came; then the previous one stays valid (RFC 6749 section 6). */
  refreshToken: string | undefined;
  /** Seconds from the receipt; `undefined` if absent or unreadable. */
  expiresInSeconds: number | undefined;
  /** Granted scopes; `undefined` means as requested (RFC 6749 section 5.1). */
  scopes: string[] | undefined;
  /** Members of `replyContext` that came, as text by their paths; `undefined` if none did. */
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
  /** HTTP status; `undefined` if there was no answer. */
  readonly status: number | undefined;
  /** The provider's `error` and `error_description`, shortened and scrubbed; data, never part of our messages. */
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

  /** The same answer with another kind, for callers that know more about the request. */
  as(kind: TokenFailureKind): TokenFailure {
    const { message, status, providerError: error, providerDescription: description, retryAfterMs } = this;
    return new TokenFailure(kind, message, { status, error, description, retryAfterMs, cause: this.cause });
  }
}

/** A provider's token and revocation endpoints. Each method sends at most one request and retries nothing. */
export interface TokenEndpoint {
  /**
   * Exchanges an authorization code (RFC 6749 section 4.1.3).
   *
   * @param grant.verifier PKCE code verifier; `undefined` if the flow had no code challenge
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
   * Asks for an access token with a reusable grant: client credentials (RFC 6749 section 4.4) or an assertion (RFC 7523
   * section 2.1).
   *
   * @param grant.parameters in addition to `grant_type`
   * @param grant.secrets those parameters that messages must never repeat
   * @throws TokenFailure
   */
  mint(
    client: OAuthClient,
    grant: { type: string; parameters: Readonly<Record<string, string>>; secrets: readonly string[] },
    options: { timeoutMs: number },
  ): Promise<TokenReply>;
  /**
   * Revokes a token (RFC 7009). A token that the provider does not know counts as revoked.
   *
   * @throws TokenFailure
   */
  revoke(client: OAuthClient, token: string, hint: 'access_token' | 'refresh_token'): Promise<void>;
}
