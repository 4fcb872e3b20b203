/**
 * A Gatehouse for one task or several: the demo's server and stand-ins, with every app connected for one user, and an
 * MCP client that acts for them.
 */
import type { Log } from '../../core/log.ts';
import { DemoAgent } from '../demo/demo-agent.ts';
import { openDemoStage } from '../demo/demo-stage.ts';
import { DemoVisitor } from '../demo/demo-visitor.ts';

/** The tools that are published to the client, as the query of the MCP address, such as `toolsets=default`. */
export type ToolQuery = string;

/** A running stage. */
export interface EvalStage {
  /** Connects a client with its own selection of tools. */
  connectAgent(query: ToolQuery): Promise<DemoAgent>;
  /** Makes a call over REST, and returns the provider's whole JSON. */
  read(tool: string, input: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

const USER = 'robin';

/** @throws the errors of openDemoStage */
export async function openEvalStage(log: Log): Promise<EvalStage> {
  const stage = await openDemoStage(log, { toolsets: ['all'] });
  const agents: DemoAgent[] = [];
  const close = async (): Promise<void> => {
    for (const agent of agents) await agent.close();
    await stage.close();
  };
  try {
    const { sandbox, server, app } = stage;
    app.signIn(USER);
    for (const connector of [...Object.keys(sandbox.providers), 'websearch']) {
      const body = { connector, user_id: USER };
      const { link } = await stage.api<{ link: string }>('POST', '/connected_accounts/magic_link', body);
      const visitor = new DemoVisitor();
      await visitor.open(link);
      if (connector === 'websearch') await visitor.submit([sandbox.apiKey]);
      else {
        await visitor.follow('Continue to');
        await visitor.submit([], 'Allow');
      }
    }
    return {
      connectAgent: async (query) => {
        const agent = await DemoAgent.connect({
          mcpUrl: `${server.baseUrl}/mcp${query === '' ? '' : `?${query}`}`,
          token: await stage.accessToken('tools:execute'),
          userId: USER,
        });
        agents.push(agent);
        return agent;
      },
      read: async (tool, input) => {
        const body = { tool_name: tool, tool_input: input, user_id: USER };
        return (await stage.api<{ data: unknown }>('POST', '/execute_tool', body)).data;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
