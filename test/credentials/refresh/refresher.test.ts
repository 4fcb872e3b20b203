/**
 * One refresh at a time, for all callers and however it ends (docs/security.md#one-refresh-per-expiry). Services made
 * twice over one database stand for two processes.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountNotActive } from '../../../src/accounts/not-active.ts';
import { ProviderFailure } from '../../../src/outbound/provider-failure.ts';
import { OutboundFailure } from '../../../src/outbound/outbound-failure.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { gate, tokenFailure } from '../../support/fake-token-endpoint.ts';
import { turns, until } from '../../support/manual-timers.ts';
import { machine, type Services } from '../../support/services.ts';
import type { TokenReply } from '../../../src/credentials/oauth/token-endpoint.ts';
import {
  anotherProcess,
  callLedger,
  consent,
  ledgerAccount,
  ledgerServices,
  rowOf,
  sentTokens,
  setColumns,
  storedToken,
} from './ledger.ts';

const HOUR_MS = 3_600_000;
const LONG_AGO = 1_000;

forEachDatabase((_, open, newUrl) => {
  let services: Services;
  let id: string;
  beforeEach(async () => {
    services = await ledgerServices({ db: await open() });
    id = await ledgerAccount(services);
  });

  const expire = (): void => services.clock.advance(HOUR_MS);
  const call = async (by = services) => callLedger(by, id);
  const status = async () => (await rowOf(services, id)).status;
  const failure = async (promise: Promise<unknown>): Promise<ProviderFailure> => {
    const error: unknown = await promise.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderFailure);
    return error as ProviderFailure;
  };
  const isLeased = async () => (await rowOf(services, id)).lease_owner !== null;
  const endCoolDown = async () => setColumns(services, id, { failed_until: LONG_AGO });
  const endLease = async () => setColumns(services, id, { lease_until: LONG_AGO });

  describe('token refresh: expired access token', () => {
    it('renews and stores the token before it is used', async () => {
      expire();
      services.tokens.answers.push({ expiresInSeconds: 1_800, scopes: ['read', 'write'] });
      await call();
      expect(sentTokens(services)).toEqual(['at-1']);
      expect(services.tokens.requests).toEqual([
        {
          kind: 'refresh',
          token: 'rt-0',
          timeoutMs: 60_000,
          client: {
            tokenUrl: 'https://login.ledger.example/token',
            revocationUrl: 'https://login.ledger.example/revoke',
            issuer: 'https://login.ledger.example',
            clientId: 'client-1',
            clientSecret: 'the-secret-of-client-1',
            authentication: 'post',
            scopeSeparator: ' ',
          },
        },
      ]);
      expect(await storedToken(services, id)).toEqual({
        access_token: 'at-1',
        refresh_token: 'rt-1',
        scopes: ['read', 'write'],
      });
      expect(await rowOf(services, id)).toMatchObject({
        status: 'ACTIVE',
        generation: 2,
        token_expires_at: services.clock.now() + 1_800_000,
        token_received_at: services.clock.now(),
        refresh_state: 'idle',
        lease_owner: null,
      });
      expect(await services.accounts.events(machine, id)).toHaveLength(1);
    });

    it('sends one request, however many callers want the token', async () => {
      expire();
      const results = await Promise.all(Array.from({ length: 200 }, async () => call()));
      expect(results).toHaveLength(200);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
      expect(new Set(sentTokens(services))).toEqual(new Set(['at-1']));
    });

    it('sends one request, however many processes want the token', async () => {
      const url = await newUrl();
      services = await ledgerServices({ db: await open({ url, poolSize: 4 }) });
      id = await ledgerAccount(services);
      const others = await Promise.all(
        [2, 3, 4].map(async () => anotherProcess(services, { db: await open({ url, poolSize: 4 }) })),
      );
      expire();
      const processes = [services, ...others];
      await Promise.all(processes.flatMap((by) => Array.from({ length: 50 }, async () => call(by))));
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
      expect(processes.map((by) => new Set(sentTokens(by)))).toEqual(processes.map(() => new Set(['at-1'])));
      expect(sentTokens(services)).toHaveLength(50);
    });

    it('keeps stored members that the reply lacks, such as the refresh token', async () => {
      const other = await ledgerAccount(
        services,
        { access_token: 'at-0', refresh_token: 'rt-keep', scopes: ['read'] },
        { identifier: 'bob' },
      );
      for (const refreshToken of [undefined, '']) {
        expire();
        services.tokens.answers.push({ accessToken: 'new', refreshToken });
        await callLedger(services, other);
        expect(await storedToken(services, other)).toEqual({
          access_token: 'new',
          refresh_token: 'rt-keep',
          scopes: ['read'],
        });
      }
    });

    it('takes a lifetime that is missing or zero for unknown', async () => {
      for (const expiresInSeconds of [undefined, 0]) {
        await setColumns(services, id, { token_expires_at: LONG_AGO });
        services.tokens.answers.push({ expiresInSeconds });
        await call();
        expect((await rowOf(services, id)).token_expires_at).toBeNull();
      }
      services.clock.advance(100 * HOUR_MS);
      await call();
      expect(services.tokens.presented('refresh')).toEqual(['rt-0', 'rt-1']);
    });
  });

  describe('token refresh: caller that leaves', () => {
    it('stops waiting while the refresh continues', async () => {
      expire();
      const answer = gate<Partial<TokenReply>>();
      services.tokens.answers.push(() => answer.promise);
      const leaving = new AbortController();
      const left = failure(callLedger(services, id, { signal: leaving.signal }));
      const stays = call();
      await until(isLeased);
      leaving.abort();
      expect((await left).toolError.code).toBe('CANCELLED');
      answer.open({});
      await stays;
      expect(sentTokens(services)).toEqual(['at-1']);
      expect(await storedToken(services, id)).toMatchObject({ refresh_token: 'rt-1' });
    });
  });

  describe('token refresh: slow process with the lease', () => {
    it('keeps the lease by heartbeats, so that nobody presents the token again', async () => {
      expire();
      const answer = gate<Partial<TokenReply>>();
      services.tokens.answers.push(() => answer.promise);
      const slow = call();
      await until(isLeased);
      const other = await anotherProcess(services);
      await until(() => services.timers.repeated.size > 0);
      expect([...services.timers.repeated].map(({ ms }) => Math.round(ms))).toEqual([3_333]);
      for (let beat = 0; beat < 3; beat++) {
        await setColumns(services, id, { lease_until: LONG_AGO });
        services.timers.tick();
        await until(async () => (await rowOf(services, id)).lease_until !== LONG_AGO);
      }
      const waits = call(other);
      await turns(50);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
      answer.open({});
      await Promise.all([slow, waits]);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
      expect(sentTokens(other)).toEqual(['at-1']);
      expect(services.timers.repeated.size).toBe(0);
    });

    it.each([3 * HOUR_MS, -3 * HOUR_MS])(
      'leaves the lease to the process that has it when the clock jumps by %i ms',
      async (jumpMs) => {
        expire();
        const answer = gate<Partial<TokenReply>>();
        services.tokens.answers.push(() => answer.promise);
        const slow = call();
        await until(isLeased);
        await until(() => services.timers.repeated.size > 0);
        const other = await anotherProcess(services);
        const stored = (await rowOf(services, id)).lease_until ?? 0;
        // As a clock makes of it that has jumped for both processes, or for Postgres.
        await setColumns(services, id, { lease_until: stored - jumpMs });
        const waits = call(other);
        await turns(50);
        services.timers.tick();
        await until(async () => (await rowOf(services, id)).lease_until !== stored - jumpMs);
        await turns(50);
        answer.open({});
        await Promise.all([slow, waits]);
        expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
        expect(sentTokens(other)).toEqual(['at-1']);
      },
    );

    it('repeats once after the lease of a dead process, and discards its late answer', async () => {
      expire();
      const late = gate<Partial<TokenReply>>();
      services.tokens.answers.push(() => late.promise);
      const dead = call();
      await until(isLeased);
      await endLease();
      const other = await anotherProcess(services);
      await call(other);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0', 'rt-0']);
      expect(sentTokens(other)).toEqual(['at-2']);
      late.open({ accessToken: 'too-late', refreshToken: 'rt-too-late' });
      await dead;
      expect(sentTokens(services)).toEqual(['at-2']);
      expect(await storedToken(services, id)).toEqual({ access_token: 'at-2', refresh_token: 'rt-2' });
      expect(services.tokens.presented('revoke')).toEqual([]);
    });

    it('waits for a cool-down when the repeat after a dead process is not answered either', async () => {
      expire();
      await setColumns(services, id, {
        lease_owner: 'dead',
        lease_until: LONG_AGO,
        refresh_state: 'sent',
      });
      services.tokens.answers.push(tokenFailure('unknown'));
      expect((await failure(call())).toolError.retry_after).toBe(1);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
      expect(await rowOf(services, id)).toMatchObject({ status: 'ACTIVE', refresh_state: 'sent' });
      await endCoolDown();
      await call();
      expect(await rowOf(services, id)).toMatchObject({ refresh_state: 'idle', failed_attempts: 0 });
    });

    it("ends the account in EXPIRED with a link when a process died before storing a strict provider's answer", async () => {
      expire();
      await setColumns(services, id, {
        lease_owner: 'dead',
        lease_until: LONG_AGO,
        refresh_state: 'sent',
      });
      services.tokens.answers.push(tokenFailure('invalid_grant'));
      await expect(call()).rejects.toBeInstanceOf(AccountNotActive);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    });
  });

  describe('token refresh: temporary failure', () => {
    const kinds = [
      ['503', tokenFailure('temporary', { status: 503 }), 502, 503, 1, 'Ledger cannot answer at the moment.'],
      [
        '429 with Retry-After',
        tokenFailure('temporary', { status: 429, retryAfterMs: 7_500 }),
        502,
        429,
        8,
        'Ledger cannot answer at the moment.',
      ],
      ['no connection', tokenFailure('not_sent'), 502, null, 1, 'Ledger cannot be reached.'],
      [
        'another error by name',
        tokenFailure('refused', { status: 400, error: 'invalid_scope' }),
        502,
        400,
        1,
        'Ledger refuses the request.',
      ],
      [
        'a wrong client secret',
        tokenFailure('client_refused', { status: 401, description: 'bad client' }),
        502,
        401,
        1,
        'Ledger does not accept the client id or client secret of the connection.',
      ],
    ] as const;

    it.each(kinds)('leaves the account ACTIVE: %s', async (_name, cause, http, provider, retryAfter, why) => {
      expire();
      services.tokens.answers.push(cause);
      const error = await failure(call());
      expect(error).toMatchObject({ code: 'TOOL_ERROR', status: http, retryAfterSeconds: retryAfter });
      expect(error.message).toContain(
        `The access token could not be renewed: ${why} The account stays connected`,
      );
      expect(error.message).toContain(`Try again in ${retryAfter} seconds.`);
      expect(error.toolError).toEqual({
        code: 'TOKEN_REFRESH_FAILED',
        message: cause.providerDescription ?? cause.providerError ?? null,
        provider_status: provider,
        provider_body: null,
        retry_after: retryAfter,
        required_scopes: null,
        execution_id: expect.stringMatching(/^exe_/),
      });
      expect(await status()).toBe('ACTIVE');
      expect(services.sent).toEqual([]);

      const again = await failure(call());
      expect(again.message).toContain(why);
      expect(services.tokens.presented('refresh')).toHaveLength(1);

      await endCoolDown();
      await call();
      expect(sentTokens(services)).toEqual(['at-2']);
      expect(await rowOf(services, id)).toMatchObject({ failed_attempts: 0, failed_reason: null });
    });

    it('tells the operator to correct the connection where its client is refused', async () => {
      expire();
      services.tokens.answers.push(tokenFailure('client_refused'));
      const advice = 'The account stays connected; the operator has to correct the connection ledger.';
      expect((await failure(call())).message).toContain(advice);
      expect((await failure(call())).message).toContain(advice);
    });

    it('cools down longer from failure to failure, in every process', async () => {
      expire();
      const other = await anotherProcess(services);
      const waits: (number | null)[] = [];
      for (const by of [services, other, services, other, services, other]) {
        services.tokens.answers.push(tokenFailure('temporary'));
        waits.push((await failure(call(by))).toolError.retry_after);
        await endCoolDown();
      }
      expect(waits).toEqual([1, 2, 4, 8, 16, 30]);
    });

    it('sends one request for many callers, and gives all of them the failure', async () => {
      expire();
      services.tokens.answers.push(tokenFailure('temporary'));
      const errors = await Promise.all(Array.from({ length: 50 }, async () => failure(call())));
      expect(new Set(errors.map((error) => error.toolError.code))).toEqual(new Set(['TOKEN_REFRESH_FAILED']));
      expect(services.tokens.presented('refresh')).toHaveLength(1);
    });

    it('answers 504 where the token endpoint took too long', async () => {
      expire();
      const cause = new OutboundFailure('timeout', true);
      services.tokens.answers.push(async () => {
        services.clock.advance(60_000);
        throw tokenFailure('unknown', { cause });
      });
      expect(await failure(call())).toMatchObject({ status: 504 });
      expect(services.tokens.presented('refresh')).toHaveLength(1);
    });

    it('says that the connection itself is not complete, and sends nothing', async () => {
      expire();
      const [connection] = await services.connections.list(machine.environmentId);
      await services.db.transaction(async (tx) =>
        tx
          .updateTable('connections')
          .set({ client_id: null })
          .where('id', '=', connection?.id ?? '')
          .execute(),
      );
      const error = await failure(call());
      expect(error.message).toContain('The connection ledger has no client_id');
      expect(await rowOf(services, id)).toMatchObject({ status: 'ACTIVE', failed_attempts: 0 });
      expect(services.tokens.requests).toEqual([]);
    });
  });

  describe('token refresh: unknown outcome', () => {
    it('repeats the refresh once with the same token', async () => {
      expire();
      services.tokens.answers.push(async () => {
        services.clock.advance(20_000);
        throw tokenFailure('unknown');
      });
      await call();
      expect(services.tokens.requests.map(({ token, timeoutMs }) => [token, timeoutMs])).toEqual([
        ['rt-0', 60_000],
        ['rt-0', 40_000],
      ]);
      expect(sentTokens(services)).toEqual(['at-2']);
    });

    it('ends the account in EXPIRED with a link where the repeat is refused: the provider had rotated', async () => {
      expire();
      services.tokens.answers.push(tokenFailure('unknown'), tokenFailure('invalid_grant'));
      await expect(call()).rejects.toMatchObject({
        code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
        details: { status: 'EXPIRED', authorization_link: expect.stringContaining('/connect/') },
      });
      expect(services.tokens.presented('refresh')).toEqual(['rt-0', 'rt-0']);
    });

    it('counts two unknown outcomes as a temporary failure, and then presents the token once each time', async () => {
      expire();
      services.tokens.answers.push(...Array.from({ length: 3 }, () => tokenFailure('unknown')));
      await failure(call());
      expect(services.tokens.presented('refresh')).toHaveLength(2);
      await endCoolDown();
      await failure(call());
      expect(services.tokens.presented('refresh')).toHaveLength(3);
      expect(await status()).toBe('ACTIVE');
    });

    it.each(['not_sent', 'temporary', 'refused'] as const)(
      'leaves no unknown outcome behind after %s',
      async (kind) => {
        expire();
        services.tokens.answers.push(tokenFailure(kind));
        await failure(call());
        expect(await rowOf(services, id)).toMatchObject({ refresh_state: 'idle' });
        await endCoolDown();
        services.tokens.answers.push(tokenFailure('unknown'));
        await call();
        expect(services.tokens.presented('refresh')).toHaveLength(3);
      },
    );

    it('repeats the refresh after a defect on the way, too', async () => {
      expire();
      services.tokens.answers.push(new TypeError('broken'));
      await call();
      expect(services.tokens.presented('refresh')).toEqual(['rt-0', 'rt-0']);
    });
  });

  describe('token refresh: refused refresh token', () => {
    it('finds out once for 200 calls: EXPIRED and a link for all', async () => {
      expire();
      const answer = gate<Partial<TokenReply>>();
      services.tokens.answers.push(() => answer.promise);
      const calls = Array.from({ length: 200 }, async () => call().catch((error: unknown) => error));
      await turns();
      answer.fail(tokenFailure('invalid_grant'));
      const errors = await Promise.all(calls);
      for (const error of errors) {
        expect(error).toBeInstanceOf(AccountNotActive);
        expect((error as AccountNotActive).connect).toHaveProperty('link');
        expect((error as AccountNotActive).account.status).toBe('EXPIRED');
      }
      await expect(call()).rejects.toBeInstanceOf(AccountNotActive);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
      expect(services.sent).toEqual([]);
      const events = await services.accounts.events(machine, id);
      expect(events.slice(1)).toMatchObject([
        { from: 'ACTIVE', to: 'EXPIRED', cause: 'credential_refused', actor: 'provider' },
      ]);
    });

    it('finds out once for two processes', async () => {
      expire();
      const other = await anotherProcess(services);
      services.tokens.answers.push(tokenFailure('invalid_grant'));
      const errors = await Promise.all(
        [services, other, services, other].map(async (by) => call(by).catch((error: unknown) => error)),
      );
      expect(errors.filter((error) => error instanceof AccountNotActive)).toHaveLength(4);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    });

    it('changes nothing where the credentials are newer by then', async () => {
      expire();
      const answer = gate<Partial<TokenReply>>();
      services.tokens.answers.push(() => answer.promise);
      const waiting = call();
      await until(isLeased);
      await services.accounts.update(machine, {
        id,
        connected_account: {
          authorization_details: { oauth_token: { access_token: 'given', refresh_token: 'rt-given' } },
        },
      });
      answer.fail(tokenFailure('invalid_grant'));
      await waiting;
      expect(sentTokens(services)).toEqual(['given']);
      expect(await status()).toBe('ACTIVE');
    });

    it('changes nothing where another process holds the lease by then', async () => {
      expire();
      const answer = gate<Partial<TokenReply>>();
      services.tokens.answers.push(() => answer.promise);
      const waiting = call();
      await until(isLeased);
      await endLease();
      const other = await anotherProcess(services);
      await call(other);
      answer.fail(tokenFailure('invalid_grant'));
      await waiting;
      expect(sentTokens(services)).toEqual(['at-2']);
      expect(await status()).toBe('ACTIVE');
    });

    it('waits for verification where new credentials wait already', async () => {
      await setColumns(services, id, { token_expires_at: services.clock.now() });
      await consent(services, id, { access_token: 'waits' });
      services.tokens.answers.push(tokenFailure('invalid_grant'));
      await expect(call()).rejects.toMatchObject({ details: { status: 'PENDING_VERIFICATION' } });
      services.clock.advance(600_000);
      expect((await services.accounts.describe(machine, { id })).status).toBe('EXPIRED');
    });
  });
});
