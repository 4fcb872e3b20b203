/** The listener's knowledge about a request before a handler sees it, and the type of handlers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../../core/environment.ts';
import type { Visitor } from '../../core/caller.ts';
import type { TraceContext } from './trace-context.ts';
import { peerAddress } from './request-visitor.ts';

export interface RequestContext {
  /** Chosen by Host; the first one for `/healthz` and `/readyz` under an unknown Host. */
  readonly environment: Environment;
  readonly trace: TraceContext;
  /** The sender of the request, for interceptors. */
  readonly visitor: Visitor;
  /** The visitor's address, for the audit log. */
  readonly ip: string;
  /** The client runs on this machine and forwards for nobody else, as far as its headers say. */
  readonly isLocalPeer: boolean;
  /** Route pattern for logs and metrics, set by the handler that knows it. */
  route: string;
  /** The sender of the request, for the log: `cred_…`, `usr_…` or `ses_…`. Set by the handler that authenticates. */
  actor?: string;
  /** The request calls a tool or the proxy. The executor logs that, so the request gets no line of its own. */
  isCall?: boolean;
}

/** Answers a request on node's own objects: there is no framework between the socket and the handler. */
export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
) => Promise<void> | void;

/** The handler for some paths, and its limits. */
export interface NodeRoute {
  /** Label in logs and metrics until the handler sets a pattern, e.g. `/mcp`. */
  name: string;
  /** @param path as sent, without query, not decoded */
  matches(path: string): boolean;
  handle: NodeHandler;
  /** Largest announced body. Default: the listener's limit. */
  maxBodyBytes?: number;
  /** URL of the protected-resource metadata that a 401 of this route names (RFC 9728). */
  resourceMetadata?(environment: Environment, path: string): string;
  /** Scope that every call needs; a 401 names it. */
  scope?: string;
  /** Form of errors before the handler of this route is reached. Default: that of the REST API. */
  errorForm?: 'oauth';
}

/** The environments and routes of a server. */
export interface Serving {
  environments: readonly Environment[];
  /** Whether every IP address as Host means the first environment, for a listener on all interfaces. */
  anyAddress?: boolean;
  /** What a request with a Host that no environment has is told. Default: to use the base URL. */
  wrongHost?: string;
  /** The first match wins; the last route should match everything. */
  routes: readonly NodeRoute[];
}

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/;
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether the request comes from this machine itself and not through a proxy on it. */
export function isLocalPeer(request: IncomingMessage, visitor: Visitor): boolean {
  return (
    [peerAddress(request), visitor.ip].every((address) => LOOPBACK.test(address)) &&
    FORWARDED.every((name) => request.headers[name] === undefined)
  );
}
