/** Callbacks at the same time, on both databases: what is promised once happens once (docs/security.md#single-use). */
import { beforeEach, expect, it } from 'vitest';
import { forEachDatabase } from '../../support/databases.ts';
import { consentServices, ENVIRONMENT, tokenReply, type ConsentServices } from './consent-support.ts';

forEachDatabase((_name, open) => {
  let services: ConsentServices;

  beforeEach(async () => {
    services = await consentServices({ db: await open() });
  });

  it('makes one token request for ten callbacks with one state', async () => {
    const target = await services.go(await services.link());
    const query = { code: 'c', state: target.searchParams.get('state') ?? '' };
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, async () => services.back(query)));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map((outcome) => (outcome.reason as { kind: string }).kind)).toEqual(
      Array<string>(9).fill('state'),
    );
    expect(services.sent).toHaveLength(1);
  });

  it('completes a link once from ten tabs', async () => {
    const token = await services.link();
    const targets = await Promise.all(Array.from({ length: 10 }, async () => services.go(token)));
    services.answers.push(
      ...targets.map((_, n) => tokenReply({ access_token: `at-${n}`, refresh_token: `rt-${n}` })),
    );
    const outcomes = await Promise.allSettled(
      targets.map(async (target) =>
        services.back({ code: 'c', state: target.searchParams.get('state') ?? '' }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    const requests = await services.db.read
      .selectFrom('auth_requests')
      .selectAll()
      .where('environment_id', '=', ENVIRONMENT)
      .execute();
    expect(requests).toHaveLength(1);
    expect((await services.account()).status).toBe('PENDING_VERIFICATION');
    await services.revocation.settled();
    const exchanges = services.sent.filter(({ url }) => url.pathname === '/token').length;
    const revoked = services.sent.filter(({ url }) => url.pathname === '/revoke').length;
    // Each exchange that came too late gives back both of its tokens.
    expect(revoked).toBe((exchanges - 1) * 2);
  });
});
