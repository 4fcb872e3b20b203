/** One signed POST against endpoints that behave and misbehave, over the real way out. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SignedSender, type SignedPost } from '../../src/signed-sender/signed-sender.ts';
import { AddressPolicy, type Resolve } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { UnreadableSecret } from '../../src/vault/vault.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { fixedClock } from '../support/fixed-clock.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

let endpoint: FaultServer;
let canary: FaultServer;
let outbound: Outbound;
let sender: SignedSender;

/** Names that only this test knows. */
const resolve: Resolve = (hostname, callback) => {
  const address = { 'inside.test': '10.0.0.7', 'metadata.test': '169.254.169.254' }[hostname] ?? '127.0.0.1';
  callback(null, [{ address, family: 4 }]);
};

beforeAll(async () => {
  endpoint = await startFaultServer();
  canary = await startFaultServer();
  outbound = new Outbound({
    policy: new AddressPolicy({ allowPrivateHosts: [`127.0.0.1:${endpoint.port}`], resolve }),
    connectTimeoutMs: 5_000,
    headersTimeoutMs: 20_000,
    totalTimeoutMs: 30_000,
    maxResponseBytes: 10_000_000,
  });
  sender = new SignedSender({
    outbound,
    secrets: { signing: async () => [SECRET] },
    clock: fixedClock(),
  });
});
beforeEach(() => endpoint.reset());
afterAll(async () => {
  await outbound.close();
  await endpoint.close();
  await canary.close();
});

const post = (change: Partial<SignedPost> = {}) =>
  sender.post({
    environmentId: 'env_1',
    url: `${endpoint.origin}/hook?a=1`,
    id: 'evt_1',
    body: '{"id":"evt_1","name":"José 😀"}',
    families: ['webhook'],
    timeoutMs: 30_000,
    ...change,
  });

const failure = async (change: Partial<SignedPost> = {}) => {
  const { isDelivered, status, kind, failure } = await post(change);
  return { isDelivered, status, kind, failure };
};

