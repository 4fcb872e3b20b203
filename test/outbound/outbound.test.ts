/** One request out and its answer back, whatever the other side does. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createServer } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { OutboundFailure } from '../../src/outbound/outbound-failure.ts';
import {
  Outbound,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResponse,
} from '../../src/outbound/outbound.ts';
import { startFaultServer, type Fault, type FaultServer } from '../support/fault-server.ts';
import { freePort } from '../support/free-port.ts';

const policy = new AddressPolicy({ allowPrivateHosts: ['127.0.0.1', 'localhost'] });
/** Far more time than anything takes on a busy machine. */
const LIMITS = {
  connectTimeoutMs: 20_000,
  headersTimeoutMs: 30_000,
  totalTimeoutMs: 60_000,
  maxResponseBytes: 100_000,
};

/** For what never ends by itself. */
const IMPATIENT = { ...LIMITS, headersTimeoutMs: 200, totalTimeoutMs: 400 };
const PATIENCE = { headersTimeoutMs: 30_000, totalTimeoutMs: 30_000 };

let server: FaultServer;
let outbound: Outbound;
let impatient: Outbound;

beforeAll(async () => {
  server = await startFaultServer();
  outbound = new Outbound({ policy, ...LIMITS });
  impatient = new Outbound({ policy, ...IMPATIENT });
});
beforeEach(() => server.reset());
afterAll(async () => {
  await Promise.all([outbound.close(), impatient.close()]);
  await server.close();
});

async function send(
  change: Partial<OutboundRequest> = {},
  by: Outbound = outbound,
): Promise<OutboundResponse> {
  return by.send({ method: 'GET', url: new URL(`${server.origin}/thing`), headers: {}, ...change });
}

async function failureOf(sending: Promise<unknown>): Promise<OutboundFailure> {
  const failure = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(OutboundFailure);
  return failure as OutboundFailure;
}

describe('outbound request', () => {
  it('sends method, path, query, headers and body as given', async () => {
    const answer = await send({
      method: 'POST',
      url: new URL(`${server.origin}/a%2Fb?x=1&y=%20`),
      headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
      body: '{"q":"caf\u00e9"}',
    });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        target: '/a%2Fb?x=1&y=%20',
        body: '{"q":"caf\u00e9"}',
        headers: {
          'content-type': 'application/json',
          'x-api-key': 'k',
          'user-agent': 'gatehouse',
          'content-length': '13',
          host: `127.0.0.1:${server.port}`,
        },
      },
    ]);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString())).toEqual({
      ok: true,
      method: 'POST',
      target: '/a%2Fb?x=1&y=%20',
    });
  });

  it('sends a body of bytes', async () => {
    await send({ method: 'PUT', headers: {}, body: new Uint8Array([0x68, 0x69]) });
    expect(server.requests[0]?.body).toBe('hi');
  });

  it.each([
    ['host', 'evil.test'],
    ['Host', 'evil.test'],
    ['connection', 'close'],
    ['Transfer-Encoding', 'chunked'],
    ['content-length', '5'],
    ['proxy-authorization', 'Basic eA=='],
    ['upgrade', 'h2c'],
    ['x-injected', 'a\r\nx-more: b'],
    ['x-nul', 'a\u0000b'],
    ['x-far', '\u4e2d'],
    ['bad name', 'a'],
    ['', 'a'],
  ])('refuses to send the header %j: %j', async (name, value) => {
    expect(await failureOf(send({ headers: { [name]: value } }))).toMatchObject({
      kind: 'invalid_request',
      sent: false,
    });
    expect(server.requests).toEqual([]);
  });

  it('reuses one connection for calls one after another', async () => {
    await send();
    const before = server.connections();
    await send();
    await send();
    expect(server.connections()).toBe(before);
  });
});

