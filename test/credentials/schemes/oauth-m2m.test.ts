/** OAUTH_M2M end to end: the example connector, a real server, and a token endpoint that checks what arrives. */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startExampleServer, fieldsOf, fillIn, promptedLink, refusal } from '../../support/example-server.ts';
import type { ExampleServer, ExampleServerOptions } from '../../support/example-server.ts';
import { startStandIn, type StandIn, type StandInReply } from '../../support/stand-in.ts';

const EXAMPLE = 'oauth-m2m/connector.yaml';
const CLIENT = { client_id: 'machine-1', client_secret: 'secret of machine-1' };

let provider: StandIn;
let server: ExampleServer;
let issued: number;
let tokenReply: () => StandInReply;

beforeEach(async () => {
  issued = 0;
  tokenReply = () => ({ json: { access_token: `at-${++issued}`, token_type: 'Bearer', expires_in: 3_600 } });
  provider = await startStandIn(({ path, headers }) => {
    if (path === '/oauth/token') return tokenReply();
    const isGood = issued > 0 && headers['authorization'] === `Bearer at-${issued}`;
    return isGood ? { json: { values: [1, 2] } } : { status: 401, json: { error: { message: 'no' } } };
  });
});
afterEach(async () => {
  await server.close();
  await provider.close();
});

const start = async (
  connection: Record<string, unknown> = CLIENT,
  changes: ExampleServerOptions['changes'] = {},
) => {
  server = await startExampleServer({
    changes,
    connections: [
      {
        connector: 'metrics',
        overrides: { base_url: provider.origin, token_url: `${provider.origin}/oauth/token` },
        ...connection,
      },
    ],
  });
};
const call = async (user = 'ada') => server.call('metrics_latest', {}, user);
const tokenRequests = () => provider.at('/oauth/token');

describe('OAUTH_M2M client of the connection', () => {
  it('gets a token with HTTP Basic authentication, the audience and the scopes, and uses it', async () => {
    await start();
    expect(await call()).toEqual({ values: [1, 2] });
    const [request] = tokenRequests();
    expect(Object.fromEntries(request!.form)).toEqual({
      grant_type: 'client_credentials',
      audience: 'https://api.metrics.example',
      scope: 'metrics:read',
    });
    // RFC 6749 section 2.3.1: both parts form-encoded.
    expect(Buffer.from(request!.headers['authorization']!.slice(6), 'base64').toString()).toBe(
      'machine-1:secret+of+machine-1',
    );
    expect(provider.at('/v1/values/latest')[0]!.headers['authorization']).toBe('Bearer at-1');
  });

  it('asks for the scopes and the audience that the connection chooses', async () => {
    await start({ ...CLIENT, scopes: ['metrics:write', 'extra'], params: { audience: 'https://other' } });
    await call();
    expect(Object.fromEntries(tokenRequests()[0]!.form)).toMatchObject({
      audience: 'https://other',
      scope: 'metrics:write extra',
    });
  });

  it('sends the client secret in the form where the connector says so', async () => {
    await start(CLIENT, { [EXAMPLE]: ['client_authentication: basic', 'client_authentication: post'] });
    await call();
    expect(tokenRequests()[0]!.headers['authorization']).toBeUndefined();
    expect(Object.fromEntries(tokenRequests()[0]!.form)).toMatchObject(CLIENT);
  });

  it.each([
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2_048 }), 'RS256', 'sha256'],
    ['EC', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'ES384', 'sha384'],
  ] as const)(
    'authenticates with an assertion signed by its %s key (private_key_jwt)',
    async (_, pair, alg, hash) => {
      const { privateKey, publicKey } = pair();
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
      await start(
        { client_id: 'machine-1', params: { private_key: pem, private_key_id: 'key-7' } },
        {
          [EXAMPLE]: ['client_authentication: basic', 'client_authentication: private_key_jwt'],
        },
      );
      expect(await call()).toEqual({ values: [1, 2] });
      const { form, headers } = tokenRequests()[0]!;
      expect(headers['authorization']).toBeUndefined();
      expect(form.get('client_id')).toBe('machine-1');
      expect(form.get('client_assertion_type')).toBe(
        'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      );
      const [head = '', body = '', signature = ''] = form.get('client_assertion')!.split('.');
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
      const now = Math.floor(Date.now() / 1_000);
      expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
        alg,
        typ: 'JWT',
        kid: 'key-7',
      });
      expect(claims).toEqual({
        iss: 'machine-1',
        sub: 'machine-1',
        aud: `${provider.origin}/oauth/token`,
        iat: expect.any(Number),
        exp: (claims['iat'] as number) + 300,
        jti: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect(Math.abs((claims['iat'] as number) - now)).toBeLessThan(30);
      const key = {
        key: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        dsaEncoding: 'ieee-p1363',
      } as const;
      expect(verify(hash, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).toBe(
        true,
      );
    },
  );

  it('gets one token for 200 calls at once, and none while it is good', async () => {
    await start();
    await server.create('metrics', 'ada');
    await Promise.all(Array.from({ length: 200 }, async () => call()));
    await call();
    expect(tokenRequests()).toHaveLength(1);
  });

  it('gets another token when the provider refuses the one it has', async () => {
    await start();
    await call();
    issued = 41;
    expect(await call()).toEqual({ values: [1, 2] });
    expect(provider.at('/v1/values/latest').map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer at-1',
      'Bearer at-1',
      'Bearer at-42',
    ]);
  });

  it('asks once more when the outcome is not known: nothing is spent by it', async () => {
    await start();
    const replies: StandInReply[] = ['reset'];
    const good = tokenReply;
    tokenReply = () => replies.shift() ?? good();
    expect(await call()).toEqual({ values: [1, 2] });
    expect(tokenRequests()).toHaveLength(2);
  });

  it('gets another token once the operator has changed the connection', async () => {
    await start({ ...CLIENT, name: 'declared' });
    const { connections } = server.services;
    await connections.update(server.operator, 'metrics', {
      ...CLIENT,
      overrides: { base_url: provider.origin, token_url: `${provider.origin}/oauth/token` },
    });
    await call();
    await connections.update(server.operator, 'metrics', { scopes: ['metrics:write'] });
    await call();
    await call();
    expect(tokenRequests().map(({ form }) => form.get('scope'))).toEqual(['metrics:read', 'metrics:write']);
  });

  it.each([
    [401, 'invalid_client'],
    [400, 'invalid_grant'],
  ])(
    'leaves the account connected when the client is refused, and says who has to act: %i %s',
    async (status, error) => {
      await start();
      tokenReply = () => ({ status, json: { error } });
      expect(await refusal(call())).toMatchObject({
        code: 'TOOL_ERROR',
        message: expect.stringContaining(
          'The access token could not be renewed: Metrics does not accept the client id or client secret of the connection. ' +
            'The account stays connected; the operator has to correct the connection metrics. Try again in ',
        ),
      });
      expect((await server.details('metrics', 'ada')).status).toBe('ACTIVE');
    },
  );

  it('says what the operator has to check when the scopes or the audience are refused', async () => {
    await start();
    tokenReply = () => ({
      status: 400,
      json: { error: 'invalid_scope', error_description: 'unknown scope' },
    });
    const error = await refusal(call());
    expect(error.message).toContain(
      'Metrics refuses the token request (invalid_scope). The operator has to check the scopes and the audience of the connection metrics.',
    );
    expect(error.details).toMatchObject({ tool_error: { message: 'unknown scope' } });
  });

  it('needs nothing of the account: it is ACTIVE at once, and a page has no field', async () => {
    await start();
    expect(await server.create('metrics', 'ada')).toMatchObject({
      status: 'ACTIVE',
      authorization_type: 'OAUTH_M2M',
    });
    expect(fieldsOf(await server.browser().get(await server.link('metrics', 'ada')))).toEqual([]);
  });
});

