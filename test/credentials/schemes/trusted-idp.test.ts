/**
 * TRUSTED_IDP end to end: the example connector, a real server, a token service that verifies our identity token with
 * the published keys, and a Redshift Data API that verifies each signature, both by other code than what signed.
 */
import { createPublicKey, randomUUID, verify, type JsonWebKey } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import { accessKeyOf, signatureProblem } from '../../support/aws-signature.ts';
import { fieldsOf, fillIn, promptedLink, refusal, startExampleServer } from '../../support/example-server.ts';
import type { ExampleServer } from '../../support/example-server.ts';
import { ROUNDS } from '../../support/rounds.ts';
import {
  startStandIn,
  type StandIn,
  type StandInReply,
  type StandInRequest,
} from '../../support/stand-in.ts';

const ROLE = 'arn:aws:iam::123456789012:role/gatehouse';
const CLUSTER = { role_arn: ROLE, region: 'eu-west-1', cluster: 'main', database: 'sales' };
const WORKGROUP = { role_arn: ROLE, region: 'eu-west-1', workgroup: 'analysts', database: 'sales' };
const SCOPE = { region: 'eu-west-1', service: 'redshift-data' };

interface Session {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

let aws: StandIn;
let server: ExampleServer;
let sessions: Session[];
let tokenService: (request: StandInRequest) => StandInReply | Promise<StandInReply>;
let dataService: (request: StandInRequest) => StandInReply;

const xml = (status: number, text: string): StandInReply => ({
  status,
  text,
  headers: { 'content-type': 'text/xml' },
});

const refused = (status: number, code: string, message: string): StandInReply =>
  xml(
    status,
    `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>
  <RequestId>r-1</RequestId>
</ErrorResponse>`,
  );

/** Credentials as the token service writes them; a slash, a plus and an entity in their values. */
function granted(): StandInReply {
  const number = sessions.length + 1;
  const session = {
    accessKeyId: `ASIAEXAMPLE00000000${number}`,
    secretAccessKey: `secret/key+of&session-${number}`,
    sessionToken: `FwoGZXIvYXdzE//session+token-${number}==`,
  };
  sessions.push(session);
  const expiration = new Date(Date.now() + 3_600_000).toISOString();
  return xml(
    200,
    `<?xml version="1.0" encoding="UTF-8"?>
<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/gatehouse/x</Arn></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${session.accessKeyId}</AccessKeyId>
      <SecretAccessKey>${session.secretAccessKey.replace('&', '&amp;')}</SecretAccessKey>
      <SessionToken>${session.sessionToken}</SessionToken>
      <Expiration>${expiration}</Expiration>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>`,
  );
}

/** Claims of an identity token, once its signature is verified with the keys that its issuer publishes. */
async function verified(token: string): Promise<Record<string, unknown>> {
  const [head = '', body = '', signature = ''] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as never;
  const { alg, kid } = read(head) as { alg: string; kid: string };
  const claims = read(body) as Record<string, unknown>;
  const discovery = `${claims['iss'] as string}/.well-known/openid-configuration`;
  const { issuer, jwks_uri, ...rest } = (await (await fetch(discovery)).json()) as Record<string, string>;
  if (issuer !== claims['iss']) throw new Error('another issuer');
  if (!rest['id_token_signing_alg_values_supported']?.includes(alg)) throw new Error('another algorithm');
  const { keys } = (await (await fetch(jwks_uri ?? '')).json()) as { keys: (JsonWebKey & { kid: string })[] };
  const jwk = keys.find((key) => key.kid === kid);
  const key = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
  if (!verify('RSA-SHA256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')))
    throw new Error('the token is not signed by its issuer');
  return claims;
}

/** Answers 403 for anything but a valid signature with the credentials given out last. */
function signedOnly(request: StandInRequest): StandInReply {
  const { method, target, headers, body } = request;
  const session = sessions.at(-1);
  const arrived = { method, target, headers, body };
  const problem =
    session === undefined || session.accessKeyId !== accessKeyOf(arrived)
      ? 'another access key'
      : signatureProblem(arrived, session, SCOPE);
  if (problem !== undefined)
    return { status: 403, json: { __type: 'InvalidSignatureException', message: problem } };
  if (headers['content-type'] !== 'application/x-amz-json-1.1')
    return { status: 404, json: { __type: 'UnknownOperationException' } };
  return dataService(request);
}

