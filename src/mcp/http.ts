/**
 * MCP over streamable HTTP: what `/mcp` and the addresses of virtual servers do once their caller is known.
 *
 * Host, Origin, token, audience and scope are the listener's business and have been checked. Nothing is kept
 * between requests: each gets a server object of its own.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Caller } from '../core/caller.ts';
import { ServiceError } from '../core/errors.ts';
import { readMessageBody } from './message-body.ts';
import { MISSING_OWNER, withOwner } from './owner-headers.ts';
import type { ServerSelection } from './selection.ts';
import { makeServer } from './server.ts';
import type { McpServices, McpSession } from './session.ts';
import { answerSingle, singleRequest } from './single-answer.ts';
import type { ToolPublisher } from './published-tools.ts';

/** Open `subscriptions/listen` streams; only `serve --watch` ever notifies, so nobody needs many. */
const MAX_SUBSCRIPTIONS = 256;

/** The only headers the protocol layer reads; the token stays out of it. */
const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** What the listener knows of a request. */
export interface McpRequest {
  /** Has the scope `tools:execute`. Without an owner, the headers name one. */
  caller: Caller;
  /** The virtual server that is asked; absent: `/mcp` itself. */
  server?: ServerSelection;
  /** W3C trace context to hand on to providers. */
  traceparent?: string;
}

/** The `/mcp` endpoint. */
export class McpHttp {
  readonly #parts: McpServices;
  readonly #surfaces: ToolPublisher;
  readonly #maxBodyBytes: number;
  readonly #handler: McpHttpHandler;
  readonly #running = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(parts: McpServices, options: { surfaces: ToolPublisher; maxBodyBytes: number }) {
    this.#parts = parts;
    this.#surfaces = options.surfaces;
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
   * @throws ServiceError before anything is written, for the listener to answer: INVALID_ARGUMENT for the
   *   query, the owner headers or a body nested too deeply, PERMISSION_DENIED for a foreign owner, TOO_LARGE,
   *   UNAVAILABLE while closing
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
    const single = singleRequest(request, body);
    const answering =
      single === undefined
        ? this.#answer(request, response, body, session)
        : answerSingle(makeServer(this.#parts, session, 'legacy'), single, response);
    this.#running.add(answering);
    const answer = await answering.finally(() => this.#running.delete(answering));
    if (answer !== undefined) await send(answer, response);
  }

  /** Tells whoever listens that the list of tools is another. */
  toolsChanged(): void {
    this.#handler.notify.toolsChanged();
  }

  /** Lets calls in flight finish, for as long as the listener keeps their connections; then ends open streams. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#running);
    await this.#handler.close();
  }

  /** Leaves everything to the SDK. */
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
    const { server, traceparent } = known;
    const query = queryStart < 0 ? '' : target.slice(queryStart + 1);
    return {
      caller,
      ...(server === undefined
        ? { surface: this.#surfaces.forQuery(query) }
        : { surface: this.#surfaces.forServer(server, query), connections: server.connections }),
      listDependsOnCaller: caller.owner !== undefined,
      ...(caller.owner === undefined && { missingOwner: MISSING_OWNER }),
      ...(traceparent !== undefined && { traceparent }),
    };
  }
}

/** The request without its body, which has been read already. */
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

/** JSON in one piece, an event stream as it comes. */
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
    // The client went away in the middle of the stream; there is nobody left to answer.
  }
}
