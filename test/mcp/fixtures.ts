/** A small catalog, an executor that answers as the test says, and an HTTP listener around the MCP endpoint. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Catalog, Connector, Parameter, Tool } from '../../src/catalog/model/types.ts';
import type { Paging } from '../../src/catalog/model/types.ts';
import type { Caller } from '../../src/core/caller.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { AccountNotActive, type NotActiveAccount } from '../../src/accounts/not-active.ts';
import type { ExecuteCall, ExecuteResult } from '../../src/executor/executor.ts';
import { ConnectorsInUse } from '../../src/mcp/connectors-in-use.ts';
import { McpHttp } from '../../src/mcp/transports/http.ts';
import type { Selection } from '../../src/mcp/selection.ts';
import type { McpServices, McpSession } from '../../src/mcp/session.ts';
import { ToolPublisher } from '../../src/mcp/published-tools.ts';
import type { RpcMessage } from './messages.ts';

const text: Parameter = { type: 'string', description: 'Words to look for.', required: true };
const number: Parameter = { type: 'integer', description: 'A number.', required: false };
const mark: Parameter = { type: 'string', description: 'Where to go on.', required: false };
const byOffset: Paging = { list: 'data', size: 'limit', offset: { parameter: 'offset', first: 0 } };
const byCursor: Paging = {
  list: 'items',
  size: 'max_results',
  cursor: { parameter: 'page_token', next: 'next' },
};

function tool(
  name: string,
  toolset: string,
  effect: Tool['effect'],
  title: string,
  parameters: Record<string, Parameter>,
  paging?: Paging,
): Tool {
  const isRead = effect === 'read';
  return {
    name,
    title,
    description: `${title} of the app.`,
    effect,
    connector: name.split('_')[0]!,
    toolset,
    scopes: [],
    source: { url: 'https://docs.example.test', checked: '2026-11-20' },
    parameters,
    constraints: [],
    requests: [],
    response: {},
    ...(paging !== undefined && { paging }),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(parameters).map(([key, { type, description }]) => [key, { type, description }]),
      ),
      required: Object.keys(parameters).filter((key) => parameters[key]!.required),
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: effect === 'delete',
      idempotentHint: effect !== 'create',
      openWorldHint: true,
    },
  };
}

export const TOOLS: readonly Tool[] = [
  tool('crm_create_task', 'tasks', 'create', 'Create a task', { content: text }),
  tool('crm_delete_task', 'tasks', 'delete', 'Delete a task', { task_id: text }),
  tool('crm_list_people', 'people', 'read', 'List people', { limit: number, offset: number }, byOffset),
  {
    ...tool('crm_list_tasks', 'tasks', 'read', 'List open tasks', { limit: number, offset: number }),
    everyday: 'core',
  },
  tool(
    'mail_list_messages',
    'messages',
    'read',
    'List messages',
    { max_results: number, page_token: mark },
    byCursor,
  ),
  tool('web_search', 'search', 'read', 'Search the web', { query: text, num_results: number }),
];

function connector(name: string): Connector {
  return {
    name,
    title: name.toUpperCase(),
    description: '',
    hosts: [],
    auth: [],
    ...(SEARCH_WORDS[name] !== undefined && { search_words: SEARCH_WORDS[name] }),
    errors: { message: [], code: [], reconnect: [], conflicts: [] },
    needsNoOperator: false,
  };
}

/** Everyday words of the apps, for the search. */
const SEARCH_WORDS: Readonly<Record<string, Connector['search_words']>> = {
  crm: { means: { task: 'todo chore song', list: 'mix' }, tools: {} },
  web: { app: 'internet', means: { web: 'internet' }, tools: {} },
};

export const CATALOG: Catalog = {
  connectors: new Map(['crm', 'mail', 'web'].map((name) => [name, connector(name)])),
  tools: new Map(TOOLS.map((entry) => [entry.name, entry])),
};

export const CALLER: Caller = {
  kind: 'operator',
  environmentId: 'env_1',
  actor: 'local',
  scopes: new Set(['tools:execute']),
  source: 'mcp',
  owner: { userId: 'ada', organizationId: '' },
  ip: '',
};

export const MACHINE: Caller = {
  kind: 'machine',
  environmentId: 'env_1',
  actor: 'cred_1',
  scopes: new Set(['tools:execute']),
  source: 'mcp',
  ip: '127.0.0.1',
};