beforeEach(async () => {
  sessions = [];
  tokenService = granted;
  dataService = () => ({ json: { Id: 'd9b6c0c9-0747-4bf4-b142-e8883122f766' } });
  aws = await startStandIn((request) =>
    request.path === '/sts' ? tokenService(request) : signedOnly(request),
  );
});
afterEach(async () => {
  await server.close();
  await aws.close();
});

const connectionOf = (params: Record<string, unknown>) => ({
  id: 'conn_redshift',
  overrides: { base_url: aws.origin, token_url: `${aws.origin}/sts` },
  params,
});

/** @param params null: no connection is declared */
const start = async (params: Record<string, unknown> | null = CLUSTER) => {
  const connections = params === null ? [] : [{ connector: 'redshift', ...connectionOf(params) }];
  server = await startExampleServer({ connections });
};
const connect = async (user: string, db_user = `db_${user}`) =>
  server.create('redshift', user, { trusted_idp: { db_user } });
const call = async (user = 'ada') =>
  server.call('redshift_execute_statement', { sql: 'select 1', client_token: 'c-1' }, user);
const tokenRequests = () => aws.at('/sts');
const dataRequests = () => aws.at('/');
const RESULT = { Id: 'd9b6c0c9-0747-4bf4-b142-e8883122f766' };

describe('TRUSTED_IDP account with the role of a cluster', () => {
  it('assumes the role with a token of our issuer, in an unsigned form', async () => {
    await start();
    const { id } = await connect('ada');
    expect(await call()).toEqual(RESULT);
    const [{ form, headers }] = tokenRequests() as [StandInRequest];
    expect(headers['authorization']).toBeUndefined();
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(form)).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: ROLE,
      RoleSessionName: id,
      WebIdentityToken: expect.any(String),
      DurationSeconds: '3600',
    });
    const claims = await verified(form.get('WebIdentityToken') ?? '');
    expect(claims).toEqual({
      iss: server.baseUrl,
      sub: `connection:conn_redshift:account:${id}`,
      aud: 'sts.amazonaws.com',
      iat: expect.any(Number),
      exp: (claims['iat'] as number) + 300,
      jti: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(Math.abs((claims['iat'] as number) - Date.now() / 1_000)).toBeLessThan(30);
  });

  it('signs statements, which name cluster, database and the user of the account', async () => {
    await start();
    await connect('ada');
    await call();
    const [request] = dataRequests();
    expect(request!.headers['x-amz-target']).toBe('RedshiftData.ExecuteStatement');
    expect(request!.headers['x-amz-security-token']).toBe('FwoGZXIvYXdzE//session+token-1==');
    expect(JSON.parse(request!.body)).toEqual({
      Sql: 'select 1',
      ClientToken: 'c-1',
      ClusterIdentifier: 'main',
      DbUser: 'db_ada',
      Database: 'sales',
    });
  });

  it('signs questions about a statement, which name nothing but its id', async () => {
    await start();
    await connect('ada');
    dataService = ({ headers }) => ({ json: { target: headers['x-amz-target'] } });
    expect(await server.call('redshift_describe_statement', { id: 's-1' }, 'ada')).toEqual({
      target: 'RedshiftData.DescribeStatement',
    });
    const input = { id: 's-1', next_token: 'n-1' };
    expect(await server.call('redshift_get_statement_result', input, 'ada')).toEqual({
      target: 'RedshiftData.GetStatementResult',
    });
    expect(dataRequests().map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { Id: 's-1' },
      { Id: 's-1', NextToken: 'n-1' },
    ]);
  });

  it('signs a read that is repeated with another time', async () => {
    await start();
    await connect('ada');
    const replies: StandInReply[] = [{ status: 503, json: {} }];
    dataService = () => replies.shift() ?? { json: { Status: 'FINISHED' } };
    expect(await server.call('redshift_describe_statement', { id: 's-1' }, 'ada')).toEqual({
      Status: 'FINISHED',
    });
    expect(dataRequests()).toHaveLength(2);
  });

  it('shows user and cluster in a dry run, without a credential', async () => {
    await start();
    const { id } = await connect('ada');
    await call();
    const { executor } = server.services;
    const { request } = await executor.dryRun({
      caller: server.operator,
      toolName: 'redshift_execute_statement',
      input: { sql: 'select 1' },
      account: { id },
    });
    expect(request?.body).toEqual({
      Sql: 'select 1',
      ClusterIdentifier: 'main',
      DbUser: 'db_ada',
      Database: 'sales',
    });
    expect(request?.headers).toMatchObject({ authorization: '[secret]', 'x-amz-security-token': '[secret]' });
    expect(JSON.stringify(request)).not.toContain('session+token');
  });
});

