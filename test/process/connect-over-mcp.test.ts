/**
 * From the prompt to a call that works: an agent calls a tool of an app that its user never connected, the user
 * opens the link and consents, and the same call works. Real clients, both transports, both eras.
 */
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authRequestIn, Browser } from '../support/deployment/browser.ts';
import { Deployment } from '../support/deployment/deployment.ts';
import { freePort, PROGRAM, type ServerProcess } from '../support/deployment/server-process.ts';
import { ROUNDS } from '../support/rounds.ts';

const CALL = { name: 'ledger_list', arguments: { filter: 'cats' } };
const LINK = /https?:\/\/[^\s]+\/connect\/[A-Za-z0-9_-]{43}/;
const PINNED = { pin: '2026-07-28' } as const;

/** A client of 2026-07-28 does over HTTP what it does over stdio. */
const DESKTOP_ERAS: [string, VersionNegotiationMode][] = [
  ['2025-11-25', 'legacy'],
  ...(ROUNDS.everyClient ? ([['2026-07-28', PINNED]] satisfies [string, VersionNegotiationMode][]) : []),
];

/** What the tests read of an answer. */
interface Answer {
  isError: boolean;
  texts: string[];
}

interface Agent {
  call(): Promise<Answer>;
  close(): Promise<void>;
}

/** A client. @param open what its user does with a page it is asked to open; absent: it cannot show one */
async function agent(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  mode: VersionNegotiationMode,
  open?: (link: string) => Promise<void>,
): Promise<Agent> {
  const capabilities = open === undefined ? {} : { elicitation: { url: {} } };
  const client = new Client({ name: 'agent', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (open !== undefined) {
    client.setRequestHandler('elicitation/create', async (request) => {
      await open((request.params as { url: string }).url);
      return { action: 'accept' };
    });
  }
  await client.connect(transport);
  return {
    call: async () => {
      const { isError, content } = await client.callTool(CALL);
      return { isError: isError === true, texts: content.map((block) => (block as { text: string }).text) };
    },
    close: async () => client.close(),
  };
}

const factsOf = ({ texts }: Answer) =>
  JSON.parse(texts[1] ?? '{}') as {
    code: string;
    status: string;
    link: string;
    connected_account_id: string;
  };

describe('connecting an account over MCP HTTP, verified by the app', () => {
  let deployment: Deployment;
  let server: ServerProcess;

  beforeAll(async () => {
    deployment = await Deployment.open();
    server = await deployment.serve();
  });
  beforeEach(() => deployment.provider.reset());
  afterAll(() => deployment?.close());

  async function transport(user: string): Promise<StreamableHTTPClientTransport> {
    const headers = { authorization: `Bearer ${await deployment.token(server)}`, 'gatehouse-user-id': user };
    return new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } });
  }

  /** The person consents; the app knows who is signed in. */
  async function consent(link: string, user: string): Promise<void> {
    const page = await deployment.browser(server).connect(link);
    expect((await server.verify(authRequestIn(page), user)).status).toBe(200);
  }

  it.each<[string, VersionNegotiationMode]>([
    ['2025-11-25', 'legacy'],
    ['2026-07-28', PINNED],
  ])('gives a %s client without elicitation the link as text', async (era, mode) => {
    const user = `text-${era}`;
    const client = await agent(await transport(user), mode);
    const prompt = await client.call();
    expect(prompt.isError).toBe(true);
    expect(prompt.texts[0]).toContain(`Ledger (account ${user}) is not connected yet.`);
    expect(factsOf(prompt)).toMatchObject({ code: 'AUTHORIZATION_REQUIRED', status: 'PENDING_AUTH' });
    expect(prompt.texts[0]).toContain(factsOf(prompt).link);
    await consent(factsOf(prompt).link, user);
    const answer = await client.call();
    expect([answer.isError, JSON.parse(answer.texts[0] ?? '')]).toEqual([
      false,
      { subject: 'ada', method: 'GET', path: '/api/entries', query: { filter: 'cats' } },
    ]);
    await client.close();
  });

  it('gives a 2026-07-28 client with elicitation the answer within the same call', async () => {
    const user = 'pages';
    const opened: string[] = [];
    const client = await agent(await transport(user), PINNED, async (link) => {
      opened.push(link);
      await consent(link, user);
    });
    const answer = await client.call();
    expect([answer.isError, answer.texts[0]]).toEqual([false, expect.stringContaining('"subject":"ada"')]);
    expect(opened).toEqual([expect.stringMatching(LINK)]);
    await client.close();
  });

  it('gives a different text for each status, names app and account, and always leads back to a working call', async () => {
    const user = 'every-status';
    const client = await agent(await transport(user), 'legacy');
    const prompts = [await client.call()];
    const page = await deployment.browser(server).connect(factsOf(prompts[0]!).link);
    prompts.push(await client.call());
    expect((await server.verify(authRequestIn(page), user)).status).toBe(200);
    expect((await client.call()).isError).toBe(false);
    deployment.provider.grants.revokeAll();
    prompts.push(await client.call());
    await consent(factsOf(prompts[2]!).link, user);
    expect((await client.call()).isError).toBe(false);
    const { id } = await server.account(user);
    expect((await server.api('POST', `/connected_accounts/${id}:disconnect`)).status).toBe(200);
    prompts.push(await client.call());
    await consent(factsOf(prompts[3]!).link, user);
    expect((await client.call()).isError).toBe(false);

    expect(prompts.map((prompt) => factsOf(prompt).status)).toEqual([
      'PENDING_AUTH',
      'PENDING_VERIFICATION',
      'EXPIRED',
      'DISCONNECTED',
    ]);
    const sentences = prompts.map(({ texts }) => texts[0]?.replace(LINK, '').replaceAll(/\d/g, '') ?? '');
    expect(new Set(sentences).size).toBe(4);
    for (const sentence of sentences) expect(sentence).toContain('Ledger (account every-status)');
    await client.close();
  });
});