export const EXPIRY = '2126-11-20T13:00:00.000Z';
export const LINK = 'http://127.0.0.1:3000/connect/secret';

/** The refusal of an account that is not connected. */
export function notActive(
  account: Partial<NotActiveAccount> = {},
  connect: AccountNotActive['connect'] = { link: LINK, expiry: EXPIRY },
): AccountNotActive {
  return new AccountNotActive(
    {
      id: 'ca_1',
      connection: 'web',
      connectorTitle: 'Web search',
      identifier: 'ada',
      status: 'PENDING_AUTH',
      everConnected: false,
      ...account,
    },
    connect,
  );
}

/** Answers with the input and the owner, unless `answer` says otherwise. */
export class FakeExecutor {
  readonly calls: ExecuteCall[] = [];
  readonly choices = new Map<string, readonly string[]>();
  answer: (call: ExecuteCall) => unknown = ({ input, caller }) => ({ input, user: caller.owner?.userId });

  async execute(call: ExecuteCall): Promise<ExecuteResult> {
    this.calls.push(call);
    const data = await this.answer(call);
    return {
      data,
      executionId: 'exe_1',
      account: { id: 'ca_1', identifier: call.caller.owner?.userId ?? '', connection: 'web' },
    };
  }

  async accountChoices(): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.choices;
  }
}

export const EVERYTHING: Selection = { readOnly: false, discovery: 'off' };

export function makeParts(executor: FakeExecutor, more: Partial<McpServices> = {}): McpServices {
  return {
    catalog: CATALOG,
    executor,
    connectorsInUse: new ConnectorsInUse(async () => new Set()),
    ownAccounts: {
      list: async () => [],
      connect: async () => {
        throw new Error('no account here');
      },
    },
    stateKey: Buffer.alloc(32, 7),
    maxResultBytes: 60_000,
    version: '0.1.0',
    log: silentLog,
    clock: systemClock,
    ...more,
  };
}

export function makeSession(selection: Selection = EVERYTHING, more: Partial<McpSession> = {}): McpSession {
  return {
    caller: CALLER,
    publishedTools: new ToolPublisher(CATALOG, selection).base,
    listDependsOnCaller: false,
    ...more,
  };
}

/** Listens on loopback; `callerOf` stands for the token check. Errors are answered by status and message. */
export async function listen(
  parts: McpServices,
  options: {
    selection?: Selection;
    callerOf?: (request: IncomingMessage) => Caller;
    maxBodyBytes?: number;
    onError?: (error: unknown) => void;
  } = {},
): Promise<{ url: string; endpoint: McpHttp; close: () => Promise<void> }> {
  const publisher = new ToolPublisher(parts.catalog, options.selection ?? EVERYTHING);
  const endpoint = new McpHttp(parts, { publisher, maxBodyBytes: options.maxBodyBytes ?? 1_000_000 });
  const server = createServer((request, response) => {
    const caller = options.callerOf?.(request) ?? CALLER;
    endpoint.handle(request, response, { caller }).catch((error: unknown) => {
      options.onError?.(error);
      const status = error instanceof ServiceError ? error.status : 500;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: error instanceof Error ? error.message : String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    endpoint,
    close: async () => {
      await endpoint.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `_meta` of a 2026-07-28 request. */
export function envelope(capabilities: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
}

export interface RpcAnswer {
  status: number;
  /** A JSON-RPC message, or the error of the server around the endpoint; without fields if nothing came. */
  body: RpcMessage & { message?: string; details?: unknown[] };
}

/** One raw 2026-07-28 request over HTTP. */
export async function modern(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  options: { capabilities?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Promise<RpcAnswer> {
  return post(
    url,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope(options.capabilities) } },
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      ...options.headers,
    },
  );
}

/** One raw 2025-era request over HTTP. */
export async function legacy(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<RpcAnswer> {
  return post(
    url,
    { jsonrpc: '2.0', id: 1, method, params },
    { 'mcp-protocol-version': '2025-11-25', ...headers },
  );
}

export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<RpcAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const raw = await response.text();
  const data = raw.split('\n').find((line) => line.startsWith('data: '));
  const json = data === undefined ? raw || '{}' : data.slice(6);
  return { status: response.status, body: JSON.parse(json) as RpcAnswer['body'] };
}
