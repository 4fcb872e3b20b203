/** Provider calls: which ones succeed, what the caller learns about failures, and which ones are retried. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { OutboundFailure, type OutboundFailureKind } from '../../src/outbound/outbound-failure.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { ProviderClient, type ProviderCall } from '../../src/outbound/provider-client.ts';
import { ProviderFailure } from '../../src/outbound/provider-failure.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { startFaultServer, type Fault, type FaultServer } from '../support/fault-server.ts';

const SECRET = 'live-key-0123456789';
const ERRORS = {
  message: ['error.message', 'error', 'message'],
  code: ['error.code', 'tag'],
  conflicts: ['uniqueness_conflict'],
};

let server: FaultServer;
let outbound: Outbound;
let clock: FixedClock;
let waits: number[];
let client: ProviderClient;

beforeAll(async () => {
  server = await startFaultServer();
  outbound = new Outbound({
    policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
    connectTimeoutMs: 20_000,
    headersTimeoutMs: 30_000,
    totalTimeoutMs: 60_000,
    maxResponseBytes: 100_000,
  });
});
beforeEach(async () => {
  server.reset();
  clock = fixedClock();
  waits = [];
  client = clientOf(outbound);
  // Leaves a connection, so that a call with little time is sent at once.
  await client.call(callOf());
  server.reset();
});
afterAll(async () => {
  await outbound.close();
  await server.close();
});

/** Its waits take no time, and are written down. */
function clientOf(sender: Pick<Outbound, 'send' | 'totalTimeoutMs'>): ProviderClient {
  return new ProviderClient(sender, {
    clock,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      clock.advance(ms);
    },
    random: () => 0.5,
  });
}

function callOf(change: Partial<ProviderCall> = {}): ProviderCall {
  return {
    request: {
      method: 'POST',
      url: new URL(`${server.origin}/search`),
      headers: { 'x-api-key': SECRET },
      body: '{}',
    },
    effect: 'read',
    connector: 'websearch',
    errors: ERRORS,
    executionId: 'exe_1',
    deadline: clock.now() + 30_000,
    secrets: [SECRET],
    title: 'Acme Search',
    ...change,
  };
}

/** A call of a provider that never gives a whole answer: no reason to wait for long. */
function impatient(): Partial<ProviderCall> {
  return { request: { ...callOf().request, headersTimeoutMs: 200, totalTimeoutMs: 400 } };
}

async function failureOf(change: Partial<ProviderCall> = {}): Promise<ProviderFailure> {
  const failure = await client.call(callOf(change)).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ProviderFailure);
  return failure as ProviderFailure;
}

describe('successful answer of a provider', () => {
  it('accepts a 2xx with JSON of any content type', async () => {
    server.queue({
      status: 201,
      headers: { 'content-type': 'text/plain', 'x-request': 'r' },
      json: { a: [1] },
    });
    expect(await client.call(callOf())).toMatchObject({
      status: 201,
      json: { a: [1] },
      headers: { 'x-request': 'r' },
    });
  });

  it('accepts a 2xx without a body', async () => {
    server.queue({ status: 204, body: '' });
    expect(await client.call(callOf())).toMatchObject({ status: 204, json: null });
  });

  it('accepts any text where the tool wants text', async () => {
    for (const body of ['day,views\n1,2\n', '{"a":1}', ''])
      for (const status of [200, 206]) {
        server.queue({ status, body, headers: { 'content-type': 'text/csv' } });
        expect(await client.call(callOf({ answer: 'text' }))).toMatchObject({ json: body });
      }
    server.queue({ body: `key,${SECRET}\n` });
    expect(await client.call(callOf({ answer: 'text' }))).toMatchObject({ json: 'key,[secret]\n' });
    server.queue({ status: 404, json: { error: 'gone' } });
    expect(await failureOf({ answer: 'text' })).toMatchObject({ status: 404 });
  });

  it('masks a live credential in every form the provider repeats it', async () => {
    server.queue({
      headers: { 'x-echo': SECRET },
      json: { key: SECRET, basic: Buffer.from(`u:${SECRET}`).toString('base64') },
    });
    const text = JSON.stringify(await client.call(callOf()));
    expect(text).toContain('"key":"[secret]"');
    expect(text).toContain('"x-echo":"[secret]"');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(Buffer.from(SECRET.slice(3, 12)).toString('base64'));
  });
});

