/**
 * One token request where the token of an account at a remote MCP server has ended, however many callers and processes
 * (docs/security.md#one-refresh-per-expiry): its authorization server takes each refresh token once.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/store/open.ts';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { authRequestIn } from '../support/deployment/browser.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import { oneTool, startMcpProvider, type McpProvider } from '../support/mcp-provider.ts';
import { ROUNDS } from '../support/rounds.ts';

const CALLERS = ROUNDS.callersAtOnce;
const PROCESSES = ROUNDS.processesAtOnce;

forEachDatabaseInFull((name, _open, newUrl) => {
  let deployment: Deployment;
  let databaseUrl: string;
  let provider: McpProvider;
  let servers: ServerProcess[];

  beforeAll(async () => {
    const postgresUrl = name === 'postgres' ? await newUrl() : undefined;
    deployment = await Deployment.open({ ...(postgresUrl !== undefined && { databaseUrl: postgresUrl }) });
    databaseUrl = postgresUrl ?? `sqlite:${join(deployment.dir, 'data/gatehouse.db')}`;
    provider = await startMcpProvider();
    provider.result = oneTool;
    // The first of them makes the keys.
    const first = await deployment.serve();
    const others = Array.from({ length: PROCESSES - 1 }, () => deployment.serve());
    servers = [first, ...(await Promise.all(others))];
    await addTracker(first);
    await connect(first);
    // Each process looks every few seconds for what others have published.
    for (const server of servers)
      await vi.waitFor(async () => expect(await answerOf(server)).toBe('200 found'), 30_000);
  });
  beforeEach(() => {
    provider.answer = () => undefined;
    provider.server.requests = [];
    provider.authorizer.requests = [];
  });
  afterAll(async () => {
    await deployment?.close();
    await provider?.close();
  });

  /** Its tools are published without a person, as those of a server of one's own. */
  async function addTracker(server: ServerProcess): Promise<void> {
    const tracker = { name: 'tracker', url: provider.url, trusted: true };
    const { text } = await server.api('POST', '/upstreams', tracker);
    const { upstream } = JSON.parse(text) as { upstream: Record<string, unknown> };
    const { authorization_type, issuer, origins } = upstream;
    const seen = { authorization_type, issuer, origins };
    const added = await server.api('POST', '/upstreams', { ...tracker, confirm: true, seen });
    expect([added.status, added.text]).toEqual([200, expect.stringContaining('"state":"no_list"')]);
  }

  async function connect(server: ServerProcess): Promise<void> {
    const link = await server.magicLink('ada', { connector: 'tracker' });
    const page = await deployment.browser(server).connect(link);
    expect((await server.verify(authRequestIn(page), 'ada')).status).toBe(200);
  }

  async function answerOf(server: ServerProcess): Promise<string> {
    const call = { tool_name: 'tracker_find', connector: 'tracker', identifier: 'ada', user_id: 'ada' };
    const { status, text } = await server.api('POST', '/execute_tool', call);
    const { data } = JSON.parse(text) as { data?: { content: { text: string }[] } };
    return `${status} ${data?.content[0]?.text ?? text}`;
  }

  /** As many calls as there are callers, spread over so many processes, at once. @returns how often each answer came */
  async function storm(processes: number): Promise<Record<string, number>> {
    const calls = Array.from({ length: CALLERS }, async (_, i) => answerOf(servers[i % processes]!));
    return tally(await Promise.all(calls));
  }

  const tokenRequests = (): (string | undefined)[] =>
    provider.tokenForms().map(({ grant_type: type }) => type);
  const callsSent = (): number =>
    provider.server.at('/mcp').filter(({ body }) => body.includes('"tools/call"')).length;

  describe.each([{ processes: 1 }, { processes: PROCESSES }])(
    `${CALLERS} callers of a remote MCP server in $processes process(es)`,
    ({ processes }) => {
      it(`share one token request after the token has ended, ${ROUNDS.refreshStorms} times`, async () => {
        for (let round = 0; round < ROUNDS.refreshStorms; round++) {
          provider.server.requests = [];
          provider.authorizer.requests = [];
          await endToken();
          expect(await storm(processes)).toEqual({ '200 found': CALLERS });
          expect([tokenRequests(), callsSent()]).toEqual([['refresh_token'], CALLERS]);
        }
      });

      it('share one token request after the server has refused the token', async () => {
        await answerOf(servers[0]!);
        const { authorization } = provider.server.at('/mcp')[0]!.headers;
        provider.answer = ({ path, headers }) =>
          path === '/mcp' && headers['authorization'] === authorization
            ? { status: 401, json: {}, headers: { 'www-authenticate': provider.challenge } }
            : undefined;
        expect(await storm(processes)).toEqual({ '200 found': CALLERS });
        expect(tokenRequests()).toEqual(['refresh_token']);
      });
    },
  );

  /** As if the token of the account had ended long ago. */
  async function endToken(): Promise<void> {
    const db = await openDatabase({ url: databaseUrl });
    await db.transaction(async (tx) =>
      tx.updateTable('accounts').set({ token_expires_at: 1 }).where('identifier', '=', 'ada').execute(),
    );
    await db.close();
  }
});