describe('outbound answer', () => {
  it('returns any status, and follows no redirects', async () => {
    const elsewhere = await startFaultServer();
    for (const status of [301, 302, 303, 307, 308]) {
      server.queue({ status, headers: { location: `${elsewhere.origin}/stolen` }, body: '' });
      expect((await send({ headers: { authorization: 'Bearer t' } })).status).toBe(status);
    }
    server.queue({ status: 503, json: { error: 'down' } });
    expect((await send()).status).toBe(503);
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });

  it('joins a header that comes several times', async () => {
    server.queue({ headers: { 'x-note': ['a', 'b'], 'set-cookie': ['c=1', 'd=2'] } });
    expect((await send()).headers).toMatchObject({ 'x-note': 'a, b', 'set-cookie': 'c=1, d=2' });
  });

  it('skips interim answers (1xx)', async () => {
    server.queue({
      raw: 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi',
    });
    expect(await send()).toMatchObject({ status: 200, body: Buffer.from('hi') });
  });

  it('accepts an answer without a body', async () => {
    server.queue({ status: 204, body: '' }, { headers: { 'content-encoding': 'gzip' }, body: '' });
    expect((await send()).body).toHaveLength(0);
    expect((await send()).body).toHaveLength(0);
  });

  it('accepts an announced body that does not come in an answer to HEAD', async () => {
    server.queue({ headers: { 'content-length': '99999999', 'content-encoding': 'gzip' }, body: '' });
    expect(await send({ method: 'HEAD' })).toMatchObject({ status: 200 });
  });

  const text = JSON.stringify({ text: 'x'.repeat(5_000) });
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['identity', Buffer.from(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
  ])('decodes the content coding %s', async (encoding, body) => {
    server.queue({ headers: { 'content-encoding': encoding }, body });
    expect((await send()).body.toString()).toBe(text);
  });

  it('decodes a body whose packed form is large too', async () => {
    const noise = Buffer.from(
      Array.from({ length: 90_000 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) & 255),
    );
    const body = gzipSync(noise, { level: 0 });
    server.queue({ headers: { 'content-encoding': 'gzip' }, body });
    expect((await send()).body.equals(noise)).toBe(true);
  });

  it.each([
    ['an unknown coding', { headers: { 'content-encoding': 'lzma' }, body: 'x' }, 'bad_encoding'],
    [
      'more codings than make sense',
      { headers: { 'content-encoding': 'br, br, br' }, body: 'x' },
      'bad_encoding',
    ],
    ['damaged data', { headers: { 'content-encoding': 'gzip' }, body: 'not gzip at all' }, 'bad_encoding'],
    [
      'half of the packed data',
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync(text).subarray(0, 30) },
      'bad_encoding',
    ],
    ['a bomb', { gzipBombBytes: 5_000_000 }, 'too_large'],
    [
      'a small brotli bomb',
      { headers: { 'content-encoding': 'br' }, body: brotliCompressSync(Buffer.alloc(5_000_000)) },
      'too_large',
    ],
    ['a body without end', { hugeBytes: 5_000_000 }, 'too_large'],
    [
      'an announced body that is too large',
      { headers: { 'content-length': '100001' }, headersOnly: true },
      'too_large',
    ],
    ['half a body', { truncate: true }, 'reset'],
    ['a reset', { reset: true }, 'reset'],
    ['a close before any answer', { raw: '' }, 'reset'],
    ['half a chunk', { raw: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe' }, 'reset'],
    ['garbage', { raw: 'SSH-2.0-OpenSSH_9.6\r\n' }, 'bad_response'],
    ['a flood of interim answers', { raw: 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(101) }, 'bad_response'],
    ['two lengths', { raw: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nhi!' }, 'reset'],
    [
      'a length and chunks',
      {
        raw: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
      },
      'reset',
    ],
    [
      'a broken chunk size',
      { raw: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhi\r\n' },
      'bad_response',
    ],
    [
      'a flood of headers',
      { headers: Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`x-${i}`, 'y'.repeat(300)])) },
      'bad_response',
    ],
    ['silence', { hang: true }, 'timeout'],
    ['headers, then silence', { headersOnly: true }, 'timeout'],
    ['a drip', { dripMs: 40, body: 'x'.repeat(1_000) }, 'timeout'],
  ])('fails on an answer with %s', async (_, fault, kind) => {
    const by = kind === 'timeout' ? impatient : outbound;
    if (by === impatient) await send(PATIENCE, by); // leaves a connection, so that the next is sent at once
    server.queue(fault);
    expect(await failureOf(send({}, by))).toMatchObject({ kind, sent: true });
    expect((await send()).status).toBe(200);
  });

  it('fails with messages of Gatehouse only', async () => {
    server.queue({ reset: true });
    const failure = await failureOf(send({ headers: { authorization: 'Bearer secret-token' } }));
    expect(failure.message).toBe('The connection broke before the answer was complete.');
    expect(Object.keys(failure).toSorted()).toEqual(['code', 'kind', 'name', 'sent']);
    expect(failure.cause).toBeUndefined();
  });

  it('accepts a larger or slower answer where the call allows it', async () => {
    server.queue({ body: 'x'.repeat(150_000) }, { delayMs: 300 });
    expect((await send({ maxResponseBytes: 200_000 })).body).toHaveLength(150_000);
    expect((await send(PATIENCE, impatient)).status).toBe(200);
  });
});

describe('outbound connection that fails', () => {
  it('reports a refused port as a failure before sending', async () => {
    const url = new URL(`http://127.0.0.1:${await freePort()}`);
    expect(await failureOf(send({ url }))).toMatchObject({
      kind: 'connect',
      sent: false,
      code: 'ECONNREFUSED',
    });
  });

  it('reports an unknown name as a failure before sending', async () => {
    const unknown = new AddressPolicy({
      allowPrivateHosts: [],
      resolve: (_, callback) => callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []),
    });
    const other = new Outbound({ policy: unknown, ...LIMITS });
    expect(await failureOf(send({ url: new URL('https://nowhere.test/') }, other))).toMatchObject({
      kind: 'connect',
      sent: false,
      code: 'ENOTFOUND',
    });
    await other.close();
  });

  it('reports a silent resolver as a failure before sending', async () => {
    const other = new Outbound({
      policy: new AddressPolicy({ allowPrivateHosts: [], resolve: () => {} }),
      ...IMPATIENT,
    });
    const failure = await failureOf(send({ url: new URL('https://nowhere.test/') }, other));
    expect(failure).toMatchObject({ kind: 'timeout', sent: false });
    await other.close();
  });
});

