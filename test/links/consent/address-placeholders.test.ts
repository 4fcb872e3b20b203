/** Consents at a provider whose address differs from account to account: asked for, checked, used for one flow, stored with the grant. */
import { beforeEach, describe, expect, it } from 'vitest';
import { InvalidForm } from '../../../src/links/link-rules.ts';
import {
  BROWSER,
  consentServices,
  ENVIRONMENT,
  tokenReply,
  type ConsentServices,
} from './consent-support.ts';

const PATTERN = '[a-z0-9-]+\\.books\\.example';
const OPTIONS = {
  rules: {
    authorization_url: 'https://{domain}/oauth/authorize',
    token_url: 'https://{domain}/oauth/token-request',
    revocation_url: 'https://{domain}/oauth/revoke',
    placeholders: { domain: PATTERN },
  },
  connector: {
    hosts: [{ url: 'https://{domain}', placeholders: { domain: PATTERN } }],
    settings: {
      domain: { label: 'Address of your books', hint: 'As in the browser.', suffix: '.books.example' },
    },
  },
};
const NONE = { ...OPTIONS, environment: { userVerification: 'none' as const, userVerifyUrl: undefined } };

let services: ConsentServices;
beforeEach(async () => {
  services = await consentServices(OPTIONS);
});

const open = async (token: string) => (await services.links.open(ENVIRONMENT, token, BROWSER)).page;
const start = async (token: string, entered?: Record<string, string>) =>
  new URL((await services.consents.start(ENVIRONMENT, token, BROWSER, entered)).redirectTo);
const back = async (target: URL) =>
  services.back({ code: 'code-1', state: target.searchParams.get('state') ?? '' });
const apiConfig = async () => (await services.account()).apiConfig;
const flows = async () => services.db.read.selectFrom('oauth_flows').selectAll().execute();

describe("link with an unknown host in the provider's address", () => {
  it('asks for the host on the page, once, in the words of the connector', async () => {
    expect(await open(await services.link())).toMatchObject({
      fields: [
        {
          name: 'domain',
          label: 'Address of your books',
          hint: 'As in the browser.',
          input: 'text',
          required: true,
        },
      ],
      consent: { providerHost: null },
    });
  });

  it('leads to the provider that was named, with its token endpoint fixed for the callback', async () => {
    const target = await start(await services.link(), { domain: 'acme.books.example', csrf: 'x' });
    expect(target.origin + target.pathname).toBe('https://acme.books.example/oauth/authorize');
    expect(await flows()).toMatchObject([
      {
        token_url: 'https://acme.books.example/oauth/token-request',
        issuer: 'https://acme.books.example',
        api_config: { domain: 'acme.books.example' },
      },
    ]);
  });

  it('accepts the short form of a host', async () => {
    const target = await start(await services.link(), { domain: ' acme ' });
    expect(target.host).toBe('acme.books.example');
  });

  it('keeps the host out of the account until its grant is verified', async () => {
    const target = await start(await services.link(), { domain: 'acme' });
    expect(await apiConfig()).toEqual({});
    await back(target);
    expect(services.sent.map(({ url }) => String(url))).toEqual([
      'https://acme.books.example/oauth/token-request',
    ]);
    expect(await apiConfig()).toEqual({});
    const [waiting] = await services.db.read.selectFrom('auth_requests').selectAll().execute();
    expect(waiting?.waiting_api_config).toEqual({ domain: 'acme.books.example' });
  });

  it('stores the host with the grant where nobody verifies', async () => {
    services = await consentServices(NONE);
    await back(await start(await services.link(), { domain: 'acme' }));
    expect((await services.account()).status).toBe('ACTIVE');
    expect(await apiConfig()).toEqual({ domain: 'acme.books.example' });
    // Known now: the page of the next link goes straight on.
    expect(await open(await services.link())).toMatchObject({
      fields: [],
      consent: { providerHost: 'acme.books.example' },
    });
    expect((await start(await services.link())).host).toBe('acme.books.example');
  });

  it.each([
    [{}],
    [{ domain: '' }],
    [{ domain: 'evil.example' }],
    [{ domain: 'evil.example/.books.example' }],
    [{ domain: 'evil.example#.books.example' }],
    [{ domain: 'a@evil.books.example' }],
    [{ domain: 'acme.books.example:8443' }],
    [{ domain: 'ACME.books.example' }],
    [{ domain: '..' }],
  ])('refuses the host in %j, and starts no flow', async (entered) => {
    const token = await services.link();
    const refused = start(token, entered);
    await expect(refused).rejects.toBeInstanceOf(InvalidForm);
    await expect(refused).rejects.toMatchObject({ violations: [{ field: 'domain' }] });
    expect(await flows()).toEqual([]);
  });

  it('refuses every other field in the form', async () => {
    const token = await services.link();
    const refused = start(token, { domain: 'acme', tenant: 'x', token_url: 'https://evil.example' });
    await expect(refused).rejects.toMatchObject({
      violations: [
        { field: 'tenant', constraint: 'unknown' },
        { field: 'token_url', constraint: 'unknown' },
      ],
    });
    expect(await flows()).toEqual([]);
  });
});

