import { describe, expect, it } from 'vitest';
import { discoverSmart } from '../../../src/credentials/oauth/smart-discovery.ts';
import { TokenFailure } from '../../../src/credentials/oauth/token-endpoint.ts';
import { OutboundFailure } from '../../../src/outbound/outbound-failure.ts';
import type { OutboundRequest, OutboundResponse } from '../../../src/outbound/outbound.ts';

const BASE = 'https://north.clinic.example/fhir/r4';
const OWN = ['https://north.clinic.example'];
const GOOD = {
  authorization_endpoint: 'https://north.clinic.example/auth/authorize?tenant=1',
  token_endpoint: 'https://north.clinic.example/auth/token',
};

const answer = (json: unknown, status = 200, headers = {}): OutboundResponse => ({
  status,
  headers,
  body: Buffer.from(JSON.stringify(json)),
});

async function discover(reply: OutboundResponse | OutboundFailure, origins: readonly string[] = OWN) {
  const sent: OutboundRequest[] = [];
  const send = async (request: OutboundRequest) => {
    sent.push(request);
    if (reply instanceof OutboundFailure) throw reply;
    return reply;
  };
  const outcome = await discoverSmart(BASE, origins, { http: { send }, now: 0, timeoutMs: 5_000 }).catch(
    (error: unknown) => error,
  );
  return { sent, outcome };
}

describe("SMART discovery of a provider's FHIR server", () => {
  it('asks below the base, for JSON of a limited size and within a time', async () => {
    const { sent } = await discover(answer(GOOD));
    expect(sent).toEqual([
      {
        method: 'GET',
        url: new URL('https://north.clinic.example/fhir/r4/.well-known/smart-configuration'),
        headers: { accept: 'application/json' },
        headersTimeoutMs: 5_000,
        totalTimeoutMs: 5_000,
        maxResponseBytes: 262_144,
      },
    ]);
  });

  it('gives the endpoints, and the base as issuer where none is named', async () => {
    const { outcome } = await discover(answer(GOOD));
    expect(outcome).toEqual({
      authorizationUrl: 'https://north.clinic.example/auth/authorize?tenant=1',
      tokenUrl: 'https://north.clinic.example/auth/token',
      issuer: 'https://north.clinic.example/fhir/r4',
    });
  });

  it('accepts endpoints at the origins that a connector declares, and then at no other', async () => {
    const elsewhere = {
      authorization_endpoint: 'https://login.example/authorize',
      token_endpoint: 'https://login.example/token',
    };
    const origins = ['https://login.example'];
    expect((await discover(answer(elsewhere), origins)).outcome).toMatchObject({
      tokenUrl: 'https://login.example/token',
    });
    expect((await discover(answer(GOOD), origins)).outcome).toMatchObject({
      kind: 'refused',
      message:
        'The discovery document of the FHIR server cannot be used: its authorization_endpoint is not at https://login.example. The operator has to check the address and the connector.',
    });
  });

  it.each([
    ['http instead of https', 'http://north.clinic.example/token'],
    ['another port', 'https://north.clinic.example:8443/token'],
    ['a name that begins alike', 'https://north.clinic.example.evil.example/token'],
    ['a backslash', 'https://evil.example\\@north.clinic.example/token'],
    ['a fragment', 'https://north.clinic.example/token#x'],
    ['a path alone', '/token'],
    ['nothing', ''],
    ['a very long address', `https://north.clinic.example/${'x'.repeat(2_100)}`],
  ])('refuses an endpoint with %s', async (_what, token_endpoint) => {
    const { outcome } = await discover(answer({ ...GOOD, token_endpoint }));
    expect(outcome).toBeInstanceOf(TokenFailure);
    expect(outcome).toMatchObject({ kind: 'refused' });
  });

  it.each([
    [new OutboundFailure('refused_address', false), 'not_sent'],
    [new OutboundFailure('timeout', true), 'not_sent'],
    [new OutboundFailure('too_large', true), 'refused'],
    [answer({}, 503, { 'retry-after': '7' }), 'temporary'],
    [answer({}, 404), 'refused'],
    [answer(null), 'refused'],
  ])('gives a failure that spends nothing: %s', async (reply, kind) => {
    expect((await discover(reply)).outcome).toMatchObject({ kind });
  });

  it('passes on when to try again', async () => {
    const { outcome } = await discover(answer({}, 429, { 'retry-after': '7' }));
    expect(outcome).toMatchObject({ kind: 'temporary', status: 429, retryAfterMs: 7_000 });
  });
});
