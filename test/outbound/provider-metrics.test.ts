import { expect, it } from 'vitest';
import { OutboundFailure } from '../../src/outbound/outbound-failure.ts';
import { ProviderClient } from '../../src/outbound/provider-client.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { measuring } from '../support/measured.ts';

it('counts every attempt of a provider request by connector and status, and its retries apart', async () => {
  const series = measuring();
  const answers = [
    { status: 503, headers: {}, body: Buffer.from('{}') },
    new OutboundFailure('reset', true),
    { status: 200, headers: {}, body: Buffer.from('{}') },
  ];
  const send = async () => {
    const next = answers.shift();
    if (next === undefined || next instanceof OutboundFailure) throw next ?? new Error('one too many');
    return next;
  };
  const client = new ProviderClient(
    { totalTimeoutMs: 30_000, send },
    { clock: fixedClock(), sleep: async () => {} },
  );
  await client.call({
    request: { method: 'GET', url: new URL('https://api.example/things'), headers: {} },
    effect: 'read',
    connector: 'crm',
    errors: { message: [], code: [], conflicts: [] },
    executionId: 'exe_1',
    secrets: [],
  });
  expect(await series('gatehouse_provider_requests_total')).toEqual([
    'gatehouse_provider_requests_total{connector="crm",status="503"} 1',
    'gatehouse_provider_requests_total{connector="crm",status="reset"} 1',
    'gatehouse_provider_requests_total{connector="crm",status="200"} 1',
  ]);
  expect(await series('gatehouse_provider_retries_total')).toEqual([
    'gatehouse_provider_retries_total{connector="crm"} 2',
  ]);
  expect(await series('gatehouse_provider_request_duration_seconds_count')).toEqual([
    'gatehouse_provider_request_duration_seconds_count{connector="crm"} 3',
  ]);
});
