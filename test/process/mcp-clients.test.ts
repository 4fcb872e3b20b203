/** Real clients of both SDK lines against the real program, over both transports. */
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProject, PROGRAM, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { ROUNDS } from '../support/rounds.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

const NAME = { name: 'interop', version: '1' };

/** Those that a client which names no toolsets sees. */
const WEBSEARCH_TOOLS = [...shippedCatalog.tools.values()]
  .filter(({ connector, unlisted }) => connector === 'websearch' && unlisted !== true)
  .map(({ name }) => name);

/** What the tests do, whatever the client. */
interface AnyClient {
  tools: () => Promise<string[]>;
  call: (name: string, args: Record<string, unknown>) => Promise<{ isError: boolean; texts: string[] }>;
  close: () => Promise<void>;
}

let project: Project;
let served: Served;

beforeAll(async () => {
  project = await makeProject();
  served = await serve(project);
  await served.connect('local', 'key-of-local');
  await served.connect('ada', 'key-of-ada');
});

afterAll(async () => {
  await served.stop();
  await project.close();
});

const stdioServer = () => ({
  command: process.execPath,
  args: [PROGRAM, 'mcp'],
  env: project.env,
  cwd: project.dir,
  stderr: 'ignore' as const,
});

const headers = (user: string) => ({ authorization: `Bearer ${served.token}`, 'gatehouse-user-id': user });

type Connect = (user: string) => Promise<AnyClient>;

const oldClient =
  (transport: (user: string) => OldStdioTransport | OldHttpTransport): Connect =>
  async (user) => {
    const client = new OldClient(NAME);
    await client.connect(transport(user));
    return shaped(client);
  };

const newClient =
  (
    mode: VersionNegotiationMode,
    transport: (user: string) => StdioClientTransport | StreamableHTTPClientTransport,
  ): Connect =>
  async (user) => {
    const client = new Client(NAME, { versionNegotiation: { mode } });
    await client.connect(transport(user));
    return shaped(client);
  };

function shaped(client: {
  listTools: () => Promise<{ tools: { name: string }[] }>;
  callTool: (params: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>;
  close: () => Promise<void>;
}): AnyClient {
  return {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args) => {
      const result = (await client.callTool({ name, arguments: args })) as {
        isError?: boolean;
        content: { text: string }[];
      };
      return { isError: result.isError === true, texts: result.content.map((block) => block.text) };
    },
    close: () => client.close(),
  };
}

const oldStdio = () => new OldStdioTransport(stdioServer());
const newStdio = () => new StdioClientTransport(stdioServer());
const oldHttp = (user: string) =>
  new OldHttpTransport(new URL(served.mcpUrl), { requestInit: { headers: headers(user) } });
const newHttp = (user: string) =>
  new StreamableHTTPClientTransport(new URL(served.mcpUrl), { requestInit: { headers: headers(user) } });
const PINNED = { pin: '2026-07-28' };

const OTHERS_OVER_STDIO: [string, 'local', Connect][] = [
  ['the new SDK, legacy, over stdio', 'local', newClient('legacy', newStdio)],
  ['the new SDK, auto, over stdio', 'local', newClient('auto', newStdio)],
];

describe.each<[string, 'local' | 'ada', Connect]>([
  ['the old SDK over stdio', 'local', oldClient(oldStdio)],
  ...(ROUNDS.everyClient ? OTHERS_OVER_STDIO : []),
  ['the new SDK, pinned to 2026-07-28, over stdio', 'local', newClient(PINNED, newStdio)],
  ['the old SDK over HTTP', 'ada', oldClient(oldHttp)],
  ['the new SDK, legacy, over HTTP', 'ada', newClient('legacy', newHttp)],
  ['the new SDK, auto, over HTTP', 'ada', newClient('auto', newHttp)],
  ['the new SDK, pinned to 2026-07-28, over HTTP', 'ada', newClient(PINNED, newHttp)],
])('MCP client %s', (_, user, connect) => {
  it('lists the tools, calls one, and reports a mistake in the input', async () => {
    const client = await connect(user);
    try {
      expect(await client.tools()).toEqual(WEBSEARCH_TOOLS);

      const found = await client.call('websearch_search', { query: 'cats', num_results: 3 });
      expect(found.isError).toBe(false);
      expect(JSON.parse(found.texts[0]!)).toMatchObject({
        results: [{ title: `${user} asked cats` }],
      });

      const refused = await client.call('websearch_search', { num_results: 'many', colour: 'blue' });
      expect(refused.isError).toBe(true);
      for (const field of ['query', 'num_results', 'colour'])
        expect(refused.texts[0]).toContain(`- ${field}: `);

      await expect(client.call('nope', {})).rejects.toMatchObject({ code: -32602 });
    } finally {
      await client.close();
    }
  });
});

describe('user of MCP who has not connected the app', () => {
  it('receives a link over HTTP from every client', async () => {
    for (const connect of [oldClient(oldHttp), newClient('auto', newHttp)]) {
      const client = await connect('grace');
      const { isError, texts } = await client.call('websearch_search', { query: 'cats' });
      await client.close();
      expect(isError).toBe(true);
      const facts = JSON.parse(texts[1]!) as { code: string; link: string; status: string };
      expect(facts).toMatchObject({ code: 'AUTHORIZATION_REQUIRED', status: 'PENDING_AUTH' });
      expect(facts.link).toMatch(new RegExp(`^${served.baseUrl}/connect/[A-Za-z0-9_-]{43}$`));
      expect(texts[0]).toContain(facts.link);
    }
  });
});
