/** SMART_FHIR end to end: discovery, a consent with PKCE and `aud`, launch context, and the renewal through discovery. */
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import {
  fieldsOf,
  fillIn,
  promptedLink,
  refusal,
  startExampleServer,
  type ExampleServer,
  type ExampleServerOptions,
} from '../../support/example-server.ts';
import { startStandIn, type StandIn, type StandInReply } from '../../support/stand-in.ts';

const EXAMPLE = 'smart-fhir/connector.yaml';
const DISCOVERY = '/fhir/r4/.well-known/smart-configuration';

let provider: StandIn;
let server: ExampleServer;
let asked: URLSearchParams;
let issued: number;
let document: () => StandInReply;
const good = () => ({
  issuer: `${provider.origin}/fhir/r4`,
  authorization_endpoint: `${provider.origin}/auth/authorize`,
  token_endpoint: `${provider.origin}/auth/token`,
  code_challenge_methods_supported: ['S256'],
  capabilities: ['launch-standalone'],
});

beforeEach(async () => {
  issued = 0;
  document = () => ({ json: good() });
  provider = await startStandIn(({ path, query, form, headers }) => {
    if (path === DISCOVERY) return document();
    if (path === '/auth/authorize') {
      asked = query;
      const back = new URL(query.get('redirect_uri') ?? '');
      const iss = `${provider.origin}/fhir/r4`;
      back.search = new URLSearchParams({ code: 'code-1', state: query.get('state') ?? '', iss }).toString();
      return { status: 302, json: {}, headers: { location: back.href } };
    }
    if (path === '/auth/token') {
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRefresh = form.get('grant_type') === 'refresh_token';
      const isGrant = isRefresh
        ? form.get('refresh_token') === 'rt-1'
        : form.get('code') === 'code-1' && challenge === asked.get('code_challenge');
      if (!isGrant) return { status: 400, json: { error: 'invalid_grant' } };
      issued++;
      const context = isRefresh ? {} : { patient: 'p-17', need_patient_banner: false, encounter: 'e-3' };
      return {
        json: {
          access_token: `at-${issued}`,
          token_type: 'Bearer',
          expires_in: 300,
          scope: 'openid offline_access launch/patient patient/*.read',
          ...context,
          ...(!isRefresh && { refresh_token: 'rt-1', id_token: 'x.y.z' }),
        },
      };
    }
    return headers['authorization'] === `Bearer at-${issued}`
      ? { json: { total: 1 } }
      : { status: 401, json: {} };
  });
});
afterEach(async () => {
  await server.close();
  await provider.close();
});

/** @param connection null: none is declared */
const start = async (
  connection: Record<string, unknown> | null = {},
  changes: ExampleServerOptions['changes'] = {},
) => {
  const common = { connector: 'clinic', client_id: 'app-1', overrides: { base_url: provider.origin } };
  const connections = connection === null ? [] : [{ ...common, ...connection }];
  server = await startExampleServer({ changes, connections });
};
const call = async () => server.call('clinic_find_patients', {}, 'ada');
const connect = async () => {
  const browser = server.browser();
  const done = await browser.connect(await promptedLink(call()));
  expect(done).toMatchObject({ status: 302, location: '/connect/done' });
};
const token = (at: number) => provider.at('/auth/token')[at]!;
const renew = async () => {
  const { id } = await server.details('clinic', 'ada');
  return server.services.accountRefresh.refresh(server.operator, id);
};

