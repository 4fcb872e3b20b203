/** Links of connections that people consent to at the provider: what they show, and when none can be made. */
import { beforeEach, describe, expect, it } from 'vitest';
import { OtherBrowserFailure } from '../../../src/links/link-verifier.ts';
import { BROWSER, consentServices, ENVIRONMENT, machine, type ConsentServices } from './consent-support.ts';

let services: ConsentServices;
beforeEach(async () => {
  services = await consentServices();
});

const accounts = async () => services.db.read.selectFrom('accounts').selectAll().execute();
const open = async (token: string) => (await services.links.open(ENVIRONMENT, token, undefined)).page;

describe('page of a link with consent', () => {
  it('says where the link goes and what will be asked for, instead of a form', async () => {
    expect(await open(await services.link())).toMatchObject({
      connectorTitle: 'Ledger',
      identifier: 'u1',
      status: 'PENDING_AUTH',
      fields: [],
      consent: {
        providerHost: 'login.ledger.example',
        scopes: [
          { name: 'entries:read', meaning: 'Read entries', power: 'read', isIncluded: false },
          { name: 'entries:write', meaning: '', power: 'read', isIncluded: false },
          { name: 'books:read', meaning: '', power: 'read', isIncluded: false },
          { name: 'offline', meaning: '', power: 'other', isIncluded: false },
        ],
        isChosenByApp: false,
      },
    });
  });

  it('says what a scope allows that its connector knows by the beginning of its name', async () => {
    services = await consentServices({ connection: { scopes: '["role:ANALYST","role"]' } });
    const link = await services.link();
    expect((await open(link)).consent?.scopes).toEqual([
      { name: 'role:ANALYST', meaning: 'Act with a role', power: 'other', isIncluded: false },
      { name: 'role', meaning: '', power: 'other', isIncluded: false },
    ]);
  });

  it('says so where the registered app decides about the scopes', async () => {
    services = await consentServices({ rules: { scope_parameter: false } });
    expect((await open(await services.link())).consent).toMatchObject({ isChosenByApp: true });
  });

  it('shows what the connection chooses, what the link adds, and where overrides lead', async () => {
    services = await consentServices({
      connection: {
        scopes: '["constructor"]',
        overrides: '{"authorization_url":"http://127.0.0.1:9/a","token_url":"http://127.0.0.1:9/t"}',
      },
    });
    await services.link();
    const [row] = await accounts();
    const { link } = await services.links.createFor(machine, await services.account(), {
      scopes: ['entries:read'],
    });
    expect(row?.status).toBe('PENDING_AUTH');
    expect((await open(link.split('/connect/')[1] ?? '')).consent).toEqual({
      providerHost: '127.0.0.1:9',
      providerOrigin: 'http://127.0.0.1:9',
      scopes: [
        { name: 'constructor', meaning: '', power: 'other', isIncluded: false },
        { name: 'entries:read', meaning: 'Read entries', power: 'read', isIncluded: false },
      ],
      isChosenByApp: false,
    });
  });

  it('keeps a form where the connection has another type', async () => {
    await services.change({ authorization_type: 'API_KEY' });
    expect(await open(await services.link())).toMatchObject({
      consent: null,
      fields: [{ name: 'api_key' }],
    });
  });

  it('says what the operator has to do when the connection is no longer complete', async () => {
    const token = await services.link();
    await services.change({ client_id: null });
    await expect(open(token)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('The operator adds it to the connection.'),
    });
  });

  it('stores nothing of a form that is posted all the same', async () => {
    const token = await services.link();
    const { page, browser } = await services.links.open(ENVIRONMENT, token, BROWSER);
    const form = { access_token: 'x', api_config: '{}', status: 'ACTIVE' };
    expect(await services.links.submit(ENVIRONMENT, token, browser, { ...form, csrf: page.csrf })).toBeNull();
    await expect(services.links.submit(ENVIRONMENT, token, browser, form)).rejects.toMatchObject({
      name: 'PageFailure',
      subject: 'link',
      kind: 'csrf',
    });
    expect(await services.account()).toEqual(
      expect.objectContaining({ status: 'PENDING_AUTH', apiConfig: {} }),
    );
  });
});

