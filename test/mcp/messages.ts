/** JSON-RPC messages as tests read them. Nothing is taken for granted: what a message lacks fails the test that reads it. */

/** A request, a notification or an answer. */
export interface RpcMessage {
  jsonrpc?: string;
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: RpcResult;
  error?: { code: number; message: string; data?: unknown };
}

/** The fields that tests read of handshakes, lists and calls; each kind of result has some of them. */
export interface RpcResult {
  _meta?: {
    'gatehouse/coerced'?: string[];
    'gatehouse/account'?: { id: string; identifier: string; connector: string };
    'gatehouse/execution_id'?: string;
    'gatehouse/link'?: string;
    'io.modelcontextprotocol/serverInfo'?: { name: string; version: string };
  };
  protocolVersion?: string;
  supportedVersions?: string[];
  serverInfo?: { name: string; version: string };
  capabilities?: Record<string, unknown>;
  instructions?: string;
  tools?: ListedTool[];
  nextCursor?: string;
  ttlMs?: number;
  resultType?: string;
  requestState?: string;
  isError?: boolean;
  content?: { type: string; text: string; _meta?: Record<string, unknown> }[];
  structuredContent?: unknown;
}

/** The result of `tools/call` that is not `input_required`. */
export type ToolResult = RpcResult & Required<Pick<RpcResult, 'content'>>;

/** A tool of `tools/list`. */
export interface ListedTool {
  name: string;
  title?: string;
  annotations?: Record<string, unknown>;
  inputSchema: { properties: Record<string, { enum?: unknown[] }>; required: string[] };
}

/** The result of an answer. Throws with the whole answer if it has none, as an error has not. */
export function resultOf(answer: RpcMessage): RpcResult {
  return answer.result ?? lacks('result', answer);
}

/** The result of `tools/call`. Throws like {@link resultOf}, as do those below. */
export function toolResultOf(answer: RpcMessage): ToolResult {
  const result = resultOf(answer);
  return { ...result, content: result.content ?? lacks('content', answer) };
}

/** The text of one block of a `tools/call` result. */
export function textOf(answer: RpcMessage, block = 0): string {
  return toolResultOf(answer).content[block]?.text ?? lacks(`text in block ${block}`, answer);
}

/** The tools of a `tools/list` result. */
export function toolsOf(answer: RpcMessage): ListedTool[] {
  return resultOf(answer).tools ?? lacks('tools', answer);
}

function lacks(what: string, answer: RpcMessage): never {
  throw new Error(`There is no ${what}: ${JSON.stringify(answer)}`);
}
