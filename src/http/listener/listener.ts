/**
 * The one HTTP server of a process, shared by REST, MCP, the authorization server and the pages.
 *
 * Sets limits, chooses the environment by Host, refuses foreign origins and starts or continues the trace. Then it
 * passes node's own objects to the first matching route. It knows no routes itself. It listens before it serves,
 * because with port 0 the base URL is only known then.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceError } from '../../core/errors.ts';
import { InFlight } from '../../core/in-flight.ts';
import type { Log } from '../../core/log.ts';
import { sharedTurn } from '../../core/shared-turn.ts';
import { beginRequest, type Span } from '../../core/telemetry/spans.ts';
import { answerBrokenRequests } from './broken-request.ts';
import { errorAnswer, methodNotAllowedAnswer, sendAnswer } from './error-response.ts';
import { HostGuard, OriginGuard } from './guards.ts';
import { INBOUND_LIMITS, type InboundLimits } from './limits.ts';
import { createServer } from './node-http.ts';
import { OpenConnections } from './open-connections.ts';
import { onlyHost, requestPath, requireFewHeaders, requireSmallBody } from './request-checks.ts';
import { isLocalPeer, type NodeRoute, type RequestContext, type Serving } from './request-context.ts';
import { continueTrace, traceOf } from './trace-context.ts';
import { Visitors, type RequestInfo } from './request-visitor.ts';

/** One finished request, for metrics. */
export interface RequestSummary {
  method: string;
  route: string;
  status: number;
  durationMs: number;
}

export interface ListenerOptions {
  host: string;
  /** Port to listen on; 0 picks a free one. */
  port: number;
  limits?: Partial<InboundLimits>;
  /** Sources of the visitor's address, region and city in addition to the connection. */
  requestInfo?: RequestInfo | undefined;
  log: Log;
  /** Whether each request is logged. Default: true. */
  logRequests?: boolean;
  /** Called once per request, after the answer is sent or the client has disconnected. */
  onRequest?(summary: RequestSummary): void;
}

/** Routes that load balancers and monitoring ask every few seconds: logged at `debug` only. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Half a second less than the 10 s of docs/contract.md#12-operation, to record the requests that were cut. */
const SOFT_STOP_MS = 9_500;
const HARD_STOP_MS = 15_000;

/** Longest wait for a request that is still arriving when the server stops. */
const ARRIVAL_MS = 500;

/** A year, for this host alone: what other names of the domain serve is unknown here (RFC 6797 section 6.1). */
const KEEP_TO_HTTPS = 'max-age=31536000';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

interface Guards {
  hosts: HostGuard;
  origins: OriginGuard;
  routes: readonly NodeRoute[];
}

/** An HTTP server that can bind before it knows its routes, and that finishes running requests when it stops. */
export class Listener {
  readonly #server: Server;
  readonly #options: ListenerOptions;
  readonly #limits: InboundLimits;
  readonly #visitors: Visitors;
  readonly #running = new InFlight();
  readonly #connections: OpenConnections;
  #serving: Serving | undefined;
  #guards: Guards | undefined;
  #isDraining = false;
  #lastDropAt = Number.NEGATIVE_INFINITY;

  constructor(options: ListenerOptions) {
    const limits = { ...INBOUND_LIMITS, ...options.limits };
    this.#options = options;
    this.#limits = limits;
    this.#visitors = new Visitors(options.requestInfo);
    this.#server = createServer(
      {
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        keepAliveTimeout: limits.keepAliveTimeoutMs,
        maxHeaderSize: limits.maxHeaderBytes,
        connectionsCheckingInterval: Math.max(100, Math.round(limits.headersTimeoutMs / 10)),
      },
      (request, response) => this.#accept(request, response),
    );
    this.#server.maxHeadersCount = 0;
    this.#server.maxConnections = limits.maxConnections;
    this.#server.on('drop', () => this.#noteDrop());
    this.#connections = new OpenConnections(this.#server);
    answerBrokenRequests(this.#server);
  }

