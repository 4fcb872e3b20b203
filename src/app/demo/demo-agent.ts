/** The demo's stand-in for an agent: a real MCP client over HTTP that acts for one user. */
import type { Client } from '@modelcontextprotocol/client';
import { programVersion } from '../../core/program-version.ts';

/** The result of a tool call. */
export interface AgentAnswer {
  isError: boolean;
  /** The text blocks of the result. */
  texts: readonly string[];
}

/** A tool as the agent is given it. */
export interface AgentTool {
  name: string;
  description?: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
}

/** A connected agent. */
export class DemoAgent {
  readonly #client: Client;
  readonly #heard: string[] = [];

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Loads the client library only here: no other command needs it. */
  static async connect(server: { mcpUrl: string; token: string; userId: string }): Promise<DemoAgent> {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const client = new Client(
      { name: 'gatehouse-demo', version: programVersion() },
      { versionNegotiation: { mode: 'auto' } },
    );
    const headers = { authorization: `Bearer ${server.token}`, 'gatehouse-user-id': server.userId };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.mcpUrl), { requestInit: { headers } }),
    );
    return new DemoAgent(client);
  }

  async tools(): Promise<readonly AgentTool[]> {
    return (await this.#client.listTools()).tools;
  }

  /** The instructions that the server sends to every client. */
  instructions(): string {
    return this.#client.getInstructions() ?? '';
  }

  async call(name: string, input: Record<string, unknown>): Promise<AgentAnswer> {
    const result = await this.#client.callTool({ name, arguments: input });
    this.#heard.push(JSON.stringify(result));
    return {
      isError: result.isError === true,
      texts: result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    };
  }

  /** Whether one of the texts appeared in an answer to this agent. */
  hasHeard(texts: readonly string[]): boolean {
    return this.#heard.some((answer) => texts.some((text) => answer.includes(text)));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
