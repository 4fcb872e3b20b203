/**
 * The MCP server object of one connection or one HTTP request: `tools/list` and `tools/call`, and nothing
 * else.
 *
 * Never share one between requests: the SDK keeps per-connection state in it. Creating one must stay cheap,
 * so lists are built elsewhere and used unchanged.
 */
import { Server, type McpRequestContext } from '@modelcontextprotocol/server';
import { answerCall, answerList, introduction, introductionCache } from '../answers.ts';
import { RequestStates } from '../request-state.ts';
import type { McpServices, McpSession } from '../session.ts';
import { AskedClient } from './asked-client.ts';

/**
 * A server for one caller.
 *
 * @param era the protocol family of the connection: 2026-07-28 (`modern`) or `initialize` (`legacy`)
 */
export function makeServer(parts: McpServices, session: McpSession, era: McpRequestContext['era']): Server {
  const states = new RequestStates(parts.stateKey, session.caller);
  const { serverInfo, capabilities, instructions } = introduction(parts, session, era);
  const server = new Server(serverInfo, {
    capabilities,
    instructions,
    cacheHints: { 'server/discover': introductionCache(parts) },
    requestState: { verify: (state, ctx) => states.verify(state, ctx) },
  });
  server.setRequestHandler('tools/list', async (request) =>
    answerList(parts, session, { era, cursor: request.params?.cursor }),
  );
  server.setRequestHandler('tools/call', (request, ctx) =>
    answerCall(
      { parts, session, signal: ctx.mcpReq.signal, client: new AskedClient({ server, era, ctx, states }) },
      request.params,
    ),
  );
  return server;
}
