/** Sessions that an application begins, over a whole server: what their tokens reach, refreshing, and the end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startShopServer, type ShopServer } from '../support/shop-server.ts';

let shop: ShopServer;
let ada: string;

beforeAll(async () => {
  shop = await startShopServer({ hosts: { main: 'http://127.0.0.1:9', files: 'http://127.0.0.1:9' } });
  const made = await shop.api('POST', '/users', { email: 'ada@example.test' });
  ada = ((await made.json()) as { user: { id: string } }).user.id;
});
afterAll(async () => shop.close());

interface Begun {
  session: { id: string };
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

async function begin(body: object): Promise<Begun> {
  const response = await shop.api('POST', '/sessions', body);
  expect(response.status).toBe(201);
  return (await response.json()) as Begun;
}

async function refresh(refreshToken: string): Promise<{ status: number; body: Record<string, string> }> {
  const response = await fetch(`${shop.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: 'test',
      client_secret: 'a-secret-of-the-test-that-is-long-enough-0123456789',
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function accountsOf(token: string): Promise<[number, number | undefined]> {
  const response = await fetch(`${shop.baseUrl}/api/v1/connected_accounts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return [response.status, ((await response.json()) as { total_size?: number }).total_size];
}

it("issues tokens for the user at the session's resource and nowhere else", async () => {
  await shop.account('somebody-else');
  await shop.account(ada);
  const forApi = await begin({ user_id: ada, resource: `${shop.baseUrl}/api` });
  const forMcp = await begin({ user_id: ada });
  expect([
    await accountsOf(shop.token),
    await accountsOf(forApi.access_token),
    await accountsOf(forMcp.access_token),
    forApi.expires_in,
  ]).toEqual([[200, 2], [200, 1], [401, undefined], 3_600]);
});

it('gives no scope admin, although the user is an operator', async () => {
  const { services } = shop;
  await services.db.transaction(async (tx) => {
    await tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', ada).execute();
  });
  const { access_token } = await begin({ user_id: ada, resource: `${shop.baseUrl}/api` });
  const response = await fetch(`${shop.baseUrl}/api/v1/users`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  expect(response.status).toBe(403);
});

it('refreshes for the credential that began the session, until it ends', async () => {
  const { session, refresh_token } = await begin({ user_id: ada, resource: `${shop.baseUrl}/api` });
  const refreshed = await refresh(refresh_token);
  expect(refreshed.status).toBe(200);
  expect((await accountsOf(refreshed.body['access_token'] ?? ''))[0]).toBe(200);
  expect((await shop.api('DELETE', `/sessions/${session.id}`)).status).toBe(200);
  expect(await refresh(refreshed.body['refresh_token'] ?? '')).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
});
