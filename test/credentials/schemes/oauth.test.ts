/** OAUTH end to end: consent with a code challenge, the exchange of the code, calls, and the renewal by its refresh token. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { promptedLink, startExampleServer, type ExampleServer } from '../../support/example-server.ts';
import { startStandIn, type StandIn } from '../../support/stand-in.ts';

const CLIENT = { client_id: 'app-1', client_secret: 'secret-1' };

let provider: StandIn;
let server: ExampleServer;
let issued = 0;
let asked: URLSearchParams;

beforeAll(async () => {
  provider = await startStandIn(({ path, query, form, headers }) => {
    if (path === '/authorize') {
      asked = query;
      const back = new URL(query.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code: 'code-1', state: query.get('state') ?? '' }).toString();
      return { status: 302, json: {}, headers: { location: back.href } };
    }
    if (path === '/token') {
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isClient = form.get('client_id') === 'app-1' && form.get('client_secret') === 'secret-1';
      const isGrant =
        form.get('grant_type') === 'refresh_token'
          ? form.get('refresh_token') === `rt-${issued}`
          : form.get('code') === 'code-1' && challenge === asked.get('code_challenge');
      if (!isClient || !isGrant) return { status: 400, json: { error: 'invalid_grant' } };
      issued++;
      const token = { access_token: `at-${issued}`, refresh_token: `rt-${issued}`, expires_in: 3_600 };
      return { json: { ...token, token_type: 'Bearer' } };
    }
    return headers['authorization'] === `Bearer at-${issued}`
      ? { json: { lists: [] } }
      : { status: 401, json: {} };
  });
  server = await startExampleServer({
    connections: [
      {
        connector: 'readinglists',
        ...CLIENT,
        overrides: {
          base_url: provider.origin,
          authorization_url: `${provider.origin}/authorize`,
          token_url: `${provider.origin}/token`,
        },
      },
    ],
  });
});
afterAll(async () => {
  await server.close();
  await provider.close();
});
const call = async () => server.call('readinglists_list', {}, 'ada');

it('connects the account by the consent that the prompt of the first call leads to', async () => {
  const browser = server.browser();
  const done = await browser.connect(await promptedLink(call()));
  expect(done).toMatchObject({ status: 302, location: '/connect/done' });
  expect(asked.get('scope')).toBe('list:read offline_access');
  expect(asked.get('code_challenge_method')).toBe('S256');
  expect(await call()).toEqual({ lists: [] });
  expect((await server.auth('readinglists', 'ada')).authorization_details).toEqual({
    oauth_token: {
      access_token: 'at-1',
      refresh_token: 'rt-1',
      scopes: ['list:read', 'offline_access'],
    },
  });
});

it('renews the account by its refresh token when the access token is refused', async () => {
  const { id } = await server.details('readinglists', 'ada');
  await server.services.accountRefresh.refresh(server.operator, id);
  expect(issued).toBe(2);
  expect(await call()).toEqual({ lists: [] });
});

it('ends the account when its refresh token is refused, with a link', async () => {
  issued = 7;
  expect(await promptedLink(call())).toContain('/connect/');
  expect((await server.details('readinglists', 'ada')).status).toBe('EXPIRED');
});
