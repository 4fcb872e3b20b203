/**
 * WORKSPACE_DWD end to end: the example connector, a real server, and a token endpoint that verifies the assertion
 * with the public key of the service account, by other code than what signed it.
 */
import { generateKeyPairSync, verify } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf, fillIn, promptedLink, refusal, startExampleServer } from '../../support/example-server.ts';
import type { ExampleServer } from '../../support/example-server.ts';
import {
  startStandIn,
  type StandIn,
  type StandInReply,
  type StandInRequest,
} from '../../support/stand-in.ts';

const KEYS = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const PRIVATE_KEY = KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const EMAIL = 'agent@project.iam.directory.example';
const ACCOUNT = {
  type: 'service_account',
  project_id: 'project',
  private_key_id: 'key-1',
  private_key: PRIVATE_KEY,
  client_email: EMAIL,
  client_id: '100200300',
  // Assertions go to the connector's address, whatever a key file says.
  token_uri: 'https://elsewhere.example/token',
};
const FILE = JSON.stringify(ACCOUNT);

let provider: StandIn;
let server: ExampleServer;
let issued: number;
let tokenReply: () => StandInReply;

beforeEach(async () => {
  issued = 0;
  tokenReply = () => ({ json: { access_token: `at-${++issued}`, token_type: 'Bearer', expires_in: 3_599 } });
  provider = await startStandIn(({ path, headers }) => {
    if (path === '/token') return tokenReply();
    return headers['authorization'] === `Bearer at-${issued}`
      ? { json: { people: ['Ada'] } }
      : { status: 401, json: { error: { message: 'no' } } };
  });
});
afterEach(async () => {
  await server.close();
  await provider.close();
});

const start = async (connection: Record<string, unknown> = { params: { service_account_json: FILE } }) => {
  server = await startExampleServer({
    connections: [
      {
        connector: 'directory',
        overrides: { base_url: provider.origin, token_url: `${provider.origin}/token` },
        ...connection,
      },
    ],
  });
};
const connect = async (user: string, subject = `${user}@acme.example`) =>
  server.create('directory', user, { workspace_dwd: { subject } });
const call = async (user = 'ada') => server.call('directory_find', { query: 'ada' }, user);
const tokenRequests = () => provider.at('/token');
/** Completed forms that wait for verify. */
const awaited = async () =>
  server.services.db.read.selectFrom('auth_requests').select('identifier').execute();