describe('TRUSTED_IDP account: proxied request', () => {
  const REQUEST = {
    method: 'POST' as const,
    path: '/',
    query: 'b=2&a=1&a=0&q=%20%2B%C3%A9&flag',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'RedshiftData.ListDatabases' },
    body: Buffer.from('{"Database":\t"säles"}'),
  };

  it('signs the request as it is sent: query, body and target', async () => {
    await start();
    await connect('ada');
    const { status, body } = await server.proxy('redshift', 'ada', REQUEST);
    expect([status, JSON.parse(body.toString())]).toEqual([200, RESULT]);
    const [request] = dataRequests();
    expect(request).toMatchObject({
      target: '/?b=2&a=1&a=0&q=%20%2B%C3%A9&flag',
      body: '{"Database":\t"säles"}',
    });
    expect(request!.headers['x-amz-target']).toBe('RedshiftData.ListDatabases');
  });

  it.each([
    ['query', { target: '/?b=2&a=1&a=0&q=%20%2B%C3%A9&flag=1' }],
    ['body', { body: '{"Database":"other"}' }],
    ['method', { method: 'PUT' }],
    ['target', { headers: { 'x-amz-target': 'RedshiftData.ExecuteStatement' } }],
  ])('makes another signature for another %s', async (_, change) => {
    await start();
    await connect('ada');
    await server.proxy('redshift', 'ada', REQUEST);
    const { method, target, headers, body } = dataRequests()[0]!;
    const arrived = { method, target, headers, body };
    const keys = sessions.at(-1)!;
    expect(signatureProblem(arrived, keys, SCOPE)).toBeUndefined();
    const changed = {
      ...arrived,
      ...change,
      headers: { ...headers, ...('headers' in change && change.headers) },
    };
    expect(signatureProblem(changed, keys, SCOPE)).toBe('another signature');
  });

  it('signs the request again where the session was refused', async () => {
    await start();
    await connect('ada');
    const replies: StandInReply[] = [{ status: 400, json: { __type: 'ExpiredTokenException' } }];
    dataService = () => replies.shift() ?? { json: RESULT };
    expect((await server.proxy('redshift', 'ada', REQUEST)).status).toBe(200);
    expect(dataRequests()).toHaveLength(2);
  });
});

describe('TRUSTED_IDP account with the role of a workgroup', () => {
  it('needs nothing of the owner of an account, and names no user', async () => {
    await start(WORKGROUP);
    expect(await call()).toEqual(RESULT);
    expect(JSON.parse(dataRequests()[0]!.body)).toEqual({
      Sql: 'select 1',
      ClientToken: 'c-1',
      WorkgroupName: 'analysts',
      Database: 'sales',
    });
  });

  it('connects by the button alone where a link is asked for', async () => {
    await start(WORKGROUP);
    const link = await server.link('redshift', 'ada');
    const browser = server.browser();
    expect(fieldsOf(await browser.get(link))).toEqual([]);
    expect((await fillIn(browser, link, {})).status).toBe(303);
    expect((await server.details('redshift', 'ada')).status).toBe('ACTIVE');
  });

  it('ignores the user of an account, and a cluster set next to the workgroup', async () => {
    await start({ ...WORKGROUP, cluster: 'main' });
    await connect('ada');
    await call();
    expect(JSON.parse(dataRequests()[0]!.body)).not.toHaveProperty('DbUser');
    expect(JSON.parse(dataRequests()[0]!.body)).not.toHaveProperty('ClusterIdentifier');
  });
});

