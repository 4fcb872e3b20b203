import { beforeEach, describe, expect, it } from 'vitest';
import {
  ENVIRONMENT_ID,
  machine,
  OTHER_ENVIRONMENT_ID,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';

let services: Services;
beforeEach(async () => {
  services = await testServices();
});

const tokenOf = (link: string): string => link.split('/connect/')[1] ?? '';
const status = async (id: string): Promise<string> =>
  (await services.accounts.describe(machine, { id })).status;

async function onlyAccount(): Promise<string> {
  const { connected_accounts } = await services.accounts.list(machine, {});
  expect(connected_accounts).toHaveLength(1);
  return connected_accounts[0]!.id;
}

describe('link creation', () => {
  it('creates the account of the link and makes the link last an hour', async () => {
    const { link, expiry } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:3000\/connect\/[A-Za-z0-9_-]{43}$/);
    expect(expiry).toBe('2026-11-20T13:00:00.000Z');
    const account = await services.accounts.describe(machine, { id: await onlyAccount() });
    expect(account).toMatchObject({
      connector: 'notes',
      identifier: 'u1',
      user_id: 'u1',
      status: 'PENDING_AUTH',
    });
  });

  it('uses the existing account of the owner', async () => {
    await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    await onlyAccount();
  });

  it.each([
    [{}, ['connector', 'identifier']],
    [{ connector: 'notes' }, ['identifier']],
    [{ connector: 'notes', user_id: 'u', organization_id: 'o' }, ['organization_id']],
    [{ connector: 'nowhere', user_id: 'u' }, ['connector']],
    [{ connector: 'weather', user_id: 'u', user_verify_url: 'http://evil.test/' }, ['user_verify_url']],
    [{ connector: 'notes', user_id: 'x'.repeat(65), state: 'y'.repeat(513) }, ['user_id', 'state']],
    [{ connector: 'notes', user_id: 'a\u0000b' }, ['user_id']],
  ])('refuses %j naming %j', async (input, fields) => {
    await expect(services.links.create(machine, input)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field_violations: fields.map((field) => expect.objectContaining({ field })) },
    });
    expect((await services.accounts.list(machine, {})).total_size).toBe(0);
  });

  it('says how to set up a connector that nobody has set up', async () => {
    await expect(
      services.links.create(machine, { connector: 'mailbox', user_id: 'u1' }),
    ).rejects.toMatchObject({
      code: 'CONNECTION_MISSING',
      message: expect.stringContaining('gatehouse connections create mailbox'),
    });
  });

  it('makes no account at a connection that the operator has not finished', async () => {
    await services.connections.create(machine, { connector: 'mailbox' });
    await expect(
      services.links.create(machine, { connector: 'mailbox', user_id: 'u1' }),
    ).rejects.toMatchObject({
      details: { field_violations: [{ field: 'connector', constraint: 'incomplete' }] },
    });
    expect((await services.accounts.list(machine, {})).total_size).toBe(0);
  });

  it('refuses a verify URL outside the allow-list', async () => {
    services = await testServices({ environment: { userVerifyUrls: ['https://app.example/verify'] } });
    await expect(
      services.links.create(machine, {
        connector: 'notes',
        user_id: 'u1',
        user_verify_url: 'https://evil.test/verify',
      }),
    ).rejects.toMatchObject({
      details: { field_violations: [{ field: 'user_verify_url', constraint: 'allow_list' }] },
    });
  });

  it('refuses a link in mode app without any verify URL', async () => {
    services = await testServices({ environment: { userVerifyUrl: undefined } });
    await expect(services.links.create(machine, { connector: 'notes', user_id: 'u1' })).rejects.toMatchObject(
      {
        details: { field_violations: [{ field: 'user_verify_url', constraint: 'required' }] },
      },
    );
  });
});

