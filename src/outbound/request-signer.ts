/** Signing of provider requests, for authorization types whose credential is not sent but proven. */

/** A request as it will be sent. */
export interface SignableRequest {
  method: string;
  /** With its query. The host header is its host. */
  url: URL;
  /** Without those that the HTTP client sets itself (host, content-length, user-agent, accept-encoding). */
  headers: Readonly<Record<string, string>>;
  /** The exact bytes; undefined: no body. */
  body: Uint8Array | undefined;
}

/**
 * Returns the headers that prove the credential; they replace headers of the same name. Called for each attempt, so
 * that time and nonce are fresh.
 */
export type RequestSigner = (
  request: SignableRequest,
) => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
