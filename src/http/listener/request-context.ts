/** What the listener knows about a request before any handler sees it, and what a handler is. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../../core/environment.ts';
import type { Visitor } from '../../core/caller.ts';
import type { TraceContext } from './trace-context.ts';
import { peerAddress } from './request-visitor.ts';

export interface RequestContext {
  /** By Host; for `/healthz` and `/readyz` under an unknown Host the first one. */
  readonly environment: Environment;
  readonly trace: TraceContext;
  /** Who sends it, for interceptors. */
  readonly visitor: Visitor;
  /** The visitor's address, for the audit log. */
  readonly ip: string;
  /** The peer is this machine and says nothing about forwarding for somebody else. */
  readonly isLocalPeer: boolean;
  /** Route pattern for logs and metrics; the handler that knows it sets it. */
  route: string;
}

/** Answers a request on node's own objects: no framework between the socket and the handler. */
export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
) => Promise<void> | void;

/** Where requests of some paths go. */
export interface NodeRoute {
  /** Label in logs and metrics until the handler sets a pattern, e.g. `/mcp`. */
  name: string;
  /** @param path as sent, without query, not decoded */
  matches(path: string): boolean;
  handle: NodeHandler;
  /** Largest announced body; default: the listener's limit. */
  maxBodyBytes?: number;
  /** URL of the protected-resource metadata that a 401 of this route names (RFC 9728). */
  resourceMetadata?(environment: Environment, path: string): string;
  /** Scope that every call needs; a 401 names it. */
  scope?: string;
  /** How refusals of this route are written before its handler is reached; default: as the REST API does. */
  errorForm?: 'oauth';
}

/** Who answers. */
export interface Serving {
  environments: readonly Environment[];
  /** First match wins; the last one should match everything. */
  routes: readonly NodeRoute[];
}

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/;
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether the request comes from this machine itself and not from a proxy on it. */
export function isLocalPeer(request: IncomingMessage, visitor: Visitor): boolean {
  return (
    [peerAddress(request), visitor.ip].every((address) => LOOPBACK.test(address)) &&
    FORWARDED.every((name) => request.headers[name] === undefined)
  );
}
