/**
 * A call of a tool with a name, arguments and nothing else, as nearly all of a 2025-era client are. It needs no `Server`
 * of the SDK, which would check it three times and its result once (docs/decisions/0022).
 */
import { ProtocolError, type JSONRPCResponse, type RequestId } from '@modelcontextprotocol/server';
import { isObject } from '../core/json.ts';
import type { ToolAnswer } from './session.ts';

/** The id of the request, and what to run. */
export interface PlainCall {
  id: RequestId;
  params: { name: string; arguments?: Record<string, unknown> };
}

/** The call that a message makes; `undefined` for every other message, well-formed or not. */
export function plainCall(message: unknown): PlainCall | undefined {
  if (!isObject(message)) return undefined;
  const { jsonrpc, id, method, params } = message;
  const isCall = jsonrpc === '2.0' && method === 'tools/call' && Object.keys(message).length === 4;
  if (!isCall || !isRequestId(id) || !isObject(params)) return undefined;
  const { name, arguments: args } = params;
  if (typeof name !== 'string') return undefined;
  const others = Object.keys(params).length - 1;
  if (others === 0) return { id, params: { name } };
  // The SDK drops a member of that name.
  if (others > 1 || !isObject(args) || Object.hasOwn(args, '__proto__')) return undefined;
  return { id, params: { name, arguments: args } };
}

/**
 * The message that answers a call.
 *
 * @param running rejects with a ProtocolError for what the client may see
 */
export async function plainAnswer(id: RequestId, running: Promise<ToolAnswer>): Promise<JSONRPCResponse> {
  try {
    return { result: await running, jsonrpc: '2.0', id };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, ...(data !== undefined && { data }) }, jsonrpc: '2.0', id };
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