describe('caller of an outbound request that disconnects', () => {
  it('closes the connection to the provider', async () => {
    const controller = new AbortController();
    server.queue({ hang: true });
    const closed = server.nextAbort();
    const sending = failureOf(send({ signal: controller.signal }));
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    controller.abort();
    expect(await sending).toMatchObject({ kind: 'aborted', sent: true });
    await closed;
  });

  it('sends nothing when it left before the call', async () => {
    const failure = await failureOf(send({ signal: AbortSignal.abort() }));
    expect(failure).toMatchObject({ kind: 'aborted', sent: false });
    expect(server.requests).toEqual([]);
  });

  it('sends nothing when it left before the connection was made', async () => {
    const slow = await startFaultServer();
    slow.always({ hang: true });
    const leaves = new AbortController();
    const frees = new AbortController();
    const call = async (name: string, signal?: AbortSignal): Promise<OutboundFailure> =>
      failureOf(
        send({
          url: new URL(slow.origin),
          headers: { 'x-name': name },
          ...(signal === undefined ? {} : { signal }),
        }),
      );
    const busy = Array.from({ length: 64 }, () => call('busy', frees.signal));
    await expect.poll(() => slow.requests.length, { interval: 5 }).toBe(64);
    const waiting = call('waiting', leaves.signal);
    const behind = call('behind');
    leaves.abort();
    expect(await waiting).toMatchObject({ kind: 'aborted', sent: false });
    frees.abort();
    await expect.poll(() => slow.requests.map(({ headers }) => headers['x-name'])).toContain('behind');
    expect(slow.requests.map(({ headers }) => headers['x-name'])).not.toContain('waiting');
    await slow.close();
    await Promise.all([behind, ...busy]);
  });
});