describe("link with a known host in the provider's address", () => {
  it.each([
    ['from the account', {}, '{"domain":"mine"}', 'mine.books.example'],
    ['from the connection', { connection: { params: '{"domain":"ours"}' } }, '{}', 'ours.books.example'],
    [
      'from the account before the connection',
      { connection: { params: '{"domain":"ours"}' } },
      '{"domain":"mine.books.example"}',
      'mine.books.example',
    ],
  ])('asks for no host where it is known: %s', async (_case, options, config, host) => {
    services = await consentServices({ ...OPTIONS, ...options });
    const token = await services.link();
    await services.db.transaction(async (tx) => {
      await tx.updateTable('accounts').set({ api_config: config }).execute();
    });
    expect(await open(token)).toMatchObject({ fields: [], consent: { providerHost: host } });
    await expect(start(token, { domain: 'elsewhere' })).rejects.toBeInstanceOf(InvalidForm);
    expect((await start(token)).host).toBe(host);
    expect(await flows()).toEqual([expect.objectContaining({ api_config: {} })]);
  });

  it('asks again where the known host is of no use, and takes the answer', async () => {
    services = await consentServices(NONE);
    const token = await services.link();
    await services.db.transaction(async (tx) => {
      await tx.updateTable('accounts').set({ api_config: '{"domain":"https://x","other":1}' }).execute();
    });
    expect((await open(token)).fields).toHaveLength(1);
    await back(await start(token, { domain: 'acme' }));
    expect(await apiConfig()).toEqual({ domain: 'acme.books.example', other: 1 });
  });

  it('refuses a host that changed between start and callback', async () => {
    services = await consentServices({ ...OPTIONS, connection: { params: '{"domain":"ours"}' } });
    const target = await start(await services.link());
    await services.change({ params: '{"domain":"theirs"}' });
    await expect(back(target)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(services.sent).toEqual([]);
  });

  it('asks for no host where the connection has addresses of its own', async () => {
    services = await consentServices({
      ...OPTIONS,
      connection: {
        overrides: JSON.stringify({
          base_url: 'http://127.0.0.1:9',
          authorization_url: 'http://127.0.0.1:9/a',
          token_url: 'http://127.0.0.1:9/t',
        }),
      },
    });
    const token = await services.link();
    expect(await open(token)).toMatchObject({ fields: [], consent: { providerHost: '127.0.0.1:9' } });
    expect((await start(token)).host).toBe('127.0.0.1:9');
  });
});

it('names the host on the page where only the path has a placeholder', async () => {
  services = await consentServices({
    rules: {
      authorization_url: 'https://login.books.example/{tenant}/authorize',
      token_url: 'https://login.books.example/{tenant}/token',
      placeholders: { tenant: '[a-z]+' },
    },
  });
  const token = await services.link();
  expect(await open(token)).toMatchObject({
    fields: [{ name: 'tenant', label: 'Ledger tenant' }],
    consent: { providerHost: 'login.books.example' },
  });
  expect((await start(token, { tenant: 'common' })).pathname).toBe('/common/authorize');
});

it('takes the host from an address in the token reply, without asking for it on the page', async () => {
  const placeholders = { domain: PATTERN };
  services = await consentServices({
    ...NONE,
    rules: { metadata: { token: { domain: 'api.url' } } },
    connector: { hosts: [{ url: 'https://{domain}/v1', placeholders }] },
  });
  const token = await services.link();
  expect(await open(token)).toMatchObject({ fields: [] });
  services.answers.push(tokenReply({ api: { url: 'https://acme.books.example/some/path' } }));
  await back(await start(token));
  expect(await apiConfig()).toEqual({ domain: 'acme.books.example' });
});

it.each([
  'https://evil.example',
  'https://acme.books.example@evil.example/',
  'https://acme.books.example:8443/',
  'http://acme.books.example',
  '//acme.books.example',
])('refuses a token reply that names %s as the host', async (url) => {
  services = await consentServices({
    ...NONE,
    rules: { metadata: { token: { domain: 'api.url' } } },
    connector: { hosts: [{ url: 'https://{domain}/v1', placeholders: { domain: PATTERN } }] },
  });
  services.answers.push(tokenReply({ api: { url } }));
  await expect(start(await services.link()).then(back)).rejects.toMatchObject({ kind: 'no_metadata' });
  expect((await services.account()).status).toBe('PENDING_AUTH');
});
