import { stringify } from 'yaml';
import { expect, it } from 'vitest';
import { openAdmin } from '../../../src/app/commands/admin.ts';
import { openConnect, type FormConnect } from '../../../src/app/commands/connect.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { startStandIn } from '../../support/stand-in.ts';
import { folderWith, settingsIn } from '../folder.ts';

const log = silentLog;
const target = { environment: 'development', connector: 'shop', userId: 'ada' };

/** A connector whose address has a part that every account has its own of. */
const SHOP = {
  name: 'shop',
  title: 'Shop',
  description: 'Sells things.',
  hosts: [{ url: 'https://{store}.shop.example.test', placeholders: { store: '[a-z0-9-]{1,40}' } }],
  auth: [
    {
      type: 'API_KEY',
      fields: [{ name: 'api_key', label: 'API key' }],
      attach: { in: 'header', name: 'x-api-key', field: 'api_key' },
    },
  ],
  errors: { message: ['message'], reconnect: [401] },
};
const TOOLS = {
  connector: 'shop',
  tools: [
    {
      name: 'shop_list_orders',
      title: 'List orders',
      description: 'Lists the orders of the shop.',
      effect: 'read',
      source: { url: 'https://docs.shop.example.test/orders', checked: '2026-11-20' },
      request: { method: 'GET', path: '/orders' },
    },
  ],
};

function shopSettings(connector: object = SHOP, more: object = {}): Settings {
  const folder = folderWith({
    'catalog/shop/connector.yaml': stringify(connector),
    'catalog/shop/orders.yaml': stringify(TOOLS),
    'gatehouse.yaml': stringify({
      catalog_dirs: ['catalog'],
      connections: [{ name: 'shop', connector: 'shop' }],
      ...more,
    }),
  });
  return settingsIn(folder);
}

async function openForm(settings: Settings): Promise<FormConnect> {
  const session = await openConnect({ settings, log, target });
  if (session.kind !== 'form') throw new Error('there is a link instead of a form');
  return session;
}

it('asks for the missing parts of the host and stores them with the account', async () => {
  const settings = shopSettings();
  const first = await openForm(settings);
  expect(first.fields.map(({ name }) => name)).toEqual(['store', 'api_key']);
  const { accountId, status } = await first.submit({ store: 'tea-house', api_key: 'key-1' });
  await first.close();
  expect(status).toBe('ACTIVE');

  const admin = await openAdmin({ settings, log });
  const caller = await admin.caller('development');
  expect((await admin.accounts.describe(caller, { id: accountId })).api_config).toEqual({
    store: 'tea-house',
  });
  await admin.close();

  const again = await openForm(settings);
  expect(again.fields.map(({ name }) => name)).toEqual(['api_key']);
  expect((await again.submit({ api_key: 'key-2' })).accountId).toBe(accountId);
  await again.close();
});

it('refuses all values that cannot be sent, at once, and stores nothing', async () => {
  const settings = shopSettings();
  const session = await openForm(settings);
  const submitted = session.submit({ store: 'evil.test/', api_key: 'käse' });
  await expect(submitted).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: {
      field_violations: [
        { field: 'store', constraint: 'pattern' },
        { field: 'api_key', constraint: 'characters' },
      ],
    },
  });
  await session.close();
  const admin = await openAdmin({ settings, log });
  const { total_size } = await admin.accounts.list(await admin.caller('development'), {});
  expect(total_size).toBe(0);
  await admin.close();
});

it('tries a key before it stores it, and says what it could not try', async () => {
  const provider = await startStandIn(({ headers }) => ({
    status: headers['x-api-key'] === 'right' ? 200 : 401,
    json: {},
  }));
  const connector = { ...SHOP, auth: SHOP.auth.map((auth) => ({ ...auth, check: { path: '/orders' } })) };
  const at = (base_url: string) => ({
    outbound: { allow_private_hosts: [new URL(provider.origin).host] },
    connections: [{ name: 'shop', connector: 'shop', overrides: { base_url } }],
  });
  try {
    const session = await openForm(shopSettings(connector, at(provider.origin)));
    await expect(session.submit({ api_key: 'wrong' })).rejects.toMatchObject({
      details: { field_violations: [{ field: 'api_key', constraint: 'refused' }] },
    });
    expect(await session.submit({ api_key: 'right' })).toMatchObject({ status: 'ACTIVE', warnings: [] });
    expect(provider.requests.map(({ target }) => target)).toEqual(['/orders', '/orders']);
    await session.close();

    const unreachable = await openForm(shopSettings(connector, at('http://127.0.0.2:9')));
    expect(await unreachable.submit({ api_key: 'any' })).toMatchObject({
      status: 'ACTIVE',
      warnings: [expect.stringContaining('could not be tried at Shop')],
    });
    await unreachable.close();
  } finally {
    await provider.close();
  }
});
