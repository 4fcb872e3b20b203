/** The connector warehouse as a whole: where it may call, how it is authorized, and what Snowflake's answers mean. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { completeValue } from '../../src/connections/placeholders.ts';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { ProviderClient } from '../../src/outbound/provider-client.ts';
import { shippedCatalog } from './tool-request.ts';

const warehouse = shippedCatalog.connectors.get('warehouse')!;
const tools = [...shippedCatalog.tools.values()].filter(({ connector }) => connector === 'warehouse');

describe('connector warehouse', () => {
  it('asks for consent at the host of the account, with the client secret in the header', () => {
    expect(warehouse.hosts.map(({ url }) => url)).toEqual(['https://{domain}']);
    expect(warehouse.auth.map((entry) => ({ ...entry, fields: undefined, scopes: undefined }))).toEqual([
      {
        type: 'OAUTH',
        oauth: {
          authorization_url: 'https://{domain}/oauth/authorize',
          token_url: 'https://{domain}/oauth/token-request',
          placeholders: warehouse.hosts[0]!.placeholders,
          pkce: true,
          authorize_parameters: {},
          scope_parameter: true,
          scope_separator: ' ',
          client_authentication: 'basic',
          refresh_tokens: true,
          offline_scope: 'refresh_token',
          revocation: 'none',
        },
      },
    ]);
  });

  it.each([
    ['myorg-account.snowflakecomputing.com', 'myorg-account.snowflakecomputing.com'],
    ['myorg-account', 'myorg-account.snowflakecomputing.com'],
    ['my_org-account', 'my_org-account.snowflakecomputing.com'],
    ['xy12345.eu-central-1', 'xy12345.eu-central-1.snowflakecomputing.com'],
    ['xy12345.us-east-1.aws', 'xy12345.us-east-1.aws.snowflakecomputing.com'],
    [
      'xy.eu-central-1.privatelink.snowflakecomputing.com',
      'xy.eu-central-1.privatelink.snowflakecomputing.com',
    ],
    ['acme.snowflakecomputing.cn', 'acme.snowflakecomputing.cn'],
    ['snowflakecomputing.com', 'snowflakecomputing.com.snowflakecomputing.com'],
    // Whatever else it says, it stays below Snowflake.
    ['evil.example.com', 'evil.example.com.snowflakecomputing.com'],
    ['169.254.169.254', '169.254.169.254.snowflakecomputing.com'],
    ['localhost', 'localhost.snowflakecomputing.com'],
    ['evil.example/.snowflakecomputing.com', undefined],
    ['evil.example#.snowflakecomputing.com', undefined],
    ['evil.example?.snowflakecomputing.com', undefined],
    ['user@evil.example', undefined],
    ['acme.snowflakecomputing.com:8443', undefined],
    ['acme.snowflakecomputing.com.', undefined],
    ['https://acme.snowflakecomputing.com', undefined],
    ['acme.snowflakecomputing.com/x', undefined],
    ['acme..snowflakecomputing.com', undefined],
    ['[::1]', undefined],
    ['a%2f.snowflakecomputing.com', undefined],
    ['acme.snowflakecomputing.com\n', undefined],
    ['', undefined],
  ])('turns the account %j into the host %j', (value, host) => {
    const { domain: pattern = '' } = warehouse.hosts[0]!.placeholders;
    expect(completeValue(value, pattern, warehouse.settings?.domain)).toBe(host);
  });

  it('has deadlines for every statement above the 45 seconds that Snowflake waits', () => {
    const others = tools.filter(({ deadline }) => deadline === undefined).map(({ name }) => name);
    expect(others).toEqual([
      'warehouse_cancel_query',
      'warehouse_get_query_partition',
      'warehouse_get_query_status',
    ]);
    for (const { deadline } of tools)
      if (deadline !== undefined) expect(deadline).toEqual({ headersMs: 50_000, totalMs: 55_000 });
  });

  it('counts only tools as a change that run any SQL or cancel it', () => {
    const changes = tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
    expect(changes).toEqual(['warehouse_cancel_query', 'warehouse_execute_query']);
  });
});

/** Snowflake that gives one answer, asked through the real client. */
async function ask(answer: { status: number; body: unknown; isPacked?: boolean }): Promise<unknown> {
  const text = JSON.stringify(answer.body);
  const server = createServer((_request, response) => {
    const packed = answer.isPacked === true;
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      ...(packed && { 'content-encoding': 'gzip' }),
    });
    response.end(packed ? gzipSync(text) : text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const outbound = new Outbound({
    policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
    connectTimeoutMs: 1_000,
    headersTimeoutMs: 5_000,
    totalTimeoutMs: 5_000,
    maxResponseBytes: 100_000,
  });
  onTestFinished(async () => {
    await outbound.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { json } = await new ProviderClient(outbound).call({
    request: {
      method: 'POST',
      url: new URL(`http://127.0.0.1:${port}/api/v2/statements`),
      headers: {},
      body: '{}',
    },
    effect: 'update',
    connector: warehouse.name,
    errors: warehouse.errors,
    title: warehouse.title,
    executionId: 'exe_1',
    secrets: [],
  });
  return json;
}

describe('answers of Snowflake', () => {
  it.each([
    ['a result', 200, { code: '090001', data: [['1', null]], resultSetMetaData: { numRows: 1 } }],
    ['a statement that still runs', 202, { code: '333334', statementHandle: 'h' }],
    ['a statement that was cancelled', 200, { code: '000604', sqlState: '57014', statementHandle: 'h' }],
    ['several statements', 200, { code: '090001', statementHandles: ['a', 'b'] }],
  ])('%s is returned as a result, unchanged', async (_case, status, body) => {
    expect(await ask({ status, body })).toEqual(body);
  });

  it('include a partition that arrives compressed', async () => {
    const body = { data: Array.from({ length: 500 }, (_, i) => [String(i), 'x', null]) };
    expect(await ask({ status: 200, body, isPacked: true })).toEqual(body);
  });

  it.each([
    [400, '390142', 502],
    [401, '390318', 502],
    [403, '003001', 403],
    [404, '000709', 404],
    [408, '000630', 502],
    [422, '002003', 502],
    [429, '390505', 429],
    [503, '000001', 502],
  ])('%i with code %s becomes %i, with the message of Snowflake', async (status, code, expected) => {
    const body = { code, message: "Object 'T' does not exist.", sqlState: '42S02', statementHandle: 'h' };
    await expect(ask({ status, body })).rejects.toMatchObject({
      status: expected,
      toolError: {
        code,
        message: "Object 'T' does not exist.",
        provider_status: status,
        provider_body: body,
      },
    });
  });
});