describe('SMART_FHIR connection with a public client', () => {
  it('connects by a consent at the discovered endpoints, for the FHIR base and with PKCE', async () => {
    await start();
    await connect();
    const fhirBase = `${provider.origin}/fhir/r4`;
    expect(provider.at(DISCOVERY)[0]).toMatchObject({ method: 'GET' });
    expect(Object.fromEntries(asked)).toEqual({
      response_type: 'code',
      client_id: 'app-1',
      redirect_uri: expect.stringMatching(/\/sso\/v1\/oauth\/conn_[a-z0-9]+\/callback$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'openid offline_access launch/patient patient/*.read',
      aud: fhirBase,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(Object.fromEntries(token(0).form)).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: asked.get('redirect_uri'),
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      client_id: 'app-1',
    });
    expect(await call()).toEqual({ total: 1 });
    expect(provider.at('/fhir/r4/Patient')[0]!.headers['authorization']).toBe('Bearer at-1');
  });

  it('stores the launch context sealed and shows it by /auth alone', async () => {
    await start();
    await connect();
    const scopes = ['openid', 'offline_access', 'launch/patient', 'patient/*.read'];
    const auth = await server.auth('clinic', 'ada');
    expect(auth.authorization_details).toEqual({
      oauth_token: { access_token: 'at-1', refresh_token: 'rt-1', scopes },
    });
    const launch = { patient: 'p-17', need_patient_banner: 'false', encounter: 'e-3' };
    expect(auth.api_config).toEqual({ launch });
    const { services, operator } = server;
    await services.accounts.update(operator, {
      id: auth.id,
      connected_account: { api_config: { ...auth.api_config, note: 'n' } },
    });
    const details = await server.details('clinic', 'ada');
    expect(details.authorization_details).toEqual({ oauth_token: { scopes } });
    expect(details.api_config).toEqual({ note: 'n' });
    const reach = { environmentId: operator.environmentId };
    const row = await new AccountStore(services.db.read).find(reach, auth.id);
    expect(JSON.stringify(row)).not.toContain('p-17');
  });

  it('renews by its refresh token, asks for the endpoints again, and keeps the context', async () => {
    await start();
    await connect();
    document = () => ({ json: { ...good(), token_endpoint: `${provider.origin}/auth/token?moved` } });
    await renew();
    expect(token(1).query.has('moved')).toBe(true);
    expect(Object.fromEntries(token(1).form)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'rt-1',
      client_id: 'app-1',
    });
    expect(await call()).toEqual({ total: 1 });
    expect((await server.auth('clinic', 'ada')).api_config).toMatchObject({ launch: { patient: 'p-17' } });
  });

  it('stays connected while the endpoints cannot be asked for, and its refresh token stays here', async () => {
    await start();
    await connect();
    document = () => ({ status: 503, json: {} });
    const error = await refusal(renew());
    expect(error.message).toContain('Clinic cannot answer at the moment. The account stays connected.');
    expect(provider.at('/auth/token')).toHaveLength(1);
    expect((await server.details('clinic', 'ada')).status).toBe('ACTIVE');
  });

  it('sends no refresh token to an endpoint elsewhere', async () => {
    await start();
    await connect();
    document = () => ({ json: { ...good(), token_endpoint: 'https://evil.example/token' } });
    const error = await refusal(renew());
    expect(error.message).toContain(
      `The discovery document of the FHIR server cannot be used: its token_endpoint is not at ${provider.origin}. The operator has to check the connection clinic to Clinic.`,
    );
    expect(provider.at('/auth/token')).toHaveLength(1);
    expect((await server.details('clinic', 'ada')).status).toBe('ACTIVE');
  });

  it('says what its connection lacks before anything is asked for a renewal', async () => {
    await start(null);
    const { connections } = server.services;
    const overrides = { base_url: provider.origin };
    await connections.create(server.operator, { connector: 'clinic', client_id: 'app-1', overrides });
    await connect();
    await connections.update(server.operator, 'clinic', { client_id: null });
    const error = await refusal(renew());
    expect(error.message).toContain('The connection clinic has no client_id');
    expect(provider.at(DISCOVERY)).toHaveLength(1);
    expect((await server.details('clinic', 'ada')).status).toBe('ACTIVE');
    await connections.update(server.operator, 'clinic', { client_id: 'app-1' });
    await renew();
    expect(await call()).toEqual({ total: 1 });
  });

  it('ends the account when the refresh token is refused, with a link', async () => {
    await start();
    await connect();
    const { id } = await server.details('clinic', 'ada');
    await server.update('clinic', 'ada', { oauth_token: { access_token: 'at-0', refresh_token: 'rt-0' } });
    await refusal(server.services.accountRefresh.refresh(server.operator, id));
    expect((await server.details('clinic', 'ada')).status).toBe('EXPIRED');
    expect(await promptedLink(call())).toContain('/connect/');
  });
});

describe('SMART_FHIR connection with a client secret', () => {
  it('sends the client secret with the code', async () => {
    await start({ client_secret: 'secret-1' });
    await connect();
    expect(token(0).form.get('client_secret')).toBe('secret-1');
  });

  it.each([
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2_048 }), 'RS384'],
    ['EC', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'ES384'],
  ] as const)(
    'signs an assertion with its %s key, by an algorithm that servers have to know',
    async (_, pair, alg) => {
      const { privateKey, publicKey } = pair();
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
      await start(
        { params: { private_key: pem, private_key_id: 'k-1' } },
        { [EXAMPLE]: ['smart_fhir:', 'smart_fhir:\n      client_authentication: private_key_jwt'] },
      );
      await connect();
      const { form } = token(0);
      expect(form.has('client_secret')).toBe(false);
      const [head = '', body = '', signature = ''] = form.get('client_assertion')!.split('.');
      expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg, typ: 'JWT', kid: 'k-1' });
      expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toMatchObject({
        iss: 'app-1',
        sub: 'app-1',
        aud: `${provider.origin}/auth/token`,
      });
      const key = {
        key: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        dsaEncoding: 'ieee-p1363',
      } as const;
      expect(verify('sha384', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).toBe(
        true,
      );
    },
  );
});

