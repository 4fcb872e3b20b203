import { beforeEach, describe, expect, it } from 'vitest';
import { forEachDatabase } from '../../support/databases.ts';
import { tokenFailure } from '../../support/fake-token-endpoint.ts';
import { measuring } from '../../support/measured.ts';
import type { Services } from '../../support/services.ts';
import { callLedger, ledgerAccount, ledgerServices, setColumns } from './ledger.ts';

const HOUR_MS = 3_600_000;

forEachDatabase((_name, open) => {
  describe('metrics of token refresh', () => {
    let services: Services;
    let id: string;
    beforeEach(async () => {
      services = await ledgerServices({ db: await open() });
      id = await ledgerAccount(services);
      services.clock.advance(HOUR_MS);
    });

    it('count renewals by their outcome, also those that fail', async () => {
      const series = measuring();
      services.tokens.answers.push(tokenFailure('temporary'));
      await expect(callLedger(services, id)).rejects.toMatchObject({ code: 'TOOL_ERROR' });
      await setColumns(services, id, { failed_until: 1 });
      await callLedger(services, id);
      expect(await series('gatehouse_refreshes_total')).toEqual([
        'gatehouse_refreshes_total{outcome="renewed"} 1',
        'gatehouse_refreshes_total{outcome="temporary"} 1',
      ]);
      expect(await series('gatehouse_refresh_lease')).toEqual(['gatehouse_refresh_lease_takeovers_total 0']);
    });

    it('count a lease that its holder let run out as taken over', async () => {
      const series = measuring();
      await setColumns(services, id, { lease_owner: 'dead', lease_until: 1, refresh_state: 'sent' });
      await callLedger(services, id);
      expect(await series('gatehouse_refresh_lease')).toEqual(['gatehouse_refresh_lease_takeovers_total 1']);
    });
  });
});
