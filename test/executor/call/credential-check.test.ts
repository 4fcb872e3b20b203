/** The request that tries a credential, against a provider that answers in every wrong way. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Candidate, TrialOutcome } from '../../../src/accounts/credential-trials.ts';
import { sendCredentialCheck } from '../../../src/executor/call/credential-check.ts';
import { AddressPolicy } from '../../../src/outbound/address-policy.ts';
import { Outbound } from '../../../src/outbound/outbound.ts';
import { startFaultServer, type Fault, type FaultServer } from '../../support/fault-server.ts';
import { freePort } from '../../support/free-port.ts';
import { catalogWithChecks } from '../../support/test-catalog.ts';

const LIMITS = {
  connectTimeoutMs: 20_000,
  headersTimeoutMs: 30_000,
  totalTimeoutMs: 60_000,
  maxResponseBytes: 10_000_000,
};
const connector = catalogWithChecks.connectors.get('notes')!;

let server: FaultServer;
let outbound: Outbound;

beforeAll(async () => {
  server = await startFaultServer();
  outbound = new Outbound({ policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }), ...LIMITS });
});
beforeEach(() => server.reset());
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await outbound.close();
  await server.close();
});

async function outcome(origin = server.origin, by = outbound): Promise<TrialOutcome> {
  const candidate: Candidate = {
    connector,
    auth: connector.auth[0]!,
    connection: {
      id: 'conn_1',
      environmentId: 'env_1',
      name: 'notes',
      connector: 'notes',
      type: 'API_KEY',
      params: {},
      overrides: { base_url: origin },
      pausedUntil: null,
      updatedAt: 1,
    },
    details: { static_auth: { details: { api_key: 'key-1' } } },
    apiConfig: {},
  };
  return sendCredentialCheck(by, candidate);
}

describe('credential check: request to the provider', () => {
  const ROWS: readonly [string, Fault, TrialOutcome][] = [
    ['takes a 2xx answer that is no JSON as proof', { status: 204 }, 'accepted'],
    ['takes a status of the connector as a refusal', { status: 403, body: '<html>' }, 'refused'],
    ['follows no redirect', { status: 302, headers: { location: '/elsewhere' } }, 'unknown'],
    ['repeats nothing after 503', { status: 503, headers: { 'retry-after': '0' } }, 'unknown'],
    ['learns nothing from a broken connection', { reset: true }, 'unknown'],
    ['learns nothing from an answer that is no HTTP', { raw: 'SSH-2.0-hello\r\n' }, 'unknown'],
    ['learns nothing from half an answer', { status: 401, body: 'x'.repeat(100), truncate: true }, 'unknown'],
    ['reads no more than a megabyte', { hugeBytes: 5_000_000 }, 'unknown'],
    ['unpacks no more than a megabyte', { gzipBombBytes: 50_000_000 }, 'unknown'],
  ];

  it.each(ROWS)('sends one request and %s', async (_, fault, expected) => {
    server.queue(fault);
    expect(await outcome()).toBe(expected);
    expect(server.requests.map(({ method, target, body }) => [method, target, body])).toEqual([
      ['GET', '/me?part=id', ''],
    ]);
    expect(server.requests[0]!.headers['x-api-key']).toBe('key-1');
  });

  it.each([
    ['never answers', { hang: true }],
    ['sends headers and then nothing', { headersOnly: true }],
  ])('waits five seconds for a provider that %s', async (_, fault) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    server.queue(fault);
    const waiting = outcome();
    while (server.requests.length === 0) await turn();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await Promise.race([waiting, Promise.resolve('still waiting')])).toBe('still waiting');
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toBe('unknown');
  });

  it('learns nothing from a port on which nobody listens', async () => {
    expect(await outcome(`http://127.0.0.1:${await freePort()}`)).toBe('unknown');
  });

  it('sends nothing to a private address that the operator does not allow', async () => {
    const strict = new Outbound({ policy: new AddressPolicy({ allowPrivateHosts: [] }), ...LIMITS });
    expect(await outcome(server.origin, strict)).toBe('unknown');
    expect(server.requests).toEqual([]);
    await strict.close();
  });
});
