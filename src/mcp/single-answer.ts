/**
 * A 2025-era request whose answer is one JSON body, on node's own objects.
 *
 * Such a request is one message in and one message out: without a session and without a progress token there is
 * nothing to send before the result. The SDK's HTTP transport takes a third of a call for it, in web-standard
 * requests, headers and streams. What is in any way unusual goes to that transport, which also has the refusals
 * (docs/decisions/0022).
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  isJsonContentType,
  isJSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server';

/** The message of a request that can be answered so; undefined for every other, well-formed or not. */
export function singleRequest({ headers }: IncomingMessage, body: unknown): JSONRPCRequest | undefined {
  if (!isJSONRPCRequest(body) || !areUsual(headers)) return undefined;
  const meta = body.params?._meta;
  if (meta === undefined) return body;
  if (meta.progressToken !== undefined) return undefined;
  return classifyInboundRequest({ httpMethod: 'POST', body }).kind === 'legacy' ? body : undefined;
}

/** What the protocol asks of the headers of a 2025-era POST (streamable HTTP, "Sending messages to the server"). */
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

/** Resolves when the answer is written, or when the client has gone, which ends the call in flight. */
export async function answerSingle(
  server: Server,
  message: JSONRPCRequest,
  response: ServerResponse,
): Promise<void> {
  const exchange = new SingleExchange();
  await server.connect(exchange);
  response.once('close', () => {
    // A server that has answered holds nothing, and is not worth 5 % of a call.
    if (!response.writableFinished) void server.close();
  });
  const answer = await exchange.answerTo(message);
  if (answer === undefined) return;
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

  /** @returns undefined when the exchange is closed before there is an answer */
  answerTo(message: JSONRPCRequest): Promise<JSONRPCMessage | undefined> {
    this.onmessage?.(message);
    return this.#answer.promise;
  }

  /** There is no way to tell the client anything but the answer. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) this.#answer.resolve(message);
  }

  async close(): Promise<void> {
    this.#answer.resolve(undefined);
    this.onclose?.();
  }
}
