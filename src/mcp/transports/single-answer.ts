/**
 * Answers a 2025-era request by the SDK's `Server` with one JSON body, on node's own objects.
 *
 * Such a request is one message in and one message out: without a session and without a progress token, nothing can
 * be sent before the result. The SDK's HTTP transport spends a third of a call's time on it, in web-standard
 * requests, headers and streams. Every unusual request goes to that transport, which also has the refusals
 * (docs/decisions/0022-single-answers.md).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { havePlainForm, sendJson } from './plain-exchange.ts';

/**
 * The message of a request that can be answered this way; `undefined` for every other, well-formed or not.
 */
export function singleRequest({ headers }: IncomingMessage, body: unknown): JSONRPCRequest | undefined {
  if (!isJSONRPCRequest(body) || !havePlainForm(headers)) return undefined;
  const meta = body.params?._meta;
  if (meta === undefined) return body;
  if (meta.progressToken !== undefined) return undefined;
  return classifyInboundRequest({ httpMethod: 'POST', body }).kind === 'legacy' ? body : undefined;
}

/**
 * Whether a request is a 2025-era notification, such as the one that ends the handshake. It is only accepted,
 * because no server object is kept that could process it.
 */
export function isSingleNotification({ headers }: IncomingMessage, body: unknown): boolean {
  return isJSONRPCNotification(body) && havePlainForm(headers) && body.params?._meta === undefined;
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