  /**
   * Binds, unless it is bound already. Requests are answered with 503 until `serve`.
   *
   * @returns the actual port, which differs from the requested one if that was 0
   * @throws Error of node (`EADDRINUSE`, `EACCES`) unchanged, because the command knows what to advise
   */
  async listen(): Promise<{ port: number }> {
    const server = this.#server;
    if (server.listening) return { port: this.#port() };
    const listening = once(server, 'listening');
    server.listen({ port: this.#options.port, host: this.#options.host });
    await listening;
    server.on('error', (err) => this.#options.log.error('listener_failed', { err }));
    this.#guard();
    return { port: this.#port() };
  }

  /** Starts to answer, or replaces the current routes. */
  serve(serving: Serving): void {
    this.#serving = serving;
    this.#guard();
  }

  /**
   * Stops: refuses new connections, closes idle ones and lets running requests finish. Does not wait for clients that
   * have not sent complete headers by then.
   *
   * After `softMs` it cuts connections, which cancels what their handlers wait for; handlers may then still store
   * results until `hardMs`.
   */
  async close({
    softMs = SOFT_STOP_MS,
    hardMs = HARD_STOP_MS,
  }: { softMs?: number; hardMs?: number } = {}): Promise<void> {
    const startedAt = performance.now();
    this.#isDraining = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    this.#connections.announceEnd();
    await withDeadline(closed, Math.min(ARRIVAL_MS, softMs));
    this.#connections.closeUnused();
    await withDeadline(closed, Math.max(0, softMs - (performance.now() - startedAt)));
    this.#server.closeAllConnections();
    await withDeadline(this.#running.settled(), Math.max(0, hardMs - (performance.now() - startedAt)));
  }

  #guard(): void {
    if (this.#serving === undefined || !this.#server.listening) return;
    const loopbackPort = LOOPBACK.has(this.#options.host) ? this.#port() : undefined;
    const { environments, anyAddress, wrongHost } = this.#serving;
    this.#guards = {
      hosts: new HostGuard(environments, loopbackPort, anyAddress, wrongHost),
      origins: new OriginGuard(loopbackPort),
      routes: this.#serving.routes,
    };
  }

  #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #accept(request: IncomingMessage, response: ServerResponse): void {
    const { traceparent } = request.headers;
    const span = beginRequest(typeof traceparent === 'string' ? traceparent : undefined);
    const answer = async (): Promise<void> => this.#answer(request, response, span);
    void this.#running.track(span === undefined ? answer() : span.run(answer));
  }

  async #answer(request: IncomingMessage, response: ServerResponse, span: Span | undefined): Promise<void> {
    const startedAt = performance.now();
    const trace = span === undefined ? continueTrace(request.headers.traceparent) : traceOf(span.traceparent);
    const state: { context?: RequestContext; route?: NodeRoute; span?: Span } = { ...(span && { span }) };
    response.once('close', () => this.#finish(request, response, startedAt, trace.traceId, state));
    response.setHeader('traceparent', trace.traceparent);
    response.setHeader('x-content-type-options', 'nosniff');
    if (this.#isDraining) response.setHeader('connection', 'close');
    await sharedTurn();
    // The client has left, and nothing has been done for it.
    if (request.destroyed || request.socket.destroyed) return;
    try {
      const { hosts, origins, routes } = this.#ready();
      const path = requestPath(request);
      requireFewHeaders(request, this.#limits);
      const environment = hosts.environmentOf(onlyHost(request), path);
      if (environment.baseUrl.startsWith('https://'))
        response.setHeader('strict-transport-security', KEEP_TO_HTTPS);
      origins.check(request.headers.origin, environment);
      if (!METHODS.includes(request.method ?? '')) {
        sendAnswer(response, methodNotAllowedAnswer(METHODS));
        return;
      }
      const route = routes.find((candidate) => candidate.matches(path));
      if (route === undefined)
        throw new ServiceError('RESOURCE_NOT_FOUND', 'There is nothing at this address.');
      state.route = route;
      const visitor = this.#visitors.visitorOf(request);
      state.context = {
        environment,
        trace,
        visitor,
        ip: visitor.ip,
        get isLocalPeer() {
          return isLocalPeer(request, visitor);
        },
        route: route.name,
      };
      requireSmallBody(request, route.maxBodyBytes ?? this.#limits.maxBodyBytes);
      await route.handle(request, response, state.context);
    } catch (error) {
      const { context, route } = state;
      const failed = {
        authorization: request.headers.authorization,
        resourceMetadata: context && route?.resourceMetadata?.(context.environment, requestPath(request)),
        scope: route?.scope,
        traceId: trace.traceId,
        route: context?.route,
        errorForm: route?.errorForm,
        isPeerGone: request.socket.destroyed,
      };
      sendAnswer(response, errorAnswer(error, failed, this.#options.log));
    }
  }

  #ready(): Guards {
    if (this.#guards !== undefined) return this.#guards;
    throw new ServiceError('UNAVAILABLE', 'The server is starting. Try again in a moment.', {
      retryAfterSeconds: 1,
    });
  }

  /** Logs refused connections at most once every 10 s, so that a flood does not fill the log. */
  #noteDrop(): void {
    const now = performance.now();
    if (now - this.#lastDropAt < 10_000) return;
    this.#lastDropAt = now;
    this.#options.log.warn('connections_refused', { count: this.#limits.maxConnections });
  }

  #finish(
    request: IncomingMessage,
    response: ServerResponse,
    startedAt: number,
    traceId: string,
    { context, span }: { context?: RequestContext; span?: Span },
  ): void {
    if (this.#isDraining) this.#server.closeIdleConnections();
    const method = METHODS.includes(request.method ?? '') ? (request.method ?? '') : 'OTHER';
    const summary = {
      method,
      route: context?.route ?? 'refused',
      status: response.headersSent ? response.statusCode : 499,
      durationMs: performance.now() - startedAt,
    };
    this.#options.onRequest?.(summary);
    span?.end(...spanFacts(summary));
    if (this.#options.logRequests === false || context?.isCall === true) return;
    const level = PROBES.has(summary.route) ? 'debug' : 'info';
    this.#options.log[level]('request', {
      ...(context?.actor !== undefined && { actor: context.actor }),
      method,
      route: summary.route,
      status: summary.status,
      duration_ms: Math.round(summary.durationMs),
      trace_id: traceId,
      ...(context !== undefined && { environment_id: context.environment.id }),
    });
  }
}

function spanFacts({ method, route, status }: RequestSummary): Parameters<Span['end']> {
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
  };
  return status >= 500 ? [attributes, String(status)] : [attributes];
}

async function withDeadline(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timer);
}
