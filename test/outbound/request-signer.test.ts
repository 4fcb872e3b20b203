/** Requests whose credential is proven by a signature: what the signer sees, and that each attempt is signed again. */
import { expect, it } from 'vitest';
import type { OutboundRequest, OutboundResponse } from '../../src/outbound/outbound.ts';
import { OutboundFailure } from '../../src/outbound/outbound-failure.ts';
import { ProviderClient, type ProviderCall } from '../../src/outbound/provider-client.ts';
import type { SignableRequest } from '../../src/outbound/request-signer.ts';
import { fixedClock } from '../support/fixed-clock.ts';

const good: OutboundResponse = { status: 200, headers: {}, body: Buffer.from('{}') };

function clientWith(answers: (OutboundResponse | OutboundFailure)[]) {
  const sent: OutboundRequest[] = [];
  const send = async (request: OutboundRequest): Promise<OutboundResponse> => {
    sent.push(request);
    const next = answers.shift() ?? good;
    if (next instanceof OutboundFailure) throw next;
    return next;
  };
  const sender = { totalTimeoutMs: 30_000, send };
  return { sent, client: new ProviderClient(sender, { clock: fixedClock(), sleep: async () => {} }) };
}

const callOf = (
  change: Partial<ProviderCall> = {},
  request: Partial<OutboundRequest> = {},
): ProviderCall => ({
  request: {
    method: 'POST',
    url: new URL('https://api.example/v1/things?a=1&b=%20'),
    headers: { accept: 'application/json', Authorization: 'none' },
    body: '{"name":"Zoë"}',
    ...request,
  },
  effect: 'read',
  connector: 'crm',
  errors: { message: [], code: [], conflicts: [] },
  executionId: 'exe_1',
  secrets: [],
  ...change,
});

it('shows the request signer method, address, headers and the exact bytes of the body', async () => {
  const { client, sent } = clientWith([]);
  const seen: SignableRequest[] = [];
  const sign = (request: SignableRequest) => {
    seen.push(request);
    return { authorization: 'Signature 1', 'x-date': 'now' };
  };
  await client.call(callOf({ sign }));
  expect(seen).toEqual([
    {
      method: 'POST',
      url: new URL('https://api.example/v1/things?a=1&b=%20'),
      headers: { accept: 'application/json', Authorization: 'none' },
      body: Buffer.from('{"name":"Zoë"}', 'utf8'),
    },
  ]);
  expect(sent[0]!.headers).toEqual({
    accept: 'application/json',
    authorization: 'Signature 1',
    'x-date': 'now',
  });
});

it('shows the request signer no body where there is none, and bytes unchanged', async () => {
  const { client } = clientWith([]);
  const bodies: unknown[] = [];
  const sign = ({ body }: SignableRequest) => {
    bodies.push(body);
    return {};
  };
  const { body: _, ...bodiless } = callOf().request;
  await client.call({ ...callOf({ sign }), request: bodiless });
  await client.call(callOf({ sign }, { body: Uint8Array.of(0, 255) }));
  expect(bodies).toEqual([undefined, Uint8Array.of(0, 255)]);
});

it('signs each retry of a request again', async () => {
  const { client, sent } = clientWith([{ ...good, status: 503 }, new OutboundFailure('reset', true)]);
  let count = 0;
  await client.call(callOf({ sign: async () => ({ authorization: `Signature ${++count}` }) }));
  expect(sent.map(({ headers }) => headers['authorization'])).toEqual([
    'Signature 1',
    'Signature 2',
    'Signature 3',
  ]);
});