describe('TRUSTED_IDP account: renewal', () => {
  it(`sends one request for ${ROUNDS.callersAtOnce} calls at once, and one for each account`, async () => {
    await start();
    await connect('ada');
    await connect('bob');
    await Promise.all(Array.from({ length: ROUNDS.callersAtOnce }, async () => call()));
    expect(tokenRequests()).toHaveLength(1);
    await call('bob');
    expect(tokenRequests()).toHaveLength(2);
  });

  it(`renews before the credentials end, once for ${ROUNDS.callersAtOnce} calls`, async () => {
    await start();
    const { id } = await connect('ada');
    await call();
    const { db } = server.services;
    const now = Date.now();
    const nearlyOver = { token_received_at: now - 3_570_000, token_expires_at: now + 30_000 };
    await db.transaction(async (tx) =>
      new AccountStore(tx).update(server.operator.environmentId, id, nearlyOver),
    );
    await Promise.all(Array.from({ length: ROUNDS.callersAtOnce }, async () => call()));
    expect(tokenRequests()).toHaveLength(2);
    expect(dataRequests().at(-1)!.headers['x-amz-security-token']).toBe('FwoGZXIvYXdzE//session+token-2==');
  });

  it('uses the new role when the role is replaced', async () => {
    await start(null);
    const { connections } = server.services;
    await connections.create(server.operator, { connector: 'redshift', ...connectionOf(CLUSTER) });
    await connect('ada');
    await call();
    const other = 'arn:aws:iam::123456789012:role/other';
    await connections.update(server.operator, 'redshift', { params: { ...CLUSTER, role_arn: other } });
    await call();
    expect(tokenRequests().map(({ form }) => form.get('RoleArn'))).toEqual([ROLE, other]);
  });

  it('cannot renew an account without database user once the workgroup has become a cluster', async () => {
    await start(null);
    const { connections } = server.services;
    await connections.create(server.operator, { connector: 'redshift', ...connectionOf(WORKGROUP) });
    await call();
    await connections.update(server.operator, 'redshift', { params: CLUSTER });
    expect(await refusal(call())).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: {
        field_violations: [
          {
            field: 'connected_account.authorization_details.trusted_idp.db_user',
            description:
              "The connection redshift names a cluster, which needs a database user, and this account has none. Set trusted_idp.db_user of the account, or make a link for its owner: where users are verified it takes the account's identifier alone.",
            constraint: 'required',
          },
        ],
      },
    });
    expect(dataRequests()).toHaveLength(1);
    await server.update('redshift', 'ada', { trusted_idp: { db_user: 'db_ada' } });
    expect(await call()).toEqual(RESULT);
  });

  it('repeats a renewal whose outcome is not known', async () => {
    await start();
    await connect('ada');
    const replies: StandInReply[] = ['reset'];
    tokenService = () => replies.shift() ?? granted();
    expect(await call()).toEqual(RESULT);
    expect(tokenRequests()).toHaveLength(2);
  });

  it.each([
    ['ExpiredTokenException', 400],
    ['com.amazonaws.redshiftdata#ExpiredTokenException', 400],
    ['com.amazon.coral.service#UnrecognizedClientException', 400],
    ['UnrecognizedClientException', 403],
    ['ExpiredToken', 403],
  ])(
    'renews where AWS refuses the session with %s (%i), and sends the statement once more',
    async (code, status) => {
      await start();
      await connect('ada');
      const replies: StandInReply[] = [{ status, json: { __type: code, message: 'The session is over.' } }];
      dataService = () => replies.shift() ?? { json: RESULT };
      expect(await call()).toEqual(RESULT);
      expect(tokenRequests()).toHaveLength(2);
      expect(dataRequests().map(({ headers }) => headers['x-amz-security-token'])).toEqual([
        'FwoGZXIvYXdzE//session+token-1==',
        'FwoGZXIvYXdzE//session+token-2==',
      ]);
    },
  );

  it.each([
    ['another code', 400, 'ValidationException'],
    ['the same code from a server that failed', 500, 'ExpiredTokenException'],
  ])('renews nothing for %s, and sends the statement once', async (_, status, __type) => {
    await start();
    await connect('ada');
    dataService = () => ({ status, json: { __type, message: 'no' } });
    expect(await refusal(call())).toMatchObject({ code: 'TOOL_ERROR' });
    expect(tokenRequests()).toHaveLength(1);
    expect(dataRequests()).toHaveLength(1);
  });

  it('answers with a link when the renewal does not help, and keeps the account', async () => {
    await start();
    await connect('ada');
    dataService = () => ({ status: 400, json: { __type: 'ExpiredTokenException', message: 'no' } });
    const error = await refusal(call());
    expect(error.message).toContain(
      'Amazon Redshift refuses the credential of this account, also after it was renewed (400).',
    );
    expect(error.details).toMatchObject({
      authorization_link: expect.stringContaining('/connect/') as string,
    });
    expect(dataRequests()).toHaveLength(2);
    expect((await server.details('redshift', 'ada')).status).toBe('ACTIVE');
  });

  it.each([
    ['no XML', 'granted'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['no credentials', '<AssumeRoleWithWebIdentityResponse/>'],
  ])('uses no answer of the token service with %s', async (_, text) => {
    await start();
    await connect('ada');
    tokenService = () => xml(200, text);
    const error = await refusal(call());
    expect(error).toMatchObject({ code: 'TOOL_ERROR' });
    expect(error.message).toContain('Amazon Redshift gave no usable answer.');
    expect(dataRequests()).toEqual([]);
  });
});