/** Header and claims of the assertion in a token request, once its signature is verified. */
function verified({ form }: StandInRequest): { header: unknown; claims: Record<string, unknown> } {
  const [head = '', body = '', signature = ''] = form.get('assertion')!.split('.');
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${body}`),
    KEYS.publicKey,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('the assertion is not signed by the service account');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as never;
  return { header: read(head), claims: read(body) };
}

describe('WORKSPACE_DWD service account of a connection', () => {
  it('signs an assertion for the subject with every claim, and calls with the token for it', async () => {
    await start();
    await connect('ada');
    expect(await call()).toEqual({ people: ['Ada'] });
    const [request] = tokenRequests();
    expect([...request!.form.keys()]).toEqual(['assertion', 'grant_type']);
    expect(request!.form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    expect(request!.headers['authorization']).toBeUndefined();
    const { header, claims } = verified(request!);
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    expect(claims).toEqual({
      iss: EMAIL,
      sub: 'ada@acme.example',
      scope: 'https://directory.example/auth/people.readonly',
      aud: `${provider.origin}/token`,
      iat: expect.any(Number),
      exp: (claims['iat'] as number) + 3_600,
    });
    expect(Math.abs((claims['iat'] as number) - Date.now() / 1_000)).toBeLessThan(30);
    expect(provider.at('/v1/people')[0]!.headers['authorization']).toBe('Bearer at-1');
  });

  it('asks for the scopes of the connection, in the provider’s names, with blanks between them', async () => {
    await start({
      params: { service_account_json: ACCOUNT },
      scopes: ['people.read', 'files.read', 'https://directory.example/auth/other'],
    });
    await connect('ada');
    await call();
    expect(verified(tokenRequests()[0]!).claims['scope']).toBe(
      'https://directory.example/auth/people.readonly https://directory.example/auth/files.readonly https://directory.example/auth/other',
    );
  });

  it('gets one token for 200 calls at once, and one for each subject', async () => {
    await start();
    await connect('ada');
    await connect('bob');
    await Promise.all(Array.from({ length: 200 }, async () => call()));
    expect(tokenRequests()).toHaveLength(1);
    await call('bob');
    expect(tokenRequests().map((request) => verified(request).claims['sub'])).toEqual([
      'ada@acme.example',
      'bob@acme.example',
    ]);
  });

  it('signs again for the repeat of a request whose outcome is not known', async () => {
    await start();
    await connect('ada');
    const good = tokenReply;
    const replies: StandInReply[] = ['reset'];
    tokenReply = () => replies.shift() ?? good();
    expect(await call()).toEqual({ people: ['Ada'] });
    expect(tokenRequests()).toHaveLength(2);
  });

  it('acts for another subject at once when the account gets one', async () => {
    await start();
    await connect('ada');
    await call();
    await server.update('directory', 'ada', { workspace_dwd: { subject: 'grace@acme.example' } });
    await call();
    expect(tokenRequests().map((request) => verified(request).claims['sub'])).toEqual([
      'ada@acme.example',
      'grace@acme.example',
    ]);
  });
});

describe('WORKSPACE_DWD account: refused assertion', () => {
  const refuse = (status: number, error: string, error_description: string) => {
    tokenReply = () => ({ status, json: { error, error_description } });
  };

  it('keeps the account for want of authorization, and names the administrator who has to act', async () => {
    await start();
    await connect('ada');
    refuse(401, 'unauthorized_client', 'Client is unauthorized to retrieve access tokens using this method.');
    const error = await refusal(call());
    expect(error.message).toContain(
      'Directory does not let the service account of the connection directory act for this user with these scopes. ' +
        'An administrator of the workspace has to authorize the client id of the service account for the scopes of the connection (domain-wide delegation). ' +
        'The account stays connected.',
    );
    // During the cool-down the words are the same, though nobody is asked.
    expect((await refusal(call())).message).toContain('An administrator of the workspace has to authorize');
    expect(tokenRequests()).toHaveLength(1);
    expect((await server.details('directory', 'ada')).status).toBe('ACTIVE');
  });

  it.each([
    'Invalid JWT Signature.',
    'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
    'Invalid grant: account not found',
  ])('keeps the account for the words "%s", and names the operator who has to act', async (words) => {
    await start();
    await connect('ada');
    refuse(400, 'invalid_grant', words);
    expect((await refusal(call())).message).toContain(
      'Directory does not accept the service account of the connection directory. ' +
        'The operator has to correct params.service_account_json of the connection.',
    );
    expect((await server.details('directory', 'ada')).status).toBe('ACTIVE');
  });

  it('ends the account of an unknown user, with a link that asks for another', async () => {
    await start();
    await connect('nobody');
    refuse(400, 'invalid_grant', 'Invalid email or User ID');
    const link = await promptedLink(call('nobody'));
    expect((await server.details('directory', 'nobody')).status).toBe('EXPIRED');
    expect(fieldsOf(await server.browser().get(link))).toEqual(['subject']);
  });

  it('changes nothing at a moment when the provider fails', async () => {
    await start();
    await connect('ada');
    tokenReply = () => ({ status: 503, json: {}, headers: { 'retry-after': '7' } });
    const error = await refusal(call());
    expect(error).toMatchObject({ code: 'TOOL_ERROR', retryAfterSeconds: 7 });
    expect((await server.details('directory', 'ada')).status).toBe('ACTIVE');
  });
});

describe('WORKSPACE_DWD account: connecting by a link', () => {
  it('asks for the subject in the prompt of the first call, in the words of the connector', async () => {
    await start();
    const link = await promptedLink(call());
    const browser = server.browser();
    const page = await browser.get(link);
    expect(fieldsOf(page)).toEqual(['subject']);
    expect(page.text).toContain('Your email address');
    expect((await fillIn(browser, link, { subject: '' })).status).toBe(400);
    expect((await fillIn(browser, link, { subject: 'ada@acme.example' })).status).toBe(303);
    expect(await call()).toEqual({ people: ['Ada'] });
    expect(verified(tokenRequests()[0]!).claims['sub']).toBe('ada@acme.example');
  });

  it('refuses another name from somebody who is to be verified, and says so at the field', async () => {
    await start();
    const link = await server.verifiedLink('directory', 'ada', 'ada@acme.example');
    const page = await fillIn(server.browser(), link, { subject: 'boss@acme.example' });
    expect(page.status).toBe(400);
    expect(page.text).toContain(
      'Must be ada@acme.example, whose account this is. Only the operator can name somebody else, over the API.',
    );
    expect(await awaited()).toEqual([]);
  });

  it('accepts the address that is verified, with blanks around it', async () => {
    await start();
    const link = await server.verifiedLink('directory', 'ada', 'ada@acme.example');
    const page = await fillIn(server.browser(), link, { subject: ' ada@acme.example ' });
    expect(page.status).toBe(303);
    const auth_request_id = new URL(page.location).searchParams.get('auth_request_id')!;
    const { verification } = server.services;
    await verification.verify(server.operator, { auth_request_id, identifier: 'ada@acme.example' });
    const caller = { ...server.operator, source: 'api' as const };
    const account = { connection: 'directory', identifier: 'ada@acme.example', userId: 'ada' };
    const input = { query: 'ada' };
    await server.services.executor.execute({ caller, toolName: 'directory_find', input, account });
    expect(verified(tokenRequests()[0]!).claims['sub']).toBe('ada@acme.example');
  });

  it('refuses an address over the API from somebody who stands for one owner', async () => {
    await start();
    const onlyOwner = { userId: 'ada', organizationId: '' };
    const ada = { ...server.operator, kind: 'vouched_user' as const, onlyOwner };
    const { accounts } = server.services;
    const input = (subject: string) => ({
      connector: 'directory',
      identifier: 'boss@acme.example',
      user_id: 'ada',
      connected_account: { authorization_details: { workspace_dwd: { subject } } },
    });
    const refused = {
      code: 'INVALID_ARGUMENT',
      details: {
        field_violations: [
          {
            field: 'connected_account.authorization_details.workspace_dwd.subject',
            description:
              "Names the user that the operator's own credential acts for, so only the operator can set it.",
            constraint: 'identifier',
          },
        ],
      },
    };
    expect(await refusal(accounts.create(ada, input('boss@acme.example')))).toMatchObject(refused);
    await accounts.create(ada, input('ada'));
    expect(await refusal(accounts.update(ada, input('boss@acme.example')))).toMatchObject(refused);
    await accounts.update(server.operator, input('boss@acme.example'));
  });

  it('makes no link before the operator has given the key file', async () => {
    await start({});
    expect((await refusal(server.link('directory', 'ada'))).details).toEqual({
      field_violations: [
        {
          field: 'connector',
          description:
            'The connection directory has no params.service_account_json, so no account of it can be connected. The operator adds it to the connection.',
          constraint: 'incomplete',
        },
      ],
    });
    const { connections, environments } = server.services;
    const shown = await connections.get(environments.byName('development').id, 'directory');
    expect(shown.warnings[0]).toContain('It has no params.service_account_json, so no account can be used.');
  });

  it.each([
    ['no JSON', 'not a key file'],
    ['another kind of file', JSON.stringify({ client_email: EMAIL })],
    ['a key that is none', JSON.stringify({ client_email: EMAIL, private_key: 'PRIVATE KEY' })],
  ])('refuses %s instead of a key file, and repeats nothing of it', async (_, file) => {
    await start();
    const { connections } = server.services;
    const change = connections.update(server.operator, 'directory', {
      params: { service_account_json: file },
    });
    const { details } = await refusal(change);
    expect(details).toEqual({
      field_violations: [
        {
          field: 'params.service_account_json',
          description:
            'Must be the key file of a service account: JSON with client_email and an RSA private_key in PEM form.',
          constraint: 'format',
        },
      ],
    });
  });
});

describe('WORKSPACE_DWD credentials over the API', () => {
  it('shows the subject and the response-only members to callers that may see credentials', async () => {
    await start();
    await connect('ada');
    const auth = await server.auth('directory', 'ada');
    expect(auth.authorization_details).toEqual({
      workspace_dwd: {
        subject: 'ada@acme.example',
        access_token: 'at-1',
        scopes: ['people.read'],
        token_expires_at: auth.token_expires_at,
      },
    });
    expect(Date.parse(auth.token_expires_at ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    const details = await server.details('directory', 'ada');
    expect(details.authorization_details).toEqual({
      workspace_dwd: {
        subject: 'ada@acme.example',
        scopes: ['people.read'],
        token_expires_at: auth.token_expires_at,
      },
    });
  });

  it('accepts its own answer back, and ignores what only answers carry', async () => {
    await start();
    await connect('ada');
    const { authorization_details } = await server.auth('directory', 'ada');
    await server.update('directory', 'ada', authorization_details);
    expect((await server.auth('directory', 'ada')).authorization_details).toMatchObject({
      workspace_dwd: { access_token: 'at-2' },
    });
  });

  it("leaves nothing of the key file in the connection's view, and nothing readable on the disk", async () => {
    await start();
    await connect('ada');
    await call();
    const { connections, environments, settings } = server.services;
    const shown = await connections.get(environments.byName('development').id, 'directory');
    expect(shown.params).toEqual({});
    expect(JSON.stringify(shown)).not.toContain('PRIVATE');
    const secrets = ['at-1', PRIVATE_KEY.split('\n')[3]!];
    const names = readdirSync(settings.dataDir);
    expect(names).toContain('gatehouse.db');
    for (const name of names) {
      const path = join(settings.dataDir, name);
      if (!statSync(path).isFile()) continue;
      const bytes = readFileSync(path);
      for (const secret of secrets) expect(bytes.includes(secret), name).toBe(false);
    }
  });
});
