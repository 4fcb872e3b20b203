import { expect, it } from 'vitest';
import { OwnSessions } from '../../src/people/own-sessions.ts';
import { forEachDatabase } from '../support/databases.ts';
import { makeUser, peopleServices, visitor } from './people-support.ts';

forEachDatabase((_name, open) => {
  it('shows a person the live sessions other than the one in use, and ends them', async () => {
    const services = await peopleServices(await open());
    const { db, clock, sessions } = services;
    const own = new OwnSessions({
      db,
      clock,
      sessions,
      names: { of: async (_environmentId, clientId) => `the app ${clientId}` },
      consents: { forget: async () => undefined },
      lifetimeMs: 3_600_000,
    });
    const begin = async (userId: string, kind: 'browser' | 'client') =>
      sessions.begin({
        environmentId: 'env_dev',
        kind,
        userId,
        organizationId: '',
        clientId: kind === 'browser' ? '' : 'ghapp_1',
        resource: kind === 'browser' ? '' : 'http://127.0.0.1:3000/mcp',
        visitor,
        connectionDetails: [],
        actor: userId,
      });
    const ada = await makeUser(services, 'ada');
    const eve = await begin(await makeUser(services, 'eve'), 'client');
    const browser = await begin(ada, 'browser');
    const idle = await begin(ada, 'browser');
    const apps = [await begin(ada, 'client'), await begin(ada, 'client'), await begin(ada, 'client')];

    clock.advance(3_000_000);
    await sessions.findByCookie('env_dev', browser.cookie);
    clock.advance(600_000);
    const ids = async () => (await own.others(browser)).sessions.map(({ id, holder }) => `${id} ${holder}`);
    expect(await sessions.isLive('env_dev', idle.id)).toBe(false);
    expect(await ids()).toEqual(apps.map(({ id }) => `${id} the app ghapp_1`).toReversed());

    await own.end(browser, apps[0]?.id ?? '', '192.0.2.9');
    expect(await ids()).toEqual([`${apps[2]?.id} the app ghapp_1`, `${apps[1]?.id} the app ghapp_1`]);
    await expect(own.end(browser, eve.id, '')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    await own.endOthers(browser, '192.0.2.9');
    expect(await own.others(browser)).toEqual({ sessions: [], hasMore: false });
    expect(await sessions.isLive('env_dev', browser.id)).toBe(true);
    expect(await sessions.isLive('env_dev', eve.id)).toBe(true);
  });
});
