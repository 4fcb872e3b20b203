/** Signs provider requests, for authorization types whose credential is proven instead of sent. */

/** A request as it will be sent. */
export interface SignableRequest {
  method: string;
  /** Includes the query. The host header is its host. */
  url: URL;
  /**
   * All headers except those that the HTTP client sets itself (host, content-length, user-agent,
   * accept-encoding).
   */
  headers: Readonly<Record<string, string>>;
  /** The exact bytes; `undefined` means no body. */
  body: Uint8Array | undefined;
}

/**
 * Returns the headers that prove the credential; they replace headers of the same name. Called for each attempt, so
 * that time and nonce are fresh.
 */
export type RequestSigner = (
  request: SignableRequest,
) => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