describe('TRUSTED_IDP account: refusal of the token service', () => {
  it.each([
    [
      'AccessDenied',
      403,
      'Not authorized to perform sts:AssumeRoleWithWebIdentity',
      'AWS does not let the connection redshift assume the role in its params.role_arn. The operator has to check that the role exists and that its trust policy allows sts:AssumeRoleWithWebIdentity',
    ],
    [
      'InvalidIdentityToken',
      400,
      'No OpenIDConnect provider found in your account for https://gate.example',
      'AWS does not accept the identity token of this Gatehouse. The operator has to check that IAM has an identity provider for exactly the base URL',
    ],
    [
      'IDPRejectedClaim',
      403,
      'The claim is invalid',
      'AWS rejects a claim of the identity token of this Gatehouse. The operator has to check the identity provider in IAM',
    ],
    [
      'ExpiredTokenException',
      400,
      'Token expired',
      'The operator has to correct the clock of the computer that runs Gatehouse.',
    ],
    [
      'ValidationError',
      400,
      'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.',
      'the maximum session duration of the role is not shorter than duration_seconds of the connector',
    ],
    [
      'RegionDisabledException',
      403,
      'STS is not activated in this region',
      'The operator has to activate the region for the AWS account, or correct params.region.',
    ],
    [
      'IDPCommunicationError',
      400,
      'Could not reach the provider',
      'AWS could not reach this Gatehouse to check its identity token. If its base URL is public over https, this passes by itself',
    ],
    ['Throttling', 400, 'Rate exceeded', 'Amazon Redshift cannot answer at the moment.'],
  ])('says for %s what to do, and keeps the account', async (code, status, message, words) => {
    await start();
    await connect('ada');
    tokenService = () => refused(status, code, message);
    const error = await refusal(call());
    expect(error.message).toContain(words);
    expect(error.message).toContain('The account stays connected.');
    expect(error.details).toMatchObject({ tool_error: { message, provider_status: status } });
    expect((await server.details('redshift', 'ada')).status).toBe('ACTIVE');
    expect(tokenRequests()).toHaveLength(1);
  });

  it('remembers the refusal for a while in words that name the operator, and asks no more', async () => {
    await start();
    await connect('ada');
    tokenService = () => refused(403, 'AccessDenied', 'no');
    await refusal(call());
    expect((await refusal(call())).message).toContain('the trust policy of the role, and params.role_arn');
    expect(tokenRequests()).toHaveLength(1);
  });

  it('keeps the wait that the token service asks for', async () => {
    await start();
    await connect('ada');
    tokenService = () => ({ status: 503, text: 'later', headers: { 'retry-after': '7' } });
    expect(await refusal(call())).toMatchObject({ code: 'TOOL_ERROR', retryAfterSeconds: 7 });
  });

  it('repeats nothing of our token', async () => {
    await start();
    await connect('ada');
    tokenService = ({ form }) => refused(400, 'InvalidIdentityToken', `bad: ${form.get('WebIdentityToken')}`);
    const { details } = await refusal(call());
    expect(details).toMatchObject({ tool_error: { message: 'bad: [secret]' } });
  });
});

