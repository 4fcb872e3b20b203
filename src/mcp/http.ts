/**
 * MCP over streamable HTTP: handles requests to `/mcp` and to the addresses of virtual servers after their
 * caller is known.
 *
 * The listener has already checked host, Origin, token, audience and scope. Nothing is kept between requests:
 * each one gets its own server object, or needs none.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { ServerSelection } from '../catalog/model/server-selection.ts';
import type { Caller } from '../core/caller.ts';
import { ServiceError } from '../core/errors.ts';
import { InFlight } from '../core/in-flight.ts';
import { readMessageBody } from './message-body.ts';
import { MISSING_OWNER, withOwner } from './owner-headers.ts';
import { answerCall, makeServer } from './server.ts';
import type { McpServices, McpSession } from './session.ts';
import {
  acceptNotification,
  answerPlainCall,
  answerSingle,
  isSingleNotification,
  singleCall,
  singleRequest,
} from './single-answer.ts';
import type { ToolPublisher } from './published-tools.ts';

/**
 * Maximum open `subscriptions/listen` streams; only `serve --watch` ever sends notifications, so few are
 * needed.
 */
const MAX_SUBSCRIPTIONS = 256;

/** The only headers the protocol layer reads; the token is not passed on. */
const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Facts about a request from the listener. */
export interface McpRequest {
  /** A caller with the scope `tools:execute`. Without an owner, the headers name one. */
  caller: Caller;
  /** The virtual server addressed; absent for `/mcp` itself. */
  server?: ServerSelection;
  /** W3C trace context, passed on to providers. */
  traceparent?: string;
  /** Called before the executor gets a call, which it logs. */
  onCall?: () => void;
}

/** The `/mcp` endpoint. */
export class McpHttp {
  readonly #parts: McpServices;
  readonly #publisher: ToolPublisher;
  readonly #maxBodyBytes: number;
  readonly #handler: McpHttpHandler;
  readonly #running = new InFlight();
  #isClosing = false;

  constructor(parts: McpServices, options: { publisher: ToolPublisher; maxBodyBytes: number }) {
    this.#parts = parts;
    this.#publisher = options.publisher;
    this.#maxBodyBytes = options.maxBodyBytes;
    this.#handler = createMcpHandler(
      ({ era, authInfo }) => makeServer(parts, authInfo?.extra?.session as McpSession, era),
      {
        maxSubscriptions: MAX_SUBSCRIPTIONS,
        onerror: (error) => parts.log.debug('mcp_request_refused', { err: error }),
      },
    );
  }

  /**
   * Answers one request.
   *
   * @throws ServiceError before anything is written, so that the listener answers: INVALID_ARGUMENT for the
   * query, the owner headers or a body nested too deeply, PERMISSION_DENIED for a foreign owner, TOO_LARGE,
   * UNAVAILABLE while closing
   */
  async handle(request: IncomingMessage, response: ServerResponse, known: McpRequest): Promise<void> {
    const session = this.#sessionOf(request, known);
    const body = request.method === 'POST' ? await readMessageBody(request, this.#maxBodyBytes) : undefined;
    if (response.destroyed) return;
    if (this.#isClosing) {
      throw new ServiceError('UNAVAILABLE', 'The server is stopping. Try again in a moment.', {
        retryAfterSeconds: 1,
      });
    }
    const answer = await this.#running.track(this.#answerMessage(request, response, body, session));
    if (answer !== undefined) await send(answer, response);
  }

  /** Notifies subscribed clients that the list of tools has changed. */
  toolsChanged(): void {
    this.#handler.notify.toolsChanged();
  }

  /** Lets running calls finish while the listener keeps their connections; then ends open streams. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#running.settled();
    await this.#handler.close();
  }

  /** @returns the SDK's answer, which is still to be sent; `undefined` if it is sent already */
  async #answerMessage(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    session: McpSession,
  ): Promise<Response | undefined> {
    const parts = this.#parts;
    // The conformance tests' tools need the SDK's context of a call.
    const call = parts.extraTools === undefined ? singleCall(request, body) : undefined;
    if (call !== undefined) {
      const run = (signal: AbortSignal) => answerCall({ parts, session, signal }, call.params);
      await answerPlainCall(call, run, response);
      return undefined;
    }
    if (isSingleNotification(request, body)) {
      acceptNotification(response);
      return undefined;
    }
    const single = singleRequest(request, body);
    if (single === undefined) return this.#answer(request, response, body, session);
    await answerSingle(makeServer(parts, session, 'legacy'), single, response);
    return undefined;
  }

  /** Passes the request to the SDK. */
  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    session: McpSession,
  ): Promise<Response> {
    const abort = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) abort.abort();
    });
    const { caller } = session;
    return this.#handler.fetch(webRequest(request, abort.signal), {
      authInfo: { token: '', clientId: caller.actor, scopes: [...caller.scopes], extra: { session } },
      ...(body !== undefined && { parsedBody: body }),
    });
  }

  #sessionOf(request: IncomingMessage, known: McpRequest): McpSession {
    const target = request.url ?? '';
    const queryStart = target.indexOf('?');
    const caller = withOwner(known.caller, request.headers);
    const publisher = this.#publisher.in(caller.environmentId);
    const { server, traceparent, onCall } = known;
    const query = queryStart < 0 ? '' : target.slice(queryStart + 1);
    return {
      caller,
      ...(server === undefined
        ? { publishedTools: publisher.forQuery(query) }
        : { publishedTools: publisher.forServer(server, query), connections: server.connections }),
      listDependsOnCaller: caller.owner !== undefined,
      ...(caller.owner === undefined && { missingOwner: MISSING_OWNER }),
      ...(traceparent !== undefined && { traceparent }),
      ...(onCall !== undefined && { onCall }),
    };
  }
}

/** The request without its body, which has already been read. */
function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers: [string, string][] = [];
  for (const name of PROTOCOL_HEADERS) {
    const value = textHeader(request.headers, name);
    if (value !== undefined) headers.push([name, value]);
  }
  return new Request('http://localhost/mcp', { method: request.method ?? 'GET', headers, signal });
}

function textHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Sends JSON in one piece, and an event stream as it arrives. */
async function send(answer: Response, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(answer.headers);
  if (answer.body === null || !headers['content-type']?.startsWith('text/event-stream')) {
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { ...headers, 'content-length': body.length }).end(body);
    return;
  }
  response.writeHead(answer.status, headers);
  try {
    await pipeline(Readable.fromWeb(answer.body), response);
  } catch {
    // The client disconnected in the middle of the stream, so nobody is left to answer.
  }
}