describe('OAUTH_M2M client of the account', () => {
  it('asks for the client in the prompt of the first call, and uses it afterwards', async () => {
    await start({});
    const link = await promptedLink(call());
    const browser = server.browser();
    expect(fieldsOf(await browser.get(link))).toEqual(['client_id', 'client_secret']);
    expect((await fillIn(browser, link, { client_id: 'own', client_secret: 'own-secret' })).status).toBe(303);
    expect(await call()).toEqual({ values: [1, 2] });
    expect(tokenRequests()[0]!.headers['authorization']).toBe(`Basic ${btoa('own:own-secret')}`);
  });

  it('prefers the client of the account to the connection’s, with its own scope and audience', async () => {
    await start();
    const details = { client_id: 'own', client_secret: 's', scope: 'a b', audience: 'https://mine' };
    await server.create('metrics', 'ada', { static_auth: { details } });
    await call();
    expect(tokenRequests()[0]!.headers['authorization']).toBe(`Basic ${btoa('own:s')}`);
    expect(Object.fromEntries(tokenRequests()[0]!.form)).toMatchObject({
      scope: 'a b',
      audience: 'https://mine',
    });
  });

  it('ends the account when its client is refused, with a link for its owner', async () => {
    await start({});
    await server.create('metrics', 'ada', {
      static_auth: { details: { client_id: 'own', client_secret: 'wrong' } },
    });
    tokenReply = () => ({ status: 401, json: { error: 'invalid_client' } });
    expect(await promptedLink(call())).toContain('/connect/');
    expect((await server.details('metrics', 'ada')).status).toBe('EXPIRED');
  });

  it('drops the token of a client that is replaced', async () => {
    await start({});
    const details = (client_id: string) => ({ static_auth: { details: { client_id, client_secret: 's' } } });
    await server.create('metrics', 'ada', details('one'));
    await call();
    await server.update('metrics', 'ada', details('two'));
    await call();
    expect(tokenRequests().map(({ headers }) => headers['authorization'])).toEqual([
      `Basic ${btoa('one:s')}`,
      `Basic ${btoa('two:s')}`,
    ]);
  });
});

describe('OAUTH_M2M credentials over the API', () => {
  it('shows the entered values and the expiry of the token, and never the token', async () => {
    await start({});
    const entered = { client_id: 'own', client_secret: 'own-secret' };
    await server.create('metrics', 'ada', { static_auth: { details: entered } });
    const before = Date.now();
    const auth = await server.auth('metrics', 'ada');
    expect(issued).toBe(1);
    expect(auth.authorization_details).toEqual({ static_auth: { details: entered } });
    const expiry = Date.parse(auth.token_expires_at ?? '');
    expect(expiry).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(expiry).toBeLessThan(before + 3_660_000);
    const details = await server.details('metrics', 'ada');
    expect(details.authorization_details).toEqual({ static_auth: { details: {} } });
    expect(details.token_expires_at).toBe(auth.token_expires_at);
  });
});