describe('TRUSTED_IDP account: connecting by a link', () => {
  it('asks for the database user in the prompt of the first call, in the words of the connector', async () => {
    await start();
    const link = await promptedLink(call());
    const browser = server.browser();
    const page = await browser.get(link);
    expect(fieldsOf(page)).toEqual(['db_user']);
    expect(page.text).toContain('Statements are run as this user of the database.');
    expect((await fillIn(browser, link, { db_user: '' })).status).toBe(400);
    expect((await fillIn(browser, link, { db_user: 'analyst' })).status).toBe(303);
    await call();
    expect(JSON.parse(dataRequests()[0]!.body)).toMatchObject({ DbUser: 'analyst' });
  });

  it('refuses another database user for somebody who is to be verified', async () => {
    await start();
    const link = await server.verifiedLink('redshift', 'ada', 'db_ada');
    const page = await fillIn(server.browser(), link, { db_user: 'admin' });
    expect(page.status).toBe(400);
    expect(page.text).toContain('Must be db_ada, whose account this is.');
    const taken = await fillIn(server.browser(), link, { db_user: 'db_ada' });
    expect([taken.status, new URL(taken.location).pathname]).toEqual([303, '/verify']);
  });

  it('asks for the region that nothing else says, though no address needs it', async () => {
    const { region: _, ...params } = CLUSTER;
    await start(params);
    const link = await promptedLink(call());
    const browser = server.browser();
    const page = await browser.get(link);
    expect(fieldsOf(page)).toEqual(['region', 'db_user']);
    expect(page.text).toContain('AWS region');
    const form = { region: 'eu-west-1', db_user: 'analyst' };
    expect((await fillIn(browser, link, { ...form, region: 'Europe' })).status).toBe(400);
    expect((await fillIn(browser, link, form)).status).toBe(303);
    // The stand-in takes signatures for eu-west-1 alone.
    expect(await call()).toEqual(RESULT);
  });

  it.each([
    ['params.role_arn', { ...CLUSTER, role_arn: undefined }],
    ['params.workgroup or params.cluster', { ...CLUSTER, cluster: undefined }],
    ['params.database', { ...CLUSTER, database: undefined }],
  ])('makes no link before the operator has given %s', async (member, params) => {
    await start(JSON.parse(JSON.stringify(params)) as Record<string, unknown>);
    expect((await refusal(server.link('redshift', 'ada'))).details).toMatchObject({
      field_violations: [
        { field: 'connector', description: expect.stringContaining(`has no ${member},`) as string },
      ],
    });
  });

  it('warns that AWS cannot reach an issuer on this computer', async () => {
    await start();
    const { connections, environments } = server.services;
    const { warnings } = await connections.get(environments.byName('development').id, 'redshift');
    expect(warnings).toEqual([
      `AWS reads ${server.baseUrl}/.well-known/openid-configuration and the keys named there to check identity tokens, and accepts public https addresses without a port only. Set base_url (GATEHOUSE_BASE_URL) to an https address without a port that AWS can reach.`,
    ]);
  });
});

describe('TRUSTED_IDP credentials over the API', () => {
  it('shows access key id and expiry to whoever may see credentials, and never secret and session token', async () => {
    await start();
    await connect('ada');
    const auth = await server.auth('redshift', 'ada');
    expect(auth.authorization_details).toEqual({
      trusted_idp: {
        db_user: 'db_ada',
        access_key_id: 'ASIAEXAMPLE000000001',
        expiry: auth.token_expires_at,
      },
    });
    const seconds = (Date.parse(auth.token_expires_at ?? '') - Date.now()) / 1_000;
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThan(3_610);
    expect((await server.details('redshift', 'ada')).authorization_details).toEqual({
      trusted_idp: { db_user: 'db_ada', expiry: auth.token_expires_at },
    });
  });

  it('masks the secret members in an error of the service that repeats them', async () => {
    await start();
    await connect('ada');
    const [secret, token] = ['secret/key+of&session-1', 'FwoGZXIvYXdzE//session+token-1=='];
    dataService = () => ({
      status: 400,
      json: { __type: 'ValidationException', message: `${token} ${secret}` },
    });
    const error = await refusal(call());
    expect(error.details).toMatchObject({
      tool_error: { code: 'ValidationException', message: '[secret] [secret]' },
    });
    expect(JSON.stringify([error.message, error.details])).not.toContain('session');
  });

  it('leaves no readable credential on the disk', async () => {
    await start();
    await connect('ada');
    await call();
    const { dataDir } = server.services.settings;
    const names = readdirSync(dataDir);
    expect(names).toContain('gatehouse.db');
    for (const name of names) {
      const path = join(dataDir, name);
      if (!statSync(path).isFile()) continue;
      const bytes = readFileSync(path);
      for (const secret of ['secret/key+of', 'session+token-1', 'ASIAEXAMPLE'])
        expect(bytes.includes(secret), name).toBe(false);
    }
  });

  it('refuses an identity token as a token for our own API', async () => {
    await start();
    await connect('ada');
    await call();
    const token = tokenRequests()[0]!.form.get('WebIdentityToken') ?? randomUUID();
    const answer = await fetch(`${server.baseUrl}/api/v1/connected_accounts`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(401);
  });
});
