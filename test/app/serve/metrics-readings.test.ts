import { expect, it } from 'vitest';
import { metricsReadings } from '../../../src/app/serve/metrics-readings.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { fixedClock } from '../../support/fixed-clock.ts';

forEachDatabase((_name, open) => {
  it('names the running versions, and keeps the last readings while the database is gone', async () => {
    const db = await open();
    const upstreamUse = { sessions: 3, sparedServers: 1 };
    const upstreams = { use: upstreamUse };
    const readings = metricsReadings({ db, clock: fixedClock(), poolUse: () => undefined, upstreams });
    const known = await readings();
    expect(known).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      schemaVersion: expect.stringMatching(/^\d+$/),
      pool: undefined,
      usage: { accounts: [], deliveries: [], heldTools: [] },
      upstreamUse,
    });
    await db.close();
    expect(await readings()).toEqual(known);
  });
});
