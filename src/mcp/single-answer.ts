/**
 * Answers a 2025-era request with one JSON body, on node's own objects.
 *
 * Such a request is one message in and one message out: without a session and without a progress token,
 * nothing can be sent before the result. The SDK's HTTP transport spends a third of a call's time on it, in
 * web-standard requests, headers and streams. Every unusual request goes to that transport, which also has
 * the refusals. A call of a tool with nothing but a name and arguments does not even need the SDK's `Server`
 * (docs/decisions/0022).
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  isJsonContentType,
  isJSONRPCNotification,
  isJSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { plainAnswer, plainCall, type PlainCall } from './plain-call.ts';
import type { ToolAnswer } from './session.ts';

/**
 * The message of a request that can be answered this way; `undefined` for every other, well-formed or not.
 */
export function singleRequest({ headers }: IncomingMessage, body: unknown): JSONRPCRequest | undefined {
  if (!isJSONRPCRequest(body) || !areUsual(headers)) return undefined;
  const meta = body.params?._meta;
  if (meta === undefined) return body;
  if (meta.progressToken !== undefined) return undefined;
  return classifyInboundRequest({ httpMethod: 'POST', body }).kind === 'legacy' ? body : undefined;
}

/**
 * Whether the headers fit the protocol's rules for a 2025-era POST (streamable HTTP, "Sending messages to the
 * server").
 */
function areUsual(headers: IncomingHttpHeaders): boolean {
  const { accept = '' } = headers;
  const version = headers['mcp-protocol-version'];
  return (
    accept.includes('application/json') &&
    accept.includes('text/event-stream') &&
    isJsonContentType(headers['content-type']) &&
    (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)))
  );
}

/**
 * Whether a request is a 2025-era notification, such as the one that ends the handshake. No server is kept that it could
 * tell anything, so it is only accepted.
 */
export function isSingleNotification({ headers }: IncomingMessage, body: unknown): boolean {
  return isJSONRPCNotification(body) && areUsual(headers) && body.params?._meta === undefined;
}

/** Accepts a notification. */
export function acceptNotification(response: ServerResponse): void {
  response.writeHead(202).end();
}

/** The call that a request makes; `undefined` for every other request, well-formed or not. */
export function singleCall({ headers }: IncomingMessage, body: unknown): PlainCall | undefined {
  return areUsual(headers) ? plainCall(body) : undefined;
}

/**
 * Answers a plain call. Resolves when the answer is written, or when the client has disconnected, which ends the
 * running call.
 *
 * @param run throws a ProtocolError for what the client may see
 */
export async function answerPlainCall(
  { id }: PlainCall,
  run: (signal: AbortSignal) => Promise<ToolAnswer>,
  response: ServerResponse,
): Promise<void> {
  const abort = new AbortController();
  const gone = new Promise<undefined>((resolve) => {
    response.once('close', () => {
      if (response.writableFinished) return;
      abort.abort();
      resolve(undefined);
    });
  });
  const answer = await Promise.race([gone, plainAnswer(id, run(abort.signal))]);
  if (answer !== undefined) sendJson(response, answer);
}

/** Resolves when the answer is written, or when the client has disconnected, which ends the running call. */
export async function answerSingle(
  server: Server,
  message: JSONRPCRequest,
  response: ServerResponse,
): Promise<void> {
  const exchange = new SingleExchange();
  await server.connect(exchange);
  response.once('close', () => {
    // A server that has answered holds no resources; closing it would cost 5 % of a call.
    if (!response.writableFinished) void server.close();
  });
  const answer = await exchange.answerTo(message);
  if (answer !== undefined) sendJson(response, answer);
}

function sendJson(response: ServerResponse, answer: object): void {
  const text = JSON.stringify(answer);
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

/** One request and its answer. */
class SingleExchange implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #answer = Promise.withResolvers<JSONRPCMessage | undefined>();

  async start(): Promise<void> {}

  /** @returns `undefined` if the exchange is closed before there is an answer */
  answerTo(message: JSONRPCRequest): Promise<JSONRPCMessage | undefined> {
    this.onmessage?.(message);
    return this.#answer.promise;
  }

  /** Messages other than the answer cannot be sent to the client. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) this.#answer.resolve(message);
  }

  async close(): Promise<void> {
    this.#answer.resolve(undefined);
    this.onclose?.();
  }
}