describe('tenants of outbound requests', () => {
  it('get through to a provider that leaves many requests of another tenant unanswered', async () => {
    server.always({ hang: true });
    const over = new AbortController();
    const noisy = Array.from({ length: 2_000 }, () =>
      failureOf(send({ tenant: 'noisy', signal: over.signal })),
    );
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(51);
    server.always({ json: 'fine' });
    expect((await send({ tenant: 'quiet' })).status).toBe(200);
    expect(server.requests).toHaveLength(52);
    over.abort();
    for (const failure of await Promise.all(noisy)) expect(failure.kind).toBe('aborted');
  });

  it('run out of time while they wait for a connection, without sending anything', async () => {
    const narrow = new Outbound({ policy, ...LIMITS, connectionsPerOrigin: 1 });
    server.always({ hang: true });
    const first = failureOf(send({ tenant: 'a' }, narrow));
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    const late = await failureOf(send({ tenant: 'b', totalTimeoutMs: 20 }, narrow));
    expect(late).toMatchObject({ kind: 'timeout', sent: false });
    expect(server.requests).toHaveLength(1);
    await narrow.close();
    expect((await first).kind).toBe('aborted');
  });

  it('say when they have a connection, and nothing if they end before', async () => {
    const narrow = new Outbound({ policy, ...LIMITS, connectionsPerOrigin: 1 });
    const turns: string[] = [];
    const onTurn = (name: string) => () => void turns.push(name);
    const leaves = new AbortController();
    server.queue({ hang: true });
    const first = failureOf(send({ tenant: 'a', signal: leaves.signal, onTurn: onTurn('first') }, narrow));
    const late = failureOf(send({ tenant: 'b', totalTimeoutMs: 20, onTurn: onTurn('late') }, narrow));
    const second = send({ tenant: 'b', onTurn: onTurn('second') }, narrow);
    expect((await late).kind).toBe('timeout');
    expect(turns).toEqual(['first']);
    leaves.abort();
    await Promise.all([first, second]);
    expect(turns).toEqual(['first', 'second']);
    await narrow.close();
  });

  it.each<[string, Fault]>([
    ['silence', { hang: true }],
    ['headers, then silence', { headersOnly: true }],
    ['a drip', { dripMs: 50 }],
    ['a reset', { reset: true }],
    ['half a body', { truncate: true }],
    ['a huge body', { hugeBytes: 1_000_000 }],
    ['a gzip bomb', { gzipBombBytes: 10_000_000 }],
    ['no HTTP at all', { raw: 'hello\r\n\r\n' }],
    [
      'another protocol',
      { raw: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n' },
    ],
    ['a flood of interim answers', { raw: 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200) }],
  ])('free their connection after %s', async (_, fault) => {
    const narrow = new Outbound({ policy, ...LIMITS, connectionsPerOrigin: 1 });
    server.queue(fault);
    await failureOf(send({ tenant: 'a', headersTimeoutMs: 200, totalTimeoutMs: 400 }, narrow));
    server.reset();
    expect((await send({ tenant: 'a' }, narrow)).status).toBe(200);
    await narrow.close();
  });

  it('wait for headers as long as they may, however long they waited for a connection', async () => {
    const narrow = new Outbound({ policy, ...LIMITS, connectionsPerOrigin: 1 });
    server.queue({ hang: true });
    server.queue({ hang: true });
    const first = failureOf(send({ headersTimeoutMs: 300, totalTimeoutMs: 300 }, narrow));
    const second = failureOf(send({ headersTimeoutMs: 200, totalTimeoutMs: 3_600_000 }, narrow));
    await first;
    expect(await second).toMatchObject({ kind: 'timeout', sent: true });
    await narrow.close();
  });

  it('free their connection after what cannot be sent', async () => {
    const narrow = new Outbound({ policy, ...LIMITS, connectionsPerOrigin: 1 });
    const invalid = { tenant: 'a', headers: { 'x-name': 'line\nbreak' } };
    expect((await failureOf(send(invalid, narrow))).kind).toBe('invalid_request');
    const gone = { tenant: 'a', url: new URL(`http://127.0.0.1:${await freePort()}`) };
    expect((await failureOf(send(gone, narrow))).kind).toBe('connect');
    expect((await failureOf(send(gone, narrow))).kind).toBe('connect');
    expect((await send({ tenant: 'a' }, narrow)).status).toBe(200);
    await narrow.close();
  });

  it('free their connection when they leave', async () => {
    const narrow = new Outbound({ policy, ...LIMITS, connectionsPerOrigin: 1 });
    const leaves = new AbortController();
    server.queue({ hang: true });
    const first = failureOf(send({ tenant: 'a', signal: leaves.signal }, narrow));
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    const second = send({ tenant: 'a' }, narrow);
    leaves.abort();
    expect((await first).kind).toBe('aborted');
    expect((await second).status).toBe(200);
    await narrow.close();
  });
});

describe('outbound client that closes', () => {
  it('ends running calls and refuses later ones', async () => {
    const other = new Outbound({ policy, ...LIMITS });
    server.queue({ hang: true });
    const sending = failureOf(send({}, other));
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    await other.close();
    expect(await sending).toMatchObject({ kind: 'aborted' });
    expect(await failureOf(send({}, other))).toMatchObject({ kind: 'aborted', sent: false });
    await other.close();
  });
});

describe('TLS of outbound requests', () => {
  const certificate = new URL('../support/localhost-cert.pem', import.meta.url);
  const key = new URL('../support/localhost-key.pem', import.meta.url);
  const tlsServer = createServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    (_, res) => void res.end('"safe"'),
  );
  let url: URL;

  beforeAll(async () => {
    await new Promise<void>((resolve) => tlsServer.listen(0, '127.0.0.1', resolve));
    url = new URL(`https://127.0.0.1:${(tlsServer.address() as AddressInfo).port}/`);
  });
  afterAll(() => void tlsServer.close());

  const callWith = async (options: Partial<OutboundOptions>): Promise<OutboundResponse> => {
    const other = new Outbound({ policy, ...LIMITS, ...options });
    try {
      return await send({ url }, other);
    } finally {
      await other.close();
    }
  };

  it('refuses an untrusted certificate before sending', async () => {
    expect(await failureOf(callWith({}))).toMatchObject({ kind: 'tls', sent: false });
  });

  it('trusts the certificate bundle of the operator', async () => {
    expect((await callWith({ caFile: certificate.pathname })).body.toString()).toBe('"safe"');
  });

  it('reports at once that the bundle cannot be read', () => {
    expect(() => new Outbound({ policy, ...LIMITS, caFile: '/nowhere/ca.pem' })).toThrow('ENOENT');
  });
});
