/**
 * The messages that a 2025-era client sends most, in their plainest form: the handshake, the list of tools without
 * parameters, and a call of a tool with only a name and arguments. They need nothing of the SDK, whose schemas cost
 * a sixth of a start, and whose `Server` would check a call three times and its result once
 * (docs/decisions/0022-single-answers.md).
 */
import type {
  InitializeResult,
  JSONRPCResponse,
  ListToolsResult,
  RequestId,
} from '@modelcontextprotocol/server';
import { isObject } from '../../core/json.ts';
import type { Introduction } from '../answers.ts';
import { ProtocolError } from '../protocol-error.ts';
import type { ToolAnswer } from '../session.ts';

/** The protocol versions of clients that begin with `initialize`, the newest first. */
export const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

/** The id of the request, and what to run. */
export interface PlainCall {
  id: RequestId;
  method: 'tools/call';
  params: { name: string; arguments?: Record<string, unknown> };
}

/** A request that is answered without the SDK. */
export type PlainRequest =
  | PlainCall
  | { id: RequestId; method: 'tools/list' }
  | { id: RequestId; method: 'initialize'; version: string };

/** Notification that has no effect on a server without sessions. */
const IDLE_NOTIFICATION = 'notifications/initialized';

/** Whether a message ends the handshake and says nothing else. */
export function isPlainNotification(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { jsonrpc, method } = message;
  return jsonrpc === '2.0' && method === IDLE_NOTIFICATION && Object.keys(message).length === 2;
}

/** The request that a message makes; `undefined` for every other message, well-formed or not. */
export function plainRequest(message: unknown): PlainRequest | undefined {
  return plainCall(message) ?? plainList(message) ?? plainInitialize(message);
}

/** The call that a message makes; `undefined` for every other message, well-formed or not. */
export function plainCall(message: unknown): PlainCall | undefined {
  const request = requestOf(message, 'tools/call');
  if (request === undefined || !isObject(request.params)) return undefined;
  const { id, params } = request;
  const { name, arguments: args } = params;
  if (typeof name !== 'string') return undefined;
  const others = Object.keys(params).length - 1;
  if (others === 0) return { id, method: 'tools/call', params: { name } };
  // The SDK drops a member with that name.
  if (others > 1 || !isObject(args) || Object.hasOwn(args, '__proto__')) return undefined;
  return { id, method: 'tools/call', params: { name, arguments: args } };
}

function plainList(message: unknown): PlainRequest | undefined {
  const request = requestOf(message, 'tools/list');
  if (request === undefined) return undefined;
  const { id, params = {} } = request;
  return isEmpty(params) ? { id, method: 'tools/list' } : undefined;
}

function plainInitialize(message: unknown): PlainRequest | undefined {
  const request = requestOf(message, 'initialize');
  if (request === undefined || !isObject(request.params)) return undefined;
  const { protocolVersion: version, capabilities, clientInfo, ...others } = request.params;
  const isPlain =
    typeof version === 'string' &&
    isPlainCapabilities(capabilities) &&
    isObject(clientInfo) &&
    typeof clientInfo.name === 'string' &&
    typeof clientInfo.version === 'string' &&
    Object.values(clientInfo).every((value) => typeof value === 'string') &&
    Object.keys(others).length === 0;
  return isPlain ? { id: request.id, method: 'initialize', version } : undefined;
}

/**
 * Whether the capabilities can be ignored. Nothing over HTTP depends on them: a client of these versions cannot be
 * asked anything there.
 */
function isPlainCapabilities(capabilities: unknown): boolean {
  if (!isObject(capabilities)) return false;
  const { roots = {}, sampling = {}, elicitation = {}, ...others } = capabilities;
  return (
    Object.keys(others).length === 0 &&
    [sampling, elicitation].every((value) => isObject(value) && Object.values(value).every(isEmpty)) &&
    isObject(roots) &&
    Object.entries(roots).every(([name, value]) => name === 'listChanged' && typeof value === 'boolean')
  );
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** A well-formed request with nothing but an id, the method and perhaps parameters. */
function requestOf(message: unknown, wanted: string): { id: RequestId; params?: unknown } | undefined {
  if (!isObject(message)) return undefined;
  const { jsonrpc, id, method, params } = message;
  const members = Object.hasOwn(message, 'params') ? 4 : 3;
  const isPlain = jsonrpc === '2.0' && method === wanted && Object.keys(message).length === members;
  return isPlain && isRequestId(id) ? { id, params } : undefined;
}

/** The result of `initialize`: the requested version if it is known, otherwise the newest. */
export function initializeResult(version: string, introduction: Introduction): InitializeResult {
  const protocolVersion = VERSIONS.find((known) => known === version) ?? VERSIONS[0];
  return { protocolVersion, ...introduction };
}

/**
 * The message that answers a request.
 *
 * @param running rejects with a ProtocolError for errors that the client may see
 */
export async function plainAnswer(
  id: RequestId,
  running: Promise<ToolAnswer | ListToolsResult | InitializeResult>,
): Promise<JSONRPCResponse> {
  try {
    return { result: await running, jsonrpc: '2.0', id };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message } = error;
    return { error: { code, message }, jsonrpc: '2.0', id };
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