describe('signed POST to webhooks and interceptors', () => {
  it('sends body and signature, and counts a 2xx as delivered', async () => {
    endpoint.queue({ status: 202, body: 'thanks' });
    const outcome = await post();
    expect(outcome).toEqual({
      sent: {
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
        'webhook-timestamp': '1795176000',
        'webhook-signature': 'v1,rAairS016VhKVdSkP4O1hT0RjHuM+f5S6TlkGLtmCfU=',
      },
      isDelivered: true,
      status: 202,
      body: Buffer.from('thanks'),
      contentType: 'application/json',
      failure: null,
      kind: null,
    });
    const [request] = endpoint.requests;
    expect(request).toMatchObject({
      method: 'POST',
      target: '/hook?a=1',
      body: '{"id":"evt_1","name":"José 😀"}',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
        'webhook-timestamp': '1795176000',
        'webhook-signature': 'v1,rAairS016VhKVdSkP4O1hT0RjHuM+f5S6TlkGLtmCfU=',
      },
    });
    expect(Object.keys(request?.headers ?? {})).not.toContain('authorization');
  });

  it.each([400, 401, 410, 429, 500, 503])('counts the status %i as not delivered', async (status) => {
    endpoint.queue({ status, body: 'secret words of the endpoint' });
    expect(await failure()).toEqual({
      isDelivered: false,
      status,
      kind: 'status',
      failure: `The endpoint answered ${status}.`,
    });
  });

  it('follows no redirect of the endpoint', async () => {
    endpoint.queue({ status: 307, headers: { location: `${canary.origin}/steal` } });
    expect(await failure()).toEqual({
      isDelivered: false,
      status: 307,
      kind: 'status',
      failure: 'The endpoint answered 307. Redirects are not followed: enter the final address.',
    });
    expect([endpoint.requests.length, canary.requests.length]).toEqual([1, 0]);
  });

  it.each([
    ['a private name', 'https://inside.test/x'],
    ['the address of cloud metadata behind a name', 'https://metadata.test/latest'],
    ['a private address', 'https://10.1.2.3/'],
    ['a private address in disguise', 'https://0x7f.1/'],
    ['loopback over IPv6', 'https://[::1]/'],
    ['http in the open', 'http://hooks.example.test/'],
  ])('sends nothing to %s', async (_what, url) => {
    expect(await failure({ url })).toEqual({
      isDelivered: false,
      status: null,
      kind: 'refused_address',
      failure: 'The address is private or not allowed for outbound calls.',
    });
  });

  it('sends nothing to another port of an allowed host', async () => {
    expect(await failure({ url: `${canary.origin}/x` })).toMatchObject({ kind: 'refused_address' });
    expect(canary.connections()).toBe(0);
  });

  it.each([
    ['never answers', { hang: true }, 'timeout'],
    ['answers headers only', { headersOnly: true }, 'timeout'],
    ['drips', { dripMs: 50, body: 'x'.repeat(1_000) }, 'timeout'],
    ['resets', { reset: true }, 'reset'],
    ['speaks something else', { raw: 'SSH-2.0-OpenSSH_9.9\r\n' }, 'bad_response'],
    ['cuts its answer short', { truncate: true }, 'reset'],
    ['sends more than 1 MB', { hugeBytes: 2_000_000 }, 'too_large'],
    ['sends a bomb', { gzipBombBytes: 50_000_000 }, 'too_large'],
  ])('counts as not delivered when the endpoint %s', async (_what, fault, kind) => {
    endpoint.queue(fault);
    const timeoutMs = kind === 'timeout' ? 300 : 30_000;
    expect(await failure({ timeoutMs })).toMatchObject({ isDelivered: false, status: null, kind });
  });

  it('reads an answer of 1 MB', async () => {
    endpoint.queue({ body: Buffer.alloc(1_048_576) });
    expect((await post()).body?.length).toBe(1_048_576);
  });

  it('ends the request when its signal aborts', async () => {
    endpoint.queue({ hang: true });
    const stop = new AbortController();
    const outcome = failure({ signal: stop.signal });
    stop.abort();
    expect(await outcome).toMatchObject({ isDelivered: false, kind: 'aborted' });
  });

  it('sends nothing when no signature can be made', async () => {
    const place = { table: 'signing_secrets', row: 'sec_1', column: 'secret_sealed' };
    const unsigned = new SignedSender({
      outbound,
      clock: fixedClock(),
      secrets: { signing: () => Promise.reject(new UnreadableSecret('damaged', place, 'it is damaged.')) },
    });
    const outcome = await unsigned.post({
      environmentId: 'env_1',
      url: endpoint.origin,
      id: 'evt_1',
      body: '{}',
      families: ['webhook'],
      timeoutMs: 2_000,
    });
    expect(outcome).toMatchObject({
      isDelivered: false,
      kind: 'signing_secret',
      failure: 'The signing secret cannot be opened. Rotate it.',
    });
    expect(endpoint.requests).toEqual([]);
  });
});

describe('signed POST of webhooks and interceptors to an endpoint that hangs', () => {
  it('ends at its deadline although it has waited for a connection', async () => {
    endpoint.always({ hang: true });
    const over = new AbortController();
    const hanging = Array.from({ length: 51 }, () =>
      failure({ families: ['interceptor', 'webhook'], signal: over.signal }),
    );
    await expect.poll(() => endpoint.requests.length, { interval: 5 }).toBe(51);
    const late = await failure({ families: ['interceptor', 'webhook'], timeoutMs: 50 });
    expect(late).toMatchObject({ isDelivered: false, kind: 'timeout' });
    expect(endpoint.requests).toHaveLength(51);
    over.abort();
    await Promise.all(hanging);
  });

  it('leaves connections to interceptors while a backlog of webhooks hangs', async () => {
    endpoint.always({ hang: true });
    const over = new AbortController();
    const hanging = Array.from({ length: 200 }, () => failure({ signal: over.signal }));
    await expect.poll(() => endpoint.requests.length, { interval: 5 }).toBe(51);
    endpoint.always({ status: 200 });
    expect(await failure({ families: ['interceptor', 'webhook'] })).toMatchObject({ isDelivered: true });
    over.abort();
    await Promise.all(hanging);
  });
});
