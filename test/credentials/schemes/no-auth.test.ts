/** NO_AUTH end to end: an account is ready with its first call, and nothing of it is sent. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fieldsOf, fillIn, startExampleServer, type ExampleServer } from '../../support/example-server.ts';
import { startStandIn, type StandIn } from '../../support/stand-in.ts';

let provider: StandIn;
let server: ExampleServer;
beforeAll(async () => {
  provider = await startStandIn(() => ({ json: { days: [] } }));
  server = await startExampleServer({
    connections: [{ connector: 'holidays', overrides: { base_url: provider.origin } }],
  });
});
afterAll(async () => {
  await server.close();
  await provider.close();
});
const call = async (user: string) => server.call('holidays_list', { country: 'AT', year: 2026 }, user);

it('calls a tool without a connected account and without any credential', async () => {
  expect(await call('ada')).toEqual({ days: [] });
  const [request] = provider.at('/api/AT/2026');
  expect(request!.query.size).toBe(0);
  expect(Object.keys(request!.headers).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
  expect(await server.details('holidays', 'ada')).toMatchObject({
    status: 'ACTIVE',
    authorization_details: {},
    token_expires_at: null,
  });
});

it('connects the account again by the button of a page that asks for nothing', async () => {
  const { id } = await server.create('holidays', 'bob');
  await server.services.disconnection.disconnect(server.operator, id);
  const link = await server.link('holidays', 'bob');
  const browser = server.browser();
  expect(fieldsOf(await browser.get(link))).toEqual([]);
  expect((await fillIn(browser, link, {})).status).toBe(303);
  expect(await call('bob')).toEqual({ days: [] });
});

it('refuses every credential for the type', async () => {
  const details = { static_auth: { details: { api_key: 'key-1' } } };
  await expect(server.create('holidays', 'cy', details)).rejects.toMatchObject({
    details: { field_violations: [{ constraint: 'variant' }] },
  });
});
