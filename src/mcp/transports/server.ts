/**
 * The MCP server object of one connection or one HTTP request: `tools/list` and `tools/call`, and nothing
 * else.
 *
 * Never share one between requests: the SDK keeps per-connection state in it. Creating one must stay cheap,
 * so lists are built elsewhere and used unchanged.
 */
import { Server, type McpRequestContext } from '@modelcontextprotocol/server';
import { isObject } from '../../core/json.ts';
import { answerCall, answerList, introduction, introductionCache } from '../answers.ts';
import { INVALID_PARAMS, ProtocolError } from '../protocol-error.ts';
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
  const server = new CallServer(serverInfo, {
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

type Handler = Parameters<Server['_wrapHandler']>[1];

/** Says in a sentence what is wrong with a call, where the SDK would send the report of its schema. */
class CallServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, handler);
    if (method !== 'tools/call') return checked;
    return async (request, ctx) => {
      refuseUnreadable(request.params ?? {});
      return checked(request, ctx);
    };
  }
}

/** @throws ProtocolError for a call without a name, or with arguments that are no object */
function refuseUnreadable({ name, arguments: args = {} }: Record<string, unknown>): void {
  if (typeof name !== 'string')
    throw new ProtocolError(INVALID_PARAMS, 'A call needs `name`: the name of a tool, as text.');
  if (!isObject(args)) {
    throw new ProtocolError(
      INVALID_PARAMS,
      'The `arguments` of a call must be a JSON object with the parameters of the tool. Call it again with one.',
    );
  }
}