describe('connecting an account over MCP stdio, on loopback', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.open({ site: [] });
  });
  afterAll(() => deployment?.close());

  /** A desktop client's process for one user, and that user's browser. */
  async function desktop(user: string) {
    const port = await freePort();
    const env = { ...deployment.env, GATEHOUSE_MCP_USER_ID: user, GATEHOUSE_PORT: String(port) };
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp'],
      env,
      cwd: deployment.dir,
      stderr: 'ignore',
    });
    const url = `http://127.0.0.1:${port}`;
    const browser = new Browser({ baseUrl: url, server: { url }, keep: () => {} });
    const consent = async (link: string): Promise<void> => {
      expect(link.startsWith(`${url}/connect/`)).toBe(true);
      const page = await browser.connect(link);
      expect([page.status, page.location]).toEqual([302, '/connect/done']);
      expect((await browser.get(`${url}/connect/done`)).status).toBe(200);
    };
    return { transport, consent };
  }

  it.each(DESKTOP_ERAS)('gives a %s client without elicitation the link as text', async (era, mode) => {
    const { transport, consent } = await desktop(`text-${era}`);
    const client = await agent(transport, mode);
    const prompt = await client.call();
    expect([prompt.isError, prompt.texts[0]]).toEqual([
      true,
      expect.stringContaining('is not connected yet.'),
    ]);
    await consent(factsOf(prompt).link);
    const answer = await client.call();
    expect([answer.isError, answer.texts[0]]).toEqual([false, expect.stringContaining('"subject":"ada"')]);
    await client.close();
  });

  it.each(DESKTOP_ERAS)(
    'gives a %s client with elicitation the answer within the same call',
    async (era, mode) => {
      const { transport, consent } = await desktop(`pages-${era}`);
      const client = await agent(transport, mode, consent);
      const answer = await client.call();
      expect([answer.isError, answer.texts[0]]).toEqual([false, expect.stringContaining('"subject":"ada"')]);
      await client.close();
    },
  );
});
