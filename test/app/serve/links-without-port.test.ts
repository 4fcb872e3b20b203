/** Port 0: the address of links is known only to the process that listens, and changes each time it does. */
import { expect, it } from 'vitest';
import { openAdmin, operatorIn } from '../../../src/app/commands/admin.ts';
import { openServices } from '../../../src/app/services/services.ts';
import { LinkListener } from '../../../src/app/serve/link-listener.ts';
import { silentLog } from '../../../src/core/log.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { folderWith, settingsIn } from '../folder.ts';

it('gives new links the address of a stdio listener that closed and opened again', async () => {
  const clock = fixedClock();
  const services = await openServices({
    settings: settingsIn(folderWith()),
    log: silentLog,
    clock,
    linkBase: async (environmentId) => listener.baseUrl(environmentId),
  });
  const listener = new LinkListener(services, 5);
  const caller = operatorIn(services.environments.byName('development').id);
  const newLink = async () => {
    const { link } = await services.links.create(caller, { connector: 'websearch', user_id: 'ada' });
    return new URL(link).origin;
  };
  try {
    const first = await newLink();
    clock.advance(3_600_000);
    await expect.poll(() => listener.isOpen).toBe(false);
    await expect(fetch(`${first}/healthz`)).rejects.toThrow('fetch failed');
    const second = await newLink();
    expect(await (await fetch(`${second}/healthz`)).json()).toMatchObject({ pid: process.pid });
  } finally {
    await listener.close();
    await services.close();
  }
});

it('explains why it cannot serve a link of another process', async () => {
  const admin = await openAdmin({ settings: settingsIn(folderWith()), log: silentLog });
  try {
    const caller = await admin.caller('development');
    const link = admin.links.create(caller, { connector: 'websearch', user_id: 'ada' });
    await expect(link).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(
        /only the running server knows its port.*GATEHOUSE_PORT.*GATEHOUSE_BASE_URL/,
      ),
    });
  } finally {
    await admin.close();
  }
});
