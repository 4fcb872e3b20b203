/** Dependencies of the MCP server, and the context of one connection, request or call. Types only. */
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  Tool as McpTool,
} from '@modelcontextprotocol/server';
import type { Catalog, Tool } from '../catalog/model/types.ts';
import type { Clock } from '../core/clock.ts';
import type { Caller } from '../core/caller.ts';
import type { Log } from '../core/log.ts';
import type { Executor } from '../executor/executor.ts';
import type { OwnAccounts } from '../executor/own-accounts.ts';
import type { ConnectorsInUse } from './connectors-in-use.ts';
import type { RequestStates } from './request-state.ts';
import type { PublishedTools } from './published-tools.ts';

/** Built once per process. */
export interface McpServices {
  catalog: Catalog;
  executor: Pick<Executor, 'execute' | 'accountChoices'>;
  connectorsInUse: ConnectorsInUse;
  /** The form of each tool for the owner of a caller; absent if no tool has several forms. */
  toolForms?: Executor['toolForms'];
  /** For Gatehouse's own tools. */
  ownAccounts: Pick<OwnAccounts, 'list' | 'connect'>;
  /** Signs request states; at least 32 bytes, the same in every process of the installation. */
  stateKey: Uint8Array;
  /** Maximum UTF-8 bytes of a result's first block. */
  maxResultBytes: number;
  /** Version of this program, for `serverInfo`. */
  version: string;
  log: Log;
  clock: Clock;
  /**
   * True if lists change while the process runs (`serve --watch`): clients must not cache them, and
   * subscribers are notified.
   */
  listsChange?: boolean;
  /** Tools in addition to the catalog's. Empty in the program; the conformance tests add theirs. */
  extraTools?: readonly ExtraTool[];
}

/** A tool made of code instead of a catalog entry: published last, called without an account. */
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
  publishedTools: PublishedTools;
  /** Names of the only connections whose accounts may be used; all if absent. */
  connections?: readonly string[];
  /** Says why `caller.owner` is missing and how to name one; a call answers with this text. */
  missingOwner?: string;
  /** True if another caller may get another list, so that it must not be cached for others. */
  listDependsOnCaller: boolean;
  /** W3C trace context of the transport, if it has one. */
  traceparent?: string;
  /** Called before the executor gets a call, which it logs. */
  onCall?: () => void;
}

/** Answer of `tools/call`; the second kind asks the client's user something first. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

/** Context of one call. */
export interface CallContext {
  parts: McpServices;
  session: McpSession;
  /** Aborts when the client leaves or cancels the call. */
  signal: AbortSignal;
  /** The way to ask the client's user something; absent if that is not possible. */
  client?: CallClient;
}

/** A client's question to its user: to open a page. */
export interface ConnectQuestion {
  message: string;
  url: string;
}

/** The client of a call, if it can be asked something. */
export interface CallClient {
  states: RequestStates;
  ctx: ServerContext;
  /** Whether it has declared that it can open a page. */
  canOpenUrls(): boolean;
  /**
   * Asks its user to open a page.
   *
   * @param asking the call that the question is for
   * @param msLeft time until the page is of no use
   * @returns `answered` by a user of the open call, who may also have declined; `asked-before` if this call is the
   *   repeated one; otherwise the question as the answer of this call, which the client repeats
   * @throws ProtocolError -32602 if the client repeats another call
   */
  askToConnect(
    question: ConnectQuestion,
    asking: { accountId: string; tool: string; args: Arguments },
    msLeft: number,
  ): Promise<InputRequiredResult | 'answered' | 'asked-before'>;
}

/** A tool's arguments as sent by the client. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A catalog tool to run, by the name that the client used, possibly an old one. */
export interface WantedTool {
  tool: Tool;
  name: string;
  args: Arguments;
}
