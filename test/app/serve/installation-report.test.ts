/** Settings and doctor over REST, of a real server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startShopServer, type ShopServer } from '../../support/shop-server.ts';

const ORIGIN = 'http://127.0.0.1:9';

let shop: ShopServer;

beforeAll(async () => {
  const connections = [{ name: 'shop', connector: 'shop' }];
  const environments = [{ name: 'staging', base_url: 'https://staging.example', sign_up: 'invited' }];
  const settings = { connections, environments, log_level: 'warn' };
  shop = await startShopServer({ hosts: { main: ORIGIN, files: ORIGIN }, settings });
});
afterAll(async () => shop.close());

describe('GET /api/v1/settings', () => {
  it('lists the settings in force of the installation and the environment that asks', async () => {
    const response = await shop.api('GET', '/settings');
    const { settings } = (await response.json()) as { settings: { key: string }[] };
    const named = (key: string) => settings.filter((setting) => setting.key === key);
    expect(response.status).toBe(200);
    expect(named('log_level')).toEqual([{ key: 'log_level', value: 'warn', from: 'file' }]);
    expect(named('inbound.max_connections')).toEqual([
      { key: 'inbound.max_connections', value: 2048, from: 'default' },
    ]);
    expect(named('client_secret')).toEqual([{ key: 'client_secret', value: 'set', from: 'file' }]);
    expect(named('sign_up')).toEqual([{ key: 'sign_up', value: 'open', from: 'default' }]);
  });

  it.each(['/settings', '/doctor'])('needs the scope admin: %s', async (path) => {
    const token = await shop.tokenWith('accounts:read');
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${shop.baseUrl}/api/v1${path}`, { headers })).status).toBe(403);
  });
});

describe('GET /api/v1/doctor', () => {
  it('makes the checks of the command for the environment that asks', async () => {
    const response = await shop.api('GET', '/doctor');
    const { checks } = (await response.json()) as { checks: { name: string; status: string }[] };
    expect([response.status, checks.map(({ name, status }) => `${name} ${status}`)]).toEqual([
      200,
      [
        'settings ok',
        'key ok',
        'database ok',
        'catalog ok',
        'verification development ok',
        'connection development/branch ok',
        'connection development/shop ok',
        'connection development/stall ok',
        'connection development/websearch ok',
        'listener ok',
      ],
    ]);
  });
});
