import { describe, expect, it } from 'vitest';
import { waitForLink } from '../../../src/app/commands/link-wait.ts';
import type { LinkProgress } from '../../../src/links/link-progress.ts';
import { ServiceError } from '../../../src/core/errors.ts';

const CONNECTED: LinkProgress = {
  state: 'connected',
  account: { id: 'ca_1', identifier: 'ada', status: 'ACTIVE' },
};
const never = new Promise<void>(() => {});

/** Waits through the given looks; the last one is repeated. */
function waiting(looks: (LinkProgress | Error)[], more: Partial<Parameters<typeof waitForLink>[0]> = {}) {
  const told: string[] = [];
  let looked = 0;
  const result = waitForLink({
    title: 'Attio',
    expiry: '2026-11-20T13:00:00.000Z',
    isServedHere: () => false,
    progress: async () => {
      const look = looks[Math.min(looked++, looks.length - 1)];
      if (look instanceof Error) throw look;
      return look ?? CONNECTED;
    },
    tell: (state) => told.push(state),
    stopped: never,
    intervalMs: 0,
    ...more,
  });
  return { result, told };
}

describe('wait for a link on the command line', () => {
  it('ends with the account and reports each change of its status once', async () => {
    const { result, told } = waiting([
      { state: 'open' },
      { state: 'open' },
      { state: 'away' },
      { state: 'returned' },
      { state: 'returned' },
      { state: 'away' },
      { state: 'verifying' },
      CONNECTED,
    ]);
    expect(await result).toEqual({ id: 'ca_1', identifier: 'ada', status: 'ACTIVE' });
    expect(told).toEqual(['open', 'away', 'returned', 'away', 'verifying']);
  });

  it.each([
    ['link_expired', 'nobody finished the link in time'],
    ['deleted', 'the account was deleted in the meantime'],
    ['expired', 'the app did not confirm in time who gave it'],
    ['wrong_identifiers', 'the app says that somebody else gave it'],
    ['superseded', 'another link for the same account was completed later'],
    ['updated', 'credentials were stored for the account in another way'],
    ['disconnected', 'the account was disconnected in the meantime'],
  ] as const)('reports the other outcome of the link: %s', async (why, words) => {
    const { result } = waiting([{ state: 'open' }, { state: 'ended', why }]);
    await expect(result).rejects.toMatchObject({
      code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
      message: expect.stringMatching(new RegExp(`^Attio is not connected: .*${words}`)),
      details: { reason: why },
    });
  });

  it.each([
    [true, 'The link ended with this command; run it again for a new one.'],
    [false, 'The link still works until 2026-11-20T13:00:00.000Z.'],
  ])(
    'says what becomes of the link when a signal stops the wait (served here: %s)',
    async (isHere, words) => {
      const { result } = waiting([{ state: 'open' }], {
        isServedHere: () => isHere,
        stopped: Promise.resolve(),
      });
      await expect(result).rejects.toMatchObject({
        message: `Stopped waiting: Attio is not connected yet. ${words}`,
        details: { reason: 'stopped' },
      });
    },
  );

  it('stops at once on a signal, however long it is until the next poll', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { result } = waiting([{ state: 'open' }], {
      stopped: promise,
      intervalMs: 3_600_000,
      tell: () => resolve(),
    });
    await expect(result).rejects.toMatchObject({ details: { reason: 'stopped' } });
  });

  it('continues when the database is busy for a moment, and fails when the database is broken', async () => {
    const busy = new ServiceError('UNAVAILABLE', 'busy');
    expect(await waiting([busy, { state: 'open' }, busy, CONNECTED]).result).toMatchObject({ id: 'ca_1' });
    await expect(waiting([new Error('broken')]).result).rejects.toThrow('broken');
  });
});
