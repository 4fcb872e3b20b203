/** What the MCP face is built of, and what one connection, request or call brings along. Types only. */
import type {
  CallToolResult,
  InputRequiredResult,
  McpRequestContext,
  Server,
  ServerContext,
  Tool as McpTool,
} from '@modelcontextprotocol/server';
import type { Catalog, Tool } from '../catalog/model/types.ts';
import type { Caller } from '../core/caller.ts';
import type { Log } from '../core/log.ts';
import type { Executor } from '../executor/executor.ts';
import type { ConnectorsInUse } from './connectors-in-use.ts';
import type { RequestStates } from './request-state.ts';
import type { PublishedTools } from './published-tools.ts';

/** Built once per process. */
export interface McpServices {
  catalog: Catalog;
  executor: Pick<Executor, 'execute' | 'accountChoices'>;
  connectorsInUse: ConnectorsInUse;
  /** Signs request states; at least 32 bytes, the same in every process of the installation. */
  stateKey: Uint8Array;
  /** UTF-8 bytes of a result's first block. */
  maxResultBytes: number;
  /** Of this program, for `serverInfo`. */
  version: string;
  log: Log;
  /** True: lists change while the process runs (`serve --watch`); nobody keeps one, and who subscribes is told. */
  listsChange?: boolean;
  /** Tools beside the catalog's. Empty in the program; the conformance tests bring theirs. */
  extraTools?: readonly ExtraTool[];
}

/** A tool that is code and not catalog: published last, called without an account. */
export interface ExtraTool {
  definition: McpTool;
  call(
    input: Record<string, unknown>,
    ctx: ServerContext,
    states: RequestStates,
  ): Promise<CallToolResult | InputRequiredResult>;
}

/** One stdio connection, or one HTTP request. */
export interface McpSession {
  caller: Caller;
  surface: PublishedTools;
  /** Names of the only connections whose accounts may be used; absent: all. */
  connections?: readonly string[];
  /** Why there is no `caller.owner` and how to name one; a call answers with it. */
  missingOwner?: string;
  /** True: another caller may get another list, so nobody may keep it for others. */
  listDependsOnCaller: boolean;
  /** W3C trace context of the transport, where it has one. */
  traceparent?: string;
}

/** Answer of `tools/call`; the second kind asks the client's user something first. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

/** Everything around one call. */
export interface CallContext {
  parts: McpServices;
  session: McpSession;
  states: RequestStates;
  server: Server;
  era: McpRequestContext['era'];
  ctx: ServerContext;
}

/** A tool's arguments as the client sent them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A catalog tool to run, by the name the client used: perhaps an old one. */
export interface WantedTool {
  tool: Tool;
  name: string;
  args: Arguments;
}
