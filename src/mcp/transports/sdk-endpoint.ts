/**
 * The requests to `/mcp` that need the SDK: every one but the plain ones. Nothing is kept between requests: each one gets
 * its own server object.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { McpServices, McpSession } from '../session.ts';
import { acceptNotification } from './plain-exchange.ts';
import { makeServer } from './server.ts';
import { answerSingle, isSingleNotification, singleRequest } from './single-answer.ts';

/**
 * Maximum open `subscriptions/listen` streams; only `serve --watch` ever sends notifications, so few are
 * needed.
 */
const MAX_SUBSCRIPTIONS = 256;

/** The only headers the protocol layer reads; the token is not passed on. */
const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** The SDK's part of the endpoint. */
export class SdkEndpoint {
  readonly #parts: McpServices;
  readonly #handler: McpHttpHandler;

  constructor(parts: McpServices) {
    this.#parts = parts;
    this.#handler = createMcpHandler(
      ({ era, authInfo }) => makeServer(parts, authInfo?.extra?.session as McpSession, era),
      {
        maxSubscriptions: MAX_SUBSCRIPTIONS,
        onerror: (error) => parts.log.debug('mcp_request_refused', { err: error }),
      },
    );
  }

  /** Notifies subscribed clients that the list of tools has changed. */
  toolsChanged(): void {
    this.#handler.notify.toolsChanged();
  }

  /** Ends open streams. */
  async close(): Promise<void> {
    await this.#handler.close();
  }

  /** @returns a function that sends the rest of the answer, if there is a rest */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    session: McpSession,
  ): Promise<(() => Promise<void>) | undefined> {
    if (isSingleNotification(request, body)) {
      acceptNotification(response);
      return undefined;
    }
    const single = singleRequest(request, body);
    if (single === undefined) {
      const answer = await this.#pass(request, response, body, session);
      return async () => send(answer, response);
    }
    await answerSingle(makeServer(this.#parts, session, 'legacy'), single, response);
    return undefined;
  }

  /** Passes the request to the SDK. */
  async #pass(
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