describe('link that cannot be made', () => {
  it.each([
    ['without client id', { client_id: null }, 'incomplete', 'has no client_id'],
    ['with an empty client id', { client_id: '' }, 'incomplete', 'has no client_id'],
    [
      'with overrides without authorization URL',
      { overrides: '{"token_url":"https://x.example/t"}' },
      'incomplete',
      'has no overrides.authorization_url',
    ],
    [
      'with overrides without token URL',
      { overrides: '{"authorization_url":"https://x.example/a"}' },
      'incomplete',
      'has no overrides.token_url',
    ],
  ])('makes neither link nor account for a connection %s', async (_, change, constraint, words) => {
    await services.change(change);
    await expect(services.link()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: {
        field_violations: [{ field: 'connector', constraint, description: expect.stringContaining(words) }],
      },
    });
    expect(await accounts()).toEqual([]);
  });

  it('makes no link for an account whose connection was taken apart later', async () => {
    await services.link();
    const row = await services.account();
    await services.change({ client_id: null });
    await expect(services.links.createFor(machine, row)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await expect(services.links.create(machine, { id: row.id })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('makes no link where users are to be verified by signing in, and the owner cannot sign in', async () => {
    services = await consentServices({
      environment: { userVerification: 'signed_in', userVerifyUrl: undefined },
    });
    await expect(services.link()).rejects.toMatchObject({
      details: { field_violations: [{ field: 'user_id', constraint: 'signed_in' }] },
    });
  });
});

it('activates nothing by a link whose verification cannot be done', async () => {
  const token = await services.link();
  await services.db.transaction(async (tx) =>
    tx.updateTable('links').set({ verification: 'app', user_verify_url: null }).execute(),
  );
  const target = await services.go(token);
  await expect(
    services.back({ code: 'c', state: target.searchParams.get('state') ?? '' }),
  ).rejects.toMatchObject({ name: 'PageFailure', subject: 'link', kind: 'unknown' });
  expect(await services.account()).toMatchObject({ status: 'PENDING_AUTH', credentialsSealed: null });
});

it('activates nothing without verification once the settings ask for it, though the link was made before', async () => {
  services = await consentServices({
    environment: { userVerification: 'none', userVerifyUrl: undefined },
  });
  const token = await services.link();
  const target = await services.go(token);
  services.environments.get(ENVIRONMENT).userVerification = 'app';
  await expect(
    services.back({ code: 'c', state: target.searchParams.get('state') ?? '' }),
  ).rejects.toMatchObject({ name: 'PageFailure', subject: 'link', kind: 'unknown' });
  expect(await services.account()).toMatchObject({ status: 'PENDING_AUTH', credentialsSealed: null });
});

it('lets nobody confirm a consent that somebody else gave in another browser', async () => {
  services = await consentServices({
    environment: { userVerification: 'signed_in', userVerifyUrl: undefined },
  });
  const token = await services.link({ connector: 'ledger', user_id: 'usr_ada' });
  const target = await services.go(token);
  const state = target.searchParams.get('state') ?? '';
  const { redirectTo } = await services.back({ code: 'c', state });
  const id = new URL(redirectTo ?? '').searchParams.get('auth_request_id') ?? '';
  const ada = { environmentId: ENVIRONMENT, userId: 'usr_ada', administers: async () => false };
  for (const browser of [undefined, 'x'.repeat(43)]) {
    await expect(services.verification.confirm({ ...ada, browser }, id)).rejects.toThrow(OtherBrowserFailure);
  }
  expect(await services.account()).toMatchObject({ status: 'PENDING_VERIFICATION', credentialsSealed: null });
  await services.verification.confirm({ ...ada, browser: BROWSER }, id);
  expect(await services.account()).toMatchObject({ status: 'ACTIVE' });
});