describe('link page: opening a link', () => {
  it('shows what is asked for and does not spend the link', async () => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    for (let i = 0; i < 3; i++) {
      const { page } = await services.links.open(ENVIRONMENT_ID, tokenOf(link), undefined);
      expect(page).toMatchObject({
        connectorTitle: 'Notes',
        identifier: 'u1',
        status: 'PENDING_AUTH',
        fields: [{ name: 'api_key', label: 'API key', input: 'password', required: true }],
        submitOrigin: 'https://app.example',
      });
    }
    expect(await status(await onlyAccount())).toBe('PENDING_AUTH');
  });

  it('asks for the part of the host that nobody has filled in', async () => {
    const { link } = await services.links.create(machine, { connector: 'desk', user_id: 'u1' });
    const { page } = await services.links.open(ENVIRONMENT_ID, tokenOf(link), undefined);
    expect(page.fields.map((field) => field.name)).toEqual(['domain', 'username', 'password']);
  });

  it('keeps the cookie of a browser that has one and replaces a malformed one', async () => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    const first = await services.links.open(ENVIRONMENT_ID, tokenOf(link), undefined);
    const second = await services.links.open(ENVIRONMENT_ID, tokenOf(link), first.browser);
    expect(second.browser).toBe(first.browser);
    const third = await services.links.open(ENVIRONMENT_ID, tokenOf(link), 'x; Path=/');
    expect(third.browser).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it.each([
    ['a token that was never issued', 'unknown', async () => 'A'.repeat(43)],
    [
      'an expired link',
      'expired',
      async () => {
        const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
        services.clock.advance(3_600_000);
        return tokenOf(link);
      },
    ],
    [
      'a completed link',
      'used',
      async () => {
        const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
        await submitForm(services, link, { api_key: 'k' });
        return tokenOf(link);
      },
    ],
    [
      'a link of a deleted account',
      'unknown',
      async () => {
        const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
        await services.disconnection.remove(machine, { id: await onlyAccount() });
        return tokenOf(link);
      },
    ],
  ] as const)('refuses to open %s as %s', async (_, kind, make) => {
    const token = await make();
    await expect(services.links.open(ENVIRONMENT_ID, token, undefined)).rejects.toMatchObject({ kind });
  });

  it('refuses a link of another environment', async () => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    await expect(services.links.open(OTHER_ENVIRONMENT_ID, tokenOf(link), undefined)).rejects.toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('link page: submitting the form', () => {
  it('leaves the account pending verification and sends the browser to the app with its state', async () => {
    const { link } = await services.links.create(machine, {
      connector: 'notes',
      user_id: 'u1',
      state: 'caller state',
      user_verify_url: 'https://app.example/back?x=1&state=old&auth_request_id=old',
    });
    const target = new URL((await submitForm(services, link, { api_key: 'key-1' })) ?? '');
    expect(target.origin + target.pathname).toBe('https://app.example/back');
    expect(Object.fromEntries(target.searchParams)).toEqual({
      x: '1',
      state: 'caller state',
      auth_request_id: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
    expect(target.searchParams.getAll('auth_request_id')).toHaveLength(1);
    expect(await status(await onlyAccount())).toBe('PENDING_VERIFICATION');
  });

  it('leaves the query of the verify URL as it is written', async () => {
    const { link } = await services.links.create(machine, {
      connector: 'notes',
      user_id: 'u1',
      user_verify_url: 'https://app.example/back?sig=a%20b~c&flag',
    });
    expect(await submitForm(services, link, { api_key: 'k' })).toMatch(
      /^https:\/\/app\.example\/back\?sig=a%20b~c&flag&auth_request_id=[A-Za-z0-9_-]{43}$/,
    );
  });

  it('connects the account at once in mode none', async () => {
    services = await testServices({ environment: { userVerification: 'none', userVerifyUrl: undefined } });
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    expect(await submitForm(services, link, { api_key: 'key-1' })).toBeNull();
    expect(await status(await onlyAccount())).toBe('ACTIVE');
  });

  it.each([
    [{}, 'required'],
    [{ api_key: '   ' }, 'required'],
    [{ api_key: 'a\r\nx-injected: 1' }, 'characters'],
    [{ api_key: 'k\u0000' }, 'characters'],
    [{ api_key: 'k'.repeat(9000) }, 'max_length'],
  ])('shows the form again for %j (%s)', async (values, constraint) => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    await expect(submitForm(services, link, values)).rejects.toMatchObject({
      violations: [{ field: 'api_key', constraint }],
    });
    expect(await status(await onlyAccount())).toBe('PENDING_AUTH');
  });

  it('names every field that is wrong, and takes no host outside the connector’s pattern', async () => {
    const { link } = await services.links.create(machine, { connector: 'desk', user_id: 'u1' });
    await expect(submitForm(services, link, { domain: 'evil.test', password: 'p' })).rejects.toMatchObject({
      violations: [
        { field: 'domain', constraint: 'pattern' },
        { field: 'username', constraint: 'required' },
      ],
    });
  });

  it('takes no field that the form does not have', async () => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    await expect(submitForm(services, link, { api_key: 'key-1', zz: '1' })).rejects.toMatchObject({
      violations: [{ field: 'zz', description: 'This form has no field zz.', constraint: 'unknown' }],
    });
    expect(await status(await onlyAccount())).toBe('PENDING_AUTH');
  });

  it.each([
    ['no cookie', undefined, 'right'],
    ['the cookie of another browser', 'B'.repeat(43), 'right'],
    ['a wrong token', 'same', 'wrong'],
  ])('refuses a post with %s (CSRF)', async (_, cookie, csrf) => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    const { page, browser } = await services.links.open(ENVIRONMENT_ID, tokenOf(link), undefined);
    const form = { api_key: 'k', csrf: csrf === 'right' ? page.csrf : 'x' };
    await expect(
      services.links.submit(ENVIRONMENT_ID, tokenOf(link), cookie === 'same' ? browser : cookie, form),
    ).rejects.toMatchObject({ kind: 'csrf' });
  });

  it('completes a link once when the form is sent twice at the same time', async () => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    const token = tokenOf(link);
    const { page, browser } = await services.links.open(ENVIRONMENT_ID, token, undefined);
    const posts = await Promise.allSettled(
      Array.from({ length: 10 }, async () =>
        services.links.submit(ENVIRONMENT_ID, token, browser, { api_key: 'k', csrf: page.csrf }),
      ),
    );
    expect(posts.filter((post) => post.status === 'fulfilled')).toHaveLength(1);
  });

  it('keeps a working account on its old credentials while new ones wait', async () => {
    const { link } = await services.links.create(machine, { connector: 'notes', user_id: 'u1' });
    const id = await onlyAccount();
    await services.accounts.update(machine, {
      id,
      connected_account: { authorization_details: { static_auth: { details: { api_key: 'old' } } } },
    });
    await submitForm(services, link, { api_key: 'new' });
    const seen = await services.credentialAccess.describe(machine, { id });
    expect(seen).toMatchObject({
      status: 'ACTIVE',
      authorization_details: { static_auth: { details: { api_key: 'old' } } },
    });
  });
});
