/** A remote MCP server that turns on its accounts after their consents: tokens refused, documents moved. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal, startExampleServer, type ExampleServer } from '../support/example-server.ts';
import { sentStatements } from '../support/measured.ts';
import { at, oneTool, startMcpProvider, type McpProvider } from '../support/mcp-provider.ts';

let provider: McpProvider;
let server: ExampleServer;

beforeEach(async () => {
  provider = await startMcpProvider();
  provider.result = oneTool;
  const overrides = at(provider.server);
  server = await startExampleServer({ connections: [{ connector: 'tracker', overrides }] });
  await server.browser().connect(await server.link('tracker', 'ada'));
  await server.services.upstreams.settled();
});
afterEach(async () => {
  await server.close();
  await provider.close();
});

const found = async (): Promise<unknown> => server.call('tracker_find', {}, 'ada');
const calls = (): number =>
  provider.server.at('/mcp').filter(({ body }) => body.includes('"tools/call"')).length;
const renewals = (): number =>
  provider.tokenForms().filter(({ grant_type: type }) => type === 'refresh_token').length;
const statusOf = async (): Promise<string> => (await server.details('tracker', 'ada')).status;

describe('authorization of a hostile MCP server', () => {
  it('answers 401 to every token: each call is repeated once, and at most ten tokens are renewed in a minute', async () => {
    expect(await found()).toMatchObject({ content: [{ text: 'found' }] });
    const before = calls();
    provider.answer = ({ path }) =>
      path === '/mcp'
        ? { status: 401, json: { error: 'no' }, headers: { 'www-authenticate': provider.challenge } }
        : undefined;
    for (let i = 0; i < 12; i++)
      expect((await refusal(found())).message).toMatch(
        /^Tracker refuses the credential of this account, also after it was renewed \(401\)\./,
      );
    expect([renewals(), calls() - before, await statusOf()]).toEqual([10, 22, 'ACTIVE']);
  });

  it('answers 401 to many calls at once: the refused token is counted once', async () => {
    const { environmentId } = server.operator;
    const connection = await server.services.connectionFinder.byName(environmentId, 'tracker');
    const sent = sentStatements();
    await Promise.all(Array.from({ length: 20 }, async () => server.services.mcpServers.forget(connection)));
    expect(sent.filter((statement) => statement.startsWith('update "upstream_servers"'))).toHaveLength(1);
  });

  it('gets no secret at a token endpoint that it has moved after the consent', async () => {
    provider.metadata['token_endpoint'] = `${provider.server.origin}/token`;
    const { environmentId } = server.operator;
    const connection = await server.services.connectionFinder.byName(environmentId, 'tracker');
    await server.services.mcpServers.forget(connection);
    const link = await server.link('tracker', 'ben');
    const browser = server.browser();
    await browser.get(link);
    expect((await browser.get(`${link}/go`)).location).toBe('');
    const { id } = await server.details('tracker', 'ada');
    await server.services.accountRefresh.refresh(server.operator, id);
    expect(await found()).toMatchObject({ content: [{ text: 'found' }] });
    await server.services.disconnection.disconnect(server.operator, id);
    expect([renewals(), provider.server.at('/token')]).toEqual([1, []]);
    expect(await server.services.upstreams.operators.get(environmentId, 'tracker')).toMatchObject({
      state: 'authorization_server_changed',
      authorization_server_change: {
        issuer: provider.authorizer.origin,
        origins: [provider.authorizer.origin, provider.server.origin],
      },
    });
  });
});