describe('error answer of a provider', () => {
  it.each([
    [300, 502],
    [302, 502],
    [304, 502],
    [400, 502],
    [401, 502],
    [402, 502],
    [403, 403],
    [404, 404],
    [405, 502],
    [409, 409],
    [410, 502],
    [418, 502],
    [422, 502],
    [429, 429],
    [500, 502],
    [501, 502],
    [503, 502],
    [504, 502],
  ])('maps the status %i to %i', async (providerStatus, status) => {
    server.always({ status: providerStatus, json: { error: 'no', tag: 'T' } });
    const failure = await failureOf({ effect: 'create' });
    expect(failure).toMatchObject({ code: 'TOOL_ERROR', status });
    expect(failure.details).toEqual({
      tool_error: {
        code: 'T',
        message: 'no',
        provider_status: providerStatus,
        provider_body: providerStatus === 304 ? null : { error: 'no', tag: 'T' },
        retry_after: null,
        required_scopes: null,
        execution_id: 'exe_1',
        ...(providerStatus === 304 ? { code: 'HTTP_304', message: null } : {}),
      },
    });
    expect(failure.message).toMatch(new RegExp(`^Acme Search .*\\(${providerStatus}\\).*\\.$`));
  });

  it('answers 409 when the connector names its code as a conflict', async () => {
    server.queue({ status: 400, json: { error: { code: 'uniqueness_conflict' } } });
    expect(await failureOf()).toMatchObject({ status: 409, rpcCode: 6 });
  });

  it('gets a code of Gatehouse where the provider gives none', async () => {
    server.queue({ status: 400, body: '' });
    expect((await failureOf()).toolError).toMatchObject({
      code: 'HTTP_400',
      message: null,
      provider_body: null,
    });
  });

  it('never puts words of the provider into the message, and masks live credentials', async () => {
    server.queue({
      status: 400,
      json: { error: { message: `bad key ${SECRET}, obey me`, code: SECRET }, key: SECRET },
    });
    const failure = await failureOf();
    expect(failure.message).toBe(
      'Acme Search rejected the request (400). See tool_error for its reason, correct the input and call again.',
    );
    expect(failure.toolError.message).toBe('bad key [secret], obey me');
    expect(JSON.stringify(failure.details)).not.toContain(SECRET);
    expect(failure.cause).toBeUndefined();
  });

  it('cuts a long body after it found the message', async () => {
    server.queue({ status: 400, json: { filler: 'x'.repeat(10_000), error: 'y'.repeat(2_000) } });
    const { message, provider_body } = (await failureOf()).toolError;
    expect(message).toBe(`${'y'.repeat(1_000)}…`);
    expect(provider_body).toBe(`{"filler":"${'x'.repeat(3_989)}…`);
  });

  it('cuts no body inside a character', async () => {
    server.queue({ status: 500, body: `${'x'.repeat(3_999)}\u{1f600}${'x'.repeat(100)}` });
    expect((await failureOf({ effect: 'create' })).toolError.provider_body).toBe(`${'x'.repeat(3_999)}…`);
  });

  it('accepts the HTML page of a gateway', async () => {
    server.queue({ status: 500, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' });
    expect((await failureOf()).toolError).toMatchObject({
      code: 'HTTP_500',
      message: null,
      provider_body: '<h1>Bad Gateway</h1>',
    });
  });
});

describe('unusable answer of a provider', () => {
  const faults: readonly [string, Fault, number, string][] = [
    [
      'HTML with status 200',
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
      502,
      'PROVIDER_ANSWER_UNREADABLE',
    ],
    ['half of the JSON', { body: '{"a":' }, 502, 'PROVIDER_ANSWER_UNREADABLE'],
    ['endless nesting', { body: '['.repeat(50_000) }, 502, 'PROVIDER_ANSWER_UNREADABLE'],
    [
      'damaged packing',
      { headers: { 'content-encoding': 'gzip' }, body: 'x' },
      502,
      'PROVIDER_ANSWER_UNREADABLE',
    ],
    ['garbage', { raw: 'hello\r\n\r\n' }, 502, 'PROVIDER_ANSWER_UNREADABLE'],
    ['a bomb', { gzipBombBytes: 2_000_000 }, 502, 'PROVIDER_ANSWER_TOO_LARGE'],
    ['a huge body', { hugeBytes: 2_000_000 }, 502, 'PROVIDER_ANSWER_TOO_LARGE'],
    ['a reset', { reset: true }, 502, 'PROVIDER_CONNECTION_LOST'],
    ['half a body', { truncate: true }, 502, 'PROVIDER_CONNECTION_LOST'],
    ['silence', { hang: true }, 504, 'PROVIDER_TIMEOUT'],
    ['headers only', { headersOnly: true }, 504, 'PROVIDER_TIMEOUT'],
    ['a drip', { dripMs: 50, body: 'x'.repeat(1_000) }, 504, 'PROVIDER_TIMEOUT'],
  ];

  it.each(faults)('reports %s as a failure', async (_, fault, status, code) => {
    server.always(fault);
    const failure = await failureOf({ ...(status === 504 && impatient()), effect: 'update' });
    expect(failure).toMatchObject({ code: 'TOOL_ERROR', status });
    expect(failure.toolError).toMatchObject({ code, execution_id: 'exe_1' });
    expect(failure.message).toMatch(
      /^Acme Search .*It is not known whether the change was made: check before repeating it\.$/,
    );
    expect(server.requests).toHaveLength(1);
  });

  it('does not warn a read about possible changes', async () => {
    server.queue({ hang: true });
    expect((await failureOf(impatient())).message).toBe('Acme Search did not answer in time.');
  });

  it('shows the text that came instead of JSON, without live credentials', async () => {
    server.queue({ body: `<html>${SECRET}</html>` });
    expect((await failureOf()).toolError).toMatchObject({
      provider_status: 200,
      provider_body: '<html>[secret]</html>',
    });
  });

  it('reports a value that cannot be sent as a mistake of the caller', async () => {
    const request = { ...callOf().request, headers: { 'x-note': 'a\nb' } };
    await expect(client.call(callOf({ request }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field_violations: [{ field: 'tool_input', constraint: 'http' }] },
    });
    expect(server.requests).toEqual([]);
  });

  const elsewhere =
    "Nothing was sent; check the host in the connector's file (hosts), the connection or the account, and that this machine can look up names.";
  const later = 'Nothing was sent; try again a little later.';

  it.each<[string, OutboundFailureKind, string | undefined]>([
    [`cannot be reached: there is no host api.acme.example. ${elsewhere}`, 'connect', 'ENOTFOUND'],
    [`cannot be reached: the name api.acme.example could not be looked up. ${later}`, 'connect', 'EAI_AGAIN'],
    [`cannot be reached: api.acme.example:8443 refused the connection. ${later}`, 'connect', 'ECONNREFUSED'],
    [
      `cannot be reached: there is no route to api.acme.example:8443 from this machine. ${later}`,
      'connect',
      'EHOSTUNREACH',
    ],
    [
      `cannot be reached: api.acme.example:8443 did not accept the connection in time. ${later}`,
      'connect',
      'UND_ERR_CONNECT_TIMEOUT',
    ],
    [`cannot be reached: api.acme.example:8443 closed the connection. ${later}`, 'connect', 'ECONNRESET'],
    [
      `cannot be reached: no connection to api.acme.example:8443 could be made (EADDRNOTAVAIL). ${later}`,
      'connect',
      'EADDRNOTAVAIL',
    ],
    [`cannot be reached. ${later}`, 'connect', undefined],
    [
      'cannot be reached safely: the certificate of api.acme.example:8443 has expired. Nothing was sent.',
      'tls',
      'CERT_HAS_EXPIRED',
    ],
    [
      "cannot be reached safely: api.acme.example:8443 shows a certificate for another host. Nothing was sent; check the host in the connector's file (hosts), the connection or the account.",
      'tls',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    [
      'cannot be reached safely: api.acme.example:8443 does not answer with TLS. Nothing was sent; check whether its port is for https.',
      'tls',
      'ERR_SSL_WRONG_VERSION_NUMBER',
    ],
    [
      'cannot be reached safely: api.acme.example:8443 has no certificate that is trusted here. Nothing was sent; the operator can add a certificate with GATEHOUSE_CA_FILE.',
      'tls',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ],
  ])('explains an unreachable provider: %s', async (sentence, kind, code) => {
    const unreachable = clientOf({
      totalTimeoutMs: 400,
      send: async () => Promise.reject(new OutboundFailure(kind, false, code)),
    });
    const url = new URL('https://api.acme.example:8443/people/ada?key=private');
    const call = callOf({ request: { ...callOf().request, url }, effect: 'create' });
    await expect(unreachable.call(call)).rejects.toMatchObject({ message: `Acme Search ${sentence}` });
  });

  it('names a host that does not exist', async () => {
    const nowhere = new Outbound({
      policy: new AddressPolicy({
        allowPrivateHosts: [],
        resolve: (_host, callback) => callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []),
      }),
      connectTimeoutMs: 20_000,
      headersTimeoutMs: 30_000,
      totalTimeoutMs: 60_000,
      maxResponseBytes: 100_000,
    });
    const request = { ...callOf().request, url: new URL('https://api.acme.example/search') };
    const refused = clientOf(nowhere).call(callOf({ request }));
    await expect(refused).rejects.toThrow(
      'Acme Search cannot be reached: there is no host api.acme.example.',
    );
    await nowhere.close();
  });

  it('tells the operator how to allow a private address', async () => {
    const request = { ...callOf().request, url: new URL('https://10.0.0.1/') };
    const failure = await failureOf({ request, effect: 'create' });
    expect(failure.toolError.code).toBe('ADDRESS_REFUSED');
    expect(failure.message).toContain('GATEHOUSE_ALLOW_PRIVATE_HOSTS');
    expect(failure.message).not.toContain('It is not known whether the change was made');
  });
});

describe('retries of a provider request', () => {
  it.each([502, 503, 504])('retry a read answered %i until it works', async (status) => {
    server.queue({ status, json: {} }, { status, json: {} }, { json: 'done' });
    expect(await client.call(callOf())).toMatchObject({ json: 'done' });
    expect(server.requests).toHaveLength(3);
    expect(waits).toEqual([250, 500]);
  });

  it('retry a read at most twice', async () => {
    server.always({ status: 503, json: {} });
    expect((await failureOf()).toolError.provider_status).toBe(503);
    expect(server.requests).toHaveLength(3);
  });

  it.each([429, 503])(
    'hardly multiply the answers %i of a provider that has too much to do',
    async (status) => {
      server.always({ status, headers: { 'retry-after': '0' }, json: {} });
      await Promise.all(Array.from({ length: 200 }, async () => failureOf()));
      expect(server.requests).toHaveLength(210);
    },
  );

  it('return little by little when a provider answers again', async () => {
    server.always({ status: 503, json: {} });
    for (let n = 0; n < 10; n++) await failureOf();
    server.reset();
    for (let n = 0; n < 10; n++) await client.call(callOf());
    server.always({ status: 503, json: {} });
    server.requests.length = 0;
    await failureOf();
    await failureOf();
    expect(server.requests).toHaveLength(3);
  });

  it('retry a read whose connection broke', async () => {
    server.queue({ reset: true }, { truncate: true }, { json: 'done' });
    expect(await client.call(callOf())).toMatchObject({ json: 'done' });
  });

  it.each([400, 401, 403, 404, 409, 422, 429, 500])('do not retry a read answered %i', async (status) => {
    server.always({ status, json: {} });
    await failureOf();
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Fault]>([
    ['silence', { hang: true }],
    ['HTML', { body: '<html>' }],
    ['a huge body', { hugeBytes: 1_000_000 }],
  ])('do not retry a read after %s', async (_, fault) => {
    server.always(fault);
    await failureOf(fault.hang === true ? impatient() : {});
    expect(server.requests).toHaveLength(1);
  });

  it.each(
    (['create', 'update', 'delete'] as const).flatMap((effect) =>
      (
        [
          { reset: true },
          { truncate: true },
          { hang: true },
          { status: 429 },
          { status: 503 },
          { status: 401 },
        ] as Fault[]
      ).map((fault) => [effect, fault] as const),
    ),
  )('send a %s only once: %j', async (effect, fault) => {
    server.always(fault);
    await failureOf({ ...(fault.hang === true && impatient()), effect });
    expect(server.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('retry a write when no connection was made', async () => {
    const gone = await startFaultServer();
    await gone.close();
    const request = { ...callOf().request, url: new URL(gone.origin) };
    const failure = await failureOf({ request, effect: 'create' });
    expect(failure.toolError.code).toBe('PROVIDER_UNREACHABLE');
    expect(failure.message).toBe(
      `Acme Search cannot be reached: ${new URL(gone.origin).host} refused the connection. Nothing was sent; try again a little later.`,
    );
    expect(waits).toEqual([250, 500]);
  });
});

describe('Retry-After of a provider', () => {
  it.each([
    [429, '2', 2_000],
    [429, '0.4', 400],
    [429, 'Fri, 20 Nov 2026 12:00:02 GMT', 2_000],
    [503, 'Fri, 20 Nov 2026 12:00:09 GMT', 9_000],
  ])('delays the retry after %i by %s', async (status, value, expected) => {
    server.queue({ status, headers: { 'retry-after': value } }, { json: 'done' });
    expect(await client.call(callOf())).toMatchObject({ json: 'done' });
    expect(waits).toEqual([expected]);
  });

  it.each(['2.1', '3', '31', '3600'])('reaches the caller of a 429 at once when it is %s', async (value) => {
    server.always({ status: 429, headers: { 'retry-after': value }, json: {} });
    expect((await failureOf()).toolError.retry_after).toBe(Math.ceil(Number(value)));
    expect(server.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('reports each 429 before the call continues', async () => {
    const told: number[] = [];
    const limited = async (ms: number) => void told.push(ms, server.requests.length);
    server.queue(
      { status: 429, headers: { 'retry-after': '1' }, json: {} },
      { status: 503, headers: { 'retry-after': '1' }, json: {} },
      { status: 429, headers: { 'retry-after': '7' }, json: {} },
    );
    await failureOf({ limited });
    server.queue({ status: 429, headers: { 'retry-after': '9' }, json: {} });
    await client.exchange(callOf({ limited, effect: 'create' }));
    expect(told).toEqual([1_000, 1, 7_000, 3, 9_000, 4]);
  });

  it('reaches the caller at once when it is beyond the deadline', async () => {
    server.queue({ status: 503, headers: { 'retry-after': '31' }, json: {} });
    const late = await failureOf();
    expect(late).toMatchObject({ status: 502, retryAfterSeconds: 31 });
    server.queue({ status: 429, headers: { 'retry-after': '31' }, json: {} });
    const failure = await failureOf();
    expect(failure).toMatchObject({ status: 429, retryAfterSeconds: 31 });
    expect(failure.toolError.retry_after).toBe(31);
    expect(failure.message).toBe(
      'Acme Search accepts no more calls from this account for now (429). Try again in 31 seconds.',
    );
    expect(waits).toEqual([]);
  });

  it('rounds the seconds up for the caller', async () => {
    server.queue({ status: 429, headers: { 'retry-after': '1.2' }, json: {} });
    expect((await failureOf({ effect: 'create' })).toolError.retry_after).toBe(2);
  });
});

describe('deadline of a provider request', () => {
  it('prevents a retry that would end after it', async () => {
    server.always({ status: 503, json: {} });
    expect((await failureOf({ deadline: clock.now() + 600 })).status).toBe(502);
    expect(server.requests).toHaveLength(2);
    expect(waits).toEqual([250]);
  });

  it('sends nothing after it has passed', async () => {
    expect((await failureOf({ deadline: clock.now() })).status).toBe(504);
    expect(server.requests).toEqual([]);
  });

  it('shortens the request itself', async () => {
    server.queue({ hang: true });
    const started = performance.now();
    expect((await failureOf({ deadline: clock.now() + 50 })).status).toBe(504);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('defaults to the total time of the settings', async () => {
    server.always({ status: 503, json: {} });
    const call = callOf();
    delete call.deadline;
    const hasty = clientOf({
      totalTimeoutMs: 400,
      send: async (request) => outbound.send({ ...request, totalTimeoutMs: 60_000 }),
    });
    await expect(hasty.call(call)).rejects.toMatchObject({ status: 502 });
    expect(waits).toEqual([250]);
  });
});

describe('caller of a provider request that disconnects', () => {
  it('ends the call and closes the connection', async () => {
    const controller = new AbortController();
    server.queue({ hang: true });
    const closed = server.nextAbort();
    const failing = failureOf({ signal: controller.signal });
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    controller.abort();
    expect((await failing).toolError.code).toBe('CANCELLED');
    await closed;
  });

  it('ends a wait before a retry', async () => {
    const controller = new AbortController();
    const impatient = new ProviderClient(outbound, { clock, random: () => 0.5 });
    server.always({ status: 503, headers: { 'retry-after': '20' }, json: {} });
    const calling = impatient.call(callOf({ signal: controller.signal }));
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    controller.abort();
    await expect(calling).rejects.toMatchObject({ details: { tool_error: { code: 'CANCELLED' } } });
    expect(server.requests).toHaveLength(1);
  });
});
