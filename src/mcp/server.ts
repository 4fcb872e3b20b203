/**
 * The MCP server object of one connection or one HTTP request: `tools/list` and `tools/call`, and nothing
 * else.
 *
 * Never share one between requests: the SDK keeps per-connection state in it. Creating one must stay cheap,
 * so lists are built elsewhere and used unchanged.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequestParams,
  type ListToolsResult,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import { callTool } from './tool-call.ts';
import { DISCOVERY_TOOLS } from './discovery.ts';
import { instructionsFor } from './instructions.ts';
import { RequestStates } from './request-state.ts';
import type { CallContext, McpServices, McpSession, ToolAnswer } from './session.ts';
import { publishWithAccounts, type PublishedTool } from './published-tools.ts';

type Era = McpRequestContext['era'];

/** Lifetime of a list or a discovery answer that does not depend on the caller. */
const LIST_TTL_MS = 300_000;

const PUBLIC = { ttlMs: LIST_TTL_MS, cacheScope: 'public' } as const;
const PRIVATE = { ttlMs: 0, cacheScope: 'private' } as const;

/**
 * A server for one caller.
 *
 * @param era the protocol family of the connection: 2026-07-28 (`modern`) or `initialize` (`legacy`)
 */
export function makeServer(parts: McpServices, session: McpSession, era: Era): Server {
  const states = new RequestStates(parts.stateKey, session.caller);
  const isListChanging = parts.listsChange === true;
  const server = new Server(
    { name: 'gatehouse', version: parts.version },
    {
      // Over HTTP, only the newer protocol can notify clients of changes.
      capabilities: { tools: isListChanging && era === 'modern' ? { listChanged: true } : {} },
      instructions: instructionsFor(session.publishedTools.selected, parts.catalog.connectors),
      cacheHints: { 'server/discover': isListChanging ? PRIVATE : PUBLIC },
      requestState: { verify: (state, ctx) => states.verify(state, ctx) },
    },
  );
  server.setRequestHandler('tools/list', (request) => {
    if (request.params?.cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor: the tool list has one page.');
    }
    return guarded(parts, session, () => listTools(parts, session, era));
  });
  server.setRequestHandler('tools/call', (request, ctx) =>
    answerCall(
      { parts, session, signal: ctx.mcpReq.signal, client: { states, server, era, ctx } },
      request.params,
    ),
  );
  return server;
}

/**
 * Answers `tools/call`, for a server of the SDK and without one.
 *
 * @throws ProtocolError, whose text a client may see
 */
export async function answerCall(call: CallContext, params: CallToolRequestParams): Promise<ToolAnswer> {
  return guarded(call.parts, call.session, () => callTool(call, params));
}

async function listTools(parts: McpServices, session: McpSession, era: Era): Promise<ListToolsResult> {
  const { tools, cache } = await publishedTools(parts, session);
  const extra = (parts.extraTools ?? []).map((tool) => tool.definition);
  const list = { tools: extra.length > 0 ? [...tools, ...extra] : (tools as PublishedTool[]) };
  if (era === 'legacy') return list;
  return { ...list, ...(parts.listsChange === true ? PRIVATE : cache) };
}

async function publishedTools(
  { catalog, executor, connectorsInUse }: McpServices,
  { caller, publishedTools, connections, listDependsOnCaller }: McpSession,
): Promise<{ tools: readonly PublishedTool[]; cache: typeof PUBLIC | typeof PRIVATE }> {
  if (publishedTools.selected.discovery)
    return { tools: DISCOVERY_TOOLS[accessOf(publishedTools)], cache: PUBLIC };
  const tools = publishedTools.published(await connectorsInUse.of(caller.environmentId));
  const choices = caller.owner && (await executor.accountChoices(caller, connections));
  if (choices === undefined || choices.size === 0) {
    return { tools, cache: listDependsOnCaller ? PRIVATE : PUBLIC };
  }
  const withAccounts = tools.map((published) => {
    const tool = catalog.tools.get(published.name);
    const identifiers = tool && choices.get(tool.connector);
    return tool && identifiers ? publishWithAccounts(tool, identifiers) : published;
  });
  return { tools: withAccounts, cache: PRIVATE };
}

function accessOf(publishedTools: McpSession['publishedTools']): keyof typeof DISCOVERY_TOOLS {
  return publishedTools.selected.readOnly ? 'readOnly' : 'all';
}

/** Keeps the text of an unexpected failure out of the answer. */
async function guarded<T>({ log }: McpServices, { caller }: McpSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    log.error('mcp_request_failed', { environment_id: caller.environmentId, err: error });
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'This request failed inside Gatehouse; see its log.',
    );
  }
}
