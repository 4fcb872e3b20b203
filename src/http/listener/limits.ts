/** Limits on how much of the listener one client may use (docs/security.md#greedy-peers). */

/** Limits of the listener. Settings change three of them, from `inbound` (docs/contract.md#limits-and-lifetimes). */
export interface InboundLimits {
  maxBodyBytes: number;
  maxConnections: number;
  /** Time to send all headers. */
  headersTimeoutMs: number;
  /** Time to send the whole request. */
  requestTimeoutMs: number;
  /** Time a connection may stay open between requests. */
  keepAliveTimeoutMs: number;
  maxHeaders: number;
  /** Of request line and headers together. */
  maxHeaderBytes: number;
}

/** 1 MB bodies, 2,048 sockets, 15 s for headers, 30 s for a request, 65 s between requests. */
export const INBOUND_LIMITS: InboundLimits = {
  maxBodyBytes: 1_000_000,
  maxConnections: 2_048,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  maxHeaders: 100,
  maxHeaderBytes: 16_384,
};

/** Largest body of a proxied request. Above the usual limit, because files are uploaded that way. */
export const MAX_PROXY_BODY_BYTES = 10_000_000;

/** Largest total of all bodies of proxied requests in progress; requests beyond it have to retry. */
export const MAX_PROXY_BODIES_BYTES = 100_000_000;
