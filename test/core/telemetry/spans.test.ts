import { describe, expect, it } from 'vitest';
import { asSpan, beginRequest } from '../../../src/core/telemetry/spans.ts';
import { tokenFailure } from '../../support/fake-token-endpoint.ts';
import { recordSpans, type RecordedSpan } from '../../support/span-recorder.ts';
import { callLedger, ledgerAccount, ledgerServices } from '../../credentials/refresh/ledger.ts';
import { forEachDatabase } from '../../support/databases.ts';

const HOUR_MS = 3_600_000;

forEachDatabase((_name, open) => {
  describe('spans of a call', () => {
    it('belong to each other from the request down to the statement', async () => {
      const services = await ledgerServices({ db: await open() });
      const id = await ledgerAccount(services);
      services.clock.advance(HOUR_MS);
      const spans = recordSpans();
      const request = beginRequest('00-1');
      await request?.run(async () => callLedger(services, id));
      request?.end({});
      const named = (name: string): RecordedSpan[] => spans.filter((span) => span.name === name);
      expect(named('request')).toMatchObject([{ within: [], parent: '00-1' }]);
      expect(named('call')).toMatchObject([
        { within: ['request'], attributes: { 'gatehouse.connected_account_id': id }, error: undefined },
      ]);
      expect(named('refresh')).toMatchObject([{ within: ['request', 'call'], error: undefined }]);
      expect(named('GET ledger').concat(named('POST ledger'))).toMatchObject([
        { within: ['request', 'call'], attributes: { 'http.response.status_code': 200 } },
      ]);
      const texts = named('update').map(({ attributes }) => String(attributes['db.query.text']));
      expect(texts.some((text) => /lease_owner/.test(text))).toBe(true);
      for (const { name, within } of spans.filter(({ attributes }) => 'db.query.text' in attributes))
        expect([name, within.slice(0, 2)]).toEqual([name, ['request', 'call']]);
      expect(JSON.stringify(spans)).not.toMatch(/at-1|rt-0/);
    });

    it('carry the code of a failure, and why there is no token', async () => {
      const services = await ledgerServices({ db: await open() });
      const id = await ledgerAccount(services);
      services.clock.advance(HOUR_MS);
      const spans = recordSpans();
      services.tokens.answers.push(tokenFailure('temporary'));
      await expect(callLedger(services, id)).rejects.toMatchObject({ code: 'TOOL_ERROR' });
      expect(spans.find(({ name }) => name === 'call')).toMatchObject({ within: [], error: 'TOOL_ERROR' });
      expect(spans.find(({ name }) => name === 'refresh')?.error).toBe('temporary');
    });
  });
});

describe('trace context without an exporter', () => {
  it('runs as it is, and its error passes unchanged', async () => {
    expect(beginRequest('00-1')).toBeUndefined();
    const failure = new Error('no');
    const describeNothing = () => ({});
    expect(await asSpan('call', async () => 1, describeNothing)).toBe(1);
    await expect(asSpan('call', async () => Promise.reject(failure), describeNothing)).rejects.toBe(failure);
  });
});
