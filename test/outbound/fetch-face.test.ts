/** Requests of libraries that speak HTTP themselves: streams with limits, no redirect, no standing stream. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { fetchFace, type FetchLimits, type FetchOptions } from '../../src/outbound/fetch-face.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { startFaultServer, type Fault, type FaultServer } from '../support/fault-server.ts';

const LIMITS: FetchLimits = {
  headersTimeoutMs: 30_000,
  idleTimeoutMs: 30_000,
  totalTimeoutMs: 60_000,
  maxBytes: 300_000,
  maxEventBytes: 1_000,
  maxEvents: 3,
};

let server: FaultServer;
let outbound: Outbound;

beforeAll(async () => {
  server = await startFaultServer();
  outbound = new Outbound({
    policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
    connectTimeoutMs: 20_000,
    headersTimeoutMs: 30_000,
    totalTimeoutMs: 60_000,
    maxResponseBytes: 100,
  });
});
beforeEach(() => server.reset());
afterAll(async () => {
  await outbound.close();
  await server.close();
});

async function fetched(
  fault: Fault,
  init: RequestInit = {},
  limits: Partial<FetchLimits> = {},
  options: Partial<FetchOptions> = {},
): Promise<Response> {
  server.queue(fault);
  const face = fetchFace(outbound, { limits: () => ({ ...LIMITS, ...limits }), ...options });
  return face(`${server.origin}/mcp`, init);
}

function events(...texts: string[]): Fault {
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: texts.map((text) => `data: ${text}\n\n`).join(''),
  };
}

describe('requests of a library', () => {
  it('get the answer with its status and headers', async () => {
    const answer = await fetched({
      status: 404,
      json: { error: 'no such session' },
      headers: { etag: '"7"' },
    });
    expect([answer.status, answer.headers.get('etag'), await answer.json()]).toEqual([
      404,
      '"7"',
      { error: 'no such session' },
    ]);
  });

  it('carry the headers and the query of the credential, which replace those of the library', async () => {
    const credential = () => ({
      headers: { Authorization: 'Bearer ours' },
      query: [['key', 'k 1']] as const,
    });
    await fetched(
      {},
      { method: 'POST', headers: { authorization: 'Bearer theirs' }, body: '{}' },
      {},
      { credential },
    );
    const [request] = server.requests;
    expect([request?.headers['authorization'], request?.target, request?.body]).toEqual([
      'Bearer ours',
      '/mcp?key=k+1',
      '{}',
    ]);
  });

  it('get no standing stream of events, and nothing is sent for it', async () => {
    const answer = await fetched({}, { headers: { accept: 'text/event-stream' } });
    expect([answer.status, server.requests]).toEqual([405, []]);
  });

  it.each([
    ['/mcp/v2', 'ORIGIN/mcp/v2'],
    ['http://169.254.169.254/latest', undefined],
    [undefined, undefined],
  ])('follow no redirect to %s', async (location, sameOrigin) => {
    const redirect = { status: 307, headers: location === undefined ? {} : { location } };
    await expect(fetched(redirect)).rejects.toMatchObject({
      name: 'RedirectFailure',
      message: 'The server sends to another address. Redirects are not followed.',
      sameOrigin: sameOrigin?.replace('ORIGIN', server.origin),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('hand refusals to a hook that may replace them', async () => {
    const onAnswer: FetchOptions['onAnswer'] = ({ status, text }) => {
      throw new Error(`${status}: ${text}`);
    };
    const refused = fetched({ status: 401, body: 'who are you' }, {}, {}, { onAnswer });
    await expect(refused).rejects.toThrow('401: who are you');
  });
});

describe('limits of an answer', () => {
  it.each<[string, Fault, string]>([
    ['a body that is too large', { hugeBytes: 10_000_000 }, 'too_large'],
    ['a body that announces too much', { body: 'x'.repeat(300_001) }, 'too_large'],
    ['a body that unpacks to too much', { gzipBombBytes: 50_000_000 }, 'too_large'],
    ['a body that breaks off', { truncate: true, body: 'x'.repeat(1_000) }, 'reset'],
    ['a body in an unknown coding', { headers: { 'content-encoding': 'lzma' } }, 'bad_encoding'],
    ['a body that is not packed as it says', { headers: { 'content-encoding': 'gzip' } }, 'bad_encoding'],
  ])('refuse an answer with %s', async (_, fault, kind) => {
    await expect(fetched(fault)).rejects.toMatchObject({ kind });
  });

  it.each<[string, Fault, string]>([
    ['an event that is too large', events('x'.repeat(1_001)), 'too_large'],
    ['too many events', events('1', '2', '3', '4'), 'too_large'],
    ['an event without an end', { ...events(), body: 'x'.repeat(2_000) }, 'too_large'],
  ])('end a stream that has %s', async (_, fault, kind) => {
    const answer = await fetched(fault);
    await expect(answer.text()).rejects.toMatchObject({ kind });
  });

  it('let as many events pass as allowed, with any line end', async () => {
    const body = 'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n';
    const answer = await fetched({ ...events(), body });
    expect(await answer.text()).toBe(body);
  });

  it.each<[string, Partial<FetchLimits>, Fault]>([
    ['silence on a stream', { idleTimeoutMs: 100 }, { ...events(), headersOnly: true }],
    ['one byte now and then', { totalTimeoutMs: 300 }, { ...events('for a long time'), dripMs: 50 }],
  ])('end a stream after %s', async (_, limits, fault) => {
    const answer = await fetched(fault, {}, limits);
    await expect(answer.text()).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('close the connection of a stream that its reader leaves', async () => {
    const aborted = server.nextAbort();
    const answer = await fetched({ ...events(), headersOnly: true });
    await answer.body?.cancel();
    await expect(aborted).resolves.toBeUndefined();
  });
});