describe('SMART_FHIR connection: unusable discovery document', () => {
  it.each([
    [
      'names a token endpoint at another origin',
      () => ({ json: { ...good(), token_endpoint: 'https://evil.example/token' } }),
    ],
    [
      'names an authorization endpoint at another origin',
      () => ({ json: { ...good(), authorization_endpoint: 'https://evil.example/a' } }),
    ],
    [
      'names a private host',
      () => ({ json: { ...good(), token_endpoint: 'http://169.254.169.254/latest/meta-data' } }),
    ],
    [
      'names another port of this host',
      () => ({ json: { ...good(), token_endpoint: 'http://127.0.0.1:1/token' } }),
    ],
    [
      'hides another host behind a user name',
      () => ({ json: { ...good(), token_endpoint: `${provider.origin}@evil.example/token` } }),
    ],
    [
      'gives a user name',
      () => ({ json: { ...good(), token_endpoint: provider.origin.replace('//', '//user:pw@') } }),
    ],
    ['names a script', () => ({ json: { ...good(), authorization_endpoint: 'javascript:alert(1)' } })],
    ['lacks an endpoint', () => ({ json: { ...good(), token_endpoint: undefined } })],
    [
      'has an endpoint that is no text',
      () => ({ json: { ...good(), token_endpoint: [`${provider.origin}/auth/token`] } }),
    ],
    ['knows no S256', () => ({ json: { ...good(), code_challenge_methods_supported: ['plain'] } })],
    ['is a list', () => ({ json: [good()] })],
    ['is no JSON', () => ({ text: '<html>' })],
    ['is not there', () => ({ status: 404, json: {} })],
    ['redirects', () => ({ status: 302, json: {}, headers: { location: `${provider.origin}/elsewhere` } })],
    ['is too large', () => ({ json: { ...good(), padding: 'x'.repeat(300_000) } })],
    ['breaks off', () => 'reset' as const],
  ] satisfies [string, () => StandInReply][])(
    'starts no consent when the document of the server %s',
    async (_case, reply) => {
      document = reply;
      await start({ client_secret: 'secret-1' });
      const link = await promptedLink(call());
      const browser = server.browser();
      await browser.get(link);
      const page = await browser.get(`${link}/go`);
      expect([page.status, page.location]).toEqual([502, '']);
      expect(page.text).toContain('<h1>Clinic does not let you in</h1>');
      expect(page.text).not.toContain('evil.example');
      expect(provider.requests.map(({ path }) => path)).toEqual([DISCOVERY]);
    },
  );
});

describe('SMART_FHIR connection: OAuth callback', () => {
  it.each([
    ['with a state of nobody', (back: URL) => back.searchParams.set('state', 'A'.repeat(43))],
    ['of another issuer', (back: URL) => back.searchParams.set('iss', 'https://evil.example')],
  ])('exchanges no code for a callback %s', async (_case, change) => {
    await start();
    const browser = server.browser();
    const back = new URL(await browser.consent(await promptedLink(call())));
    change(back);
    expect((await browser.get(back.href)).status).toBe(400);
    expect(provider.at('/auth/token')).toEqual([]);
  });

  it('accepts a callback once, and only from the browser that started the flow', async () => {
    await start();
    const browser = server.browser();
    const back = await browser.consent(await promptedLink(call()));
    expect((await server.browser().get(back)).status).toBe(403);
    expect((await browser.get(back)).status).toBe(302);
    // A reload leads to the same outcome.
    expect((await browser.get(back)).status).toBe(303);
    expect(provider.at('/auth/token')).toHaveLength(1);
  });
});

describe('SMART_FHIR connection: host of a clinic', () => {
  it('asks for the host on the page before the consent, with the form of its address', async () => {
    await start({ overrides: {} });
    const link = await promptedLink(call());
    const browser = server.browser();
    const page = await browser.get(link);
    expect(fieldsOf(page)).toEqual(['domain']);
    expect(page.text).toContain('Continue to Clinic');
    const again = await fillIn(browser, link, { domain: 'evil.example' });
    expect([again.status, again.location]).toEqual([400, '']);
  });
});
