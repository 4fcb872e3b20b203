/** Renewals that nobody has to wait for, and what happens to an account while one is under way. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TokenReply } from '../../../src/credentials/oauth/token-endpoint.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { forEachDatabase, onDatabase } from '../../support/databases.ts';
import { gate, tokenFailure } from '../../support/fake-token-endpoint.ts';
import { fixedClock } from '../../support/fixed-clock.ts';
import { turns, until } from '../../support/manual-timers.ts';
import { machine, testServices, type Services } from '../../support/services.ts';
import {
  anotherProcess,
  callLedger,
  ledgerAccount,
  ledgerServices,
  rowOf,
  storedAccount,
  sentTokens,
  storedToken,
} from './ledger.ts';

const HOUR_MS = 3_600_000;

describe('token renewal before expiry', () => {
  let services: Services;
  let id: string;
  const call = async () => callLedger(services, id);
  beforeEach(async () => {
    services = await ledgerServices();
    id = await ledgerAccount(services);
    services.clock.advance(HOUR_MS - 30_000);
  });

  it('renews a token that is about to expire before it is used', async () => {
    await call();
    expect(sentTokens(services)).toEqual(['at-1']);
  });

  it('uses the token where the renewal fails, and again while it cools down', async () => {
    services.tokens.answers.push(tokenFailure('temporary'));
    await call();
    await call();
    expect(sentTokens(services)).toEqual(['at-0', 'at-0']);
    expect(services.tokens.presented('refresh')).toHaveLength(1);
    services.clock.advance(1_000);
    await call();
    expect(sentTokens(services)).toEqual(['at-0', 'at-0', 'at-2']);
  });

  it('uses the token where the renewal takes long, and serves the next call with the new one', async () => {
    const answer = gate<Partial<TokenReply>>();
    services.tokens.answers.push(() => answer.promise);
    const first = call();
    await until(() => services.timers.sleeping.length > 0);
    expect(services.sent).toEqual([]);
    expect(services.timers.sleeping).toEqual([2_000]);
    services.timers.elapse();
    await first;
    expect(sentTokens(services)).toEqual(['at-0']);

    services.clock.advance(1_500);
    const second = call();
    await until(() => services.timers.sleeping.length > 0);
    expect(services.timers.sleeping).toEqual([500]);
    answer.open({});
    await second;
    await call();
    expect(sentTokens(services)).toEqual(['at-0', 'at-1', 'at-1']);
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    expect(services.timers.sleeping).toEqual([]);
  });

  it('waits for the renewal once the token has expired', async () => {
    const answer = gate<Partial<TokenReply>>();
    services.tokens.answers.push(() => answer.promise);
    const waits = call();
    await until(() => services.timers.sleeping.length > 0);
    services.clock.advance(30_000);
    services.timers.elapse();
    await turns();
    expect(services.sent).toEqual([]);
    answer.open({});
    await waits;
    expect(sentTokens(services)).toEqual(['at-1']);
  });

  it('ends the account with a link where its refresh token is refused', async () => {
    services.tokens.answers.push(tokenFailure('invalid_grant'));
    await expect(call()).rejects.toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
    expect(services.sent).toEqual([]);
  });

  it('leaves an account that cannot be renewed to its owner: used to the end, then EXPIRED with a link', async () => {
    const other = await ledgerAccount(
      services,
      { access_token: 'only', refresh_token: '' },
      { identifier: 'bob', expiresInMs: 10_000 },
    );
    services.clock.advance(9_999);
    await callLedger(services, other);
    expect(sentTokens(services)).toEqual(['only']);
    services.clock.advance(1);
    const late = Array.from({ length: 10 }, async () =>
      callLedger(services, other).catch((error: ServiceError) => error.details),
    );
    for (const details of await Promise.all(late))
      expect(details).toMatchObject({
        status: 'EXPIRED',
        authorization_link: expect.stringContaining('/connect/'),
      });
    expect(services.tokens.requests).toEqual([]);
    expect((await services.accounts.events(machine, other)).slice(1)).toMatchObject([
      { from: 'ACTIVE', to: 'EXPIRED', cause: 'credential_expired', actor: 'gatehouse' },
    ]);
  });

  it('keeps a token whose expiry nobody knows, with or without a refresh token', async () => {
    for (const refresh_token of ['rt-x', '']) {
      const other = await ledgerAccount(
        services,
        { access_token: `of ${refresh_token}`, refresh_token },
        { identifier: `u${refresh_token}`, expiresInMs: null },
      );
      services.clock.advance(1_000 * HOUR_MS);
      await callLedger(services, other);
    }
    expect(sentTokens(services)).toEqual(['of rt-x', 'of ']);
    expect(services.tokens.requests).toEqual([]);
  });

  it('asks for a token where only a refresh token was given', async () => {
    const other = await ledgerAccount(services, { refresh_token: 'rt-only' }, { identifier: 'bob' });
    await callLedger(services, other);
    expect(services.tokens.presented('refresh')).toEqual(['rt-only']);
    expect(sentTokens(services)).toEqual(['at-1']);
  });
});

forEachDatabase((_, open) => {
  describe('token renewal: changes while it is under way', () => {
    let services: Services;
    let id: string;
    let answer: ReturnType<typeof gate<Partial<TokenReply>>>;
    let waiting: Promise<unknown>;
    beforeEach(async () => {
      services = await ledgerServices({ db: await open() });
      id = await ledgerAccount(services);
      services.clock.advance(HOUR_MS);
      answer = gate();
      services.tokens.answers.push(() => answer.promise);
      waiting = callLedger(services, id).catch((error: unknown) => error);
      await until(async () => (await rowOf(services, id)).lease_owner !== null);
    });

    it('lets credentials from an update win, and makes the call with them', async () => {
      await services.accounts.update(machine, {
        id,
        connected_account: {
          authorization_details: { oauth_token: { access_token: 'given', refresh_token: 'rt-given' } },
        },
      });
      answer.open({});
      await waiting;
      expect(sentTokens(services)).toEqual(['given']);
      expect(await storedToken(services, id)).toEqual({ access_token: 'given', refresh_token: 'rt-given' });
    });

    it('loses nothing of the new tokens when scopes and domain are noted', async () => {
      await services.accounts.update(machine, {
        id,
        connected_account: { authorization_details: { oauth_token: { domain: 'acme' } } },
      });
      answer.open({});
      await waiting;
      expect(sentTokens(services)).toEqual(['at-1']);
      expect(await storedToken(services, id)).toEqual({
        access_token: 'at-1',
        refresh_token: 'rt-1',
        domain: 'acme',
      });
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    });

    it('ends a refused token without a wait when scopes and domain are noted', async () => {
      await services.accounts.update(machine, {
        id,
        connected_account: { authorization_details: { oauth_token: { domain: 'acme' } } },
      });
      answer.fail(tokenFailure('invalid_grant'));
      expect(await waiting).toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
      expect(await rowOf(services, id)).toMatchObject({ status: 'EXPIRED', lease_owner: null });
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    });

    it.each(['disconnected', 'deleted'])(
      'stores nothing for an account that is %s, and revokes the tokens',
      async (how) => {
        if (how === 'deleted') await services.disconnection.remove(machine, { id });
        else await services.disconnection.disconnect(machine, id);
        expect(services.tokens.presented('revoke')).toEqual(['rt-0', 'at-0']);
        answer.open({});
        expect(await waiting).toMatchObject({
          code: how === 'deleted' ? 'RESOURCE_NOT_FOUND' : 'CONNECTED_ACCOUNT_NOT_ACTIVE',
        });
        await services.revocation.settled();
        expect(services.tokens.presented('revoke')).toEqual(['rt-0', 'at-0', 'rt-1', 'at-1']);
        const rows = await services.db.read.selectFrom('accounts').select('credentials_sealed').execute();
        expect(rows).toEqual(how === 'deleted' ? [] : [{ credentials_sealed: null }]);
      },
    );

    it('leaves no opened credentials of a deleted account in memory', async () => {
      const account = await storedAccount(services, id);
      await services.disconnection.remove(machine, { id });
      answer.open({});
      await waiting;
      await services.revocation.settled();
      const opened = vi.spyOn(services.vault, 'open');
      await services.sealed.open(account);
      expect(opened).toHaveBeenCalledOnce();
    });

    it('waits for the renewal when the process stops', async () => {
      let isClosed = false;
      const closing = services.refresher.close(4_000).then(() => (isClosed = true));
      await turns();
      expect(isClosed).toBe(false);
      answer.open({});
      await closing;
      await waiting;
      expect(await storedToken(services, id)).toMatchObject({ access_token: 'at-1' });
      expect(sentTokens(services)).toEqual(['at-1']);
    });

    it('leaves a repeat without a cool-down to the next process when this one cannot wait longer', async () => {
      const closing = services.refresher.close(4_000);
      await turns();
      services.timers.elapse();
      await closing;
      answer.fail(tokenFailure('unknown'));
      await services.refresher.settled();
      expect(await waiting).toMatchObject({ code: 'TOOL_ERROR' });
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
      expect(await rowOf(services, id)).toMatchObject({
        lease_owner: null,
        refresh_state: 'sent',
        failed_until: null,
      });
      await expect(callLedger(services, id)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await callLedger(await anotherProcess(services), id);
      expect(services.tokens.presented('refresh')).toEqual(['rt-0', 'rt-0']);
    });

    it("does not wait for another process's renewal when the process stops", async () => {
      const other = await anotherProcess(services);
      const theirs = callLedger(other, id).catch((error: unknown) => error);
      await turns();
      await other.refresher.close(4_000);
      expect(await theirs).toMatchObject({ code: 'UNAVAILABLE' });
      answer.open({});
      await waiting;
    });
  });
});

describe('token renewal: clocks that differ by five minutes', () => {
  it.each([300_000, -300_000])('makes no storm of renewals with a difference of %s ms', async (skew) => {
    const services = await ledgerServices();
    const id = await ledgerAccount(services);
    const other = await anotherProcess(services, { clock: fixedClock(services.clock.now() + skew) });
    for (let minute = 0; minute < 120; minute++) {
      await callLedger(services, id);
      await callLedger(other, id);
      for (const { clock } of [services, other]) clock.advance(60_000);
    }
    expect(services.tokens.presented('refresh').length).toBeLessThanOrEqual(3);
    expect((await rowOf(services, id)).status).toBe('ACTIVE');
  });

  it('ends a cool-down and a dead lease soon when the clock is set back by five minutes', async () => {
    const services = await ledgerServices();
    const id = await ledgerAccount(services, undefined, { expiresInMs: 0 });
    await services.db.transaction(async (tx) =>
      tx
        .updateTable('accounts')
        .set({ lease_owner: 'dead', lease_until: services.clock.now() + 310_000, refresh_state: 'sent' })
        .execute(),
    );
    await callLedger(services, id);
    expect(sentTokens(services)).toEqual(['at-1']);
  });
});

describe('token renewal: database that cannot be written', () => {
  let db: Database;
  let isFull: boolean;
  let services: Services;
  let id: string;
  beforeEach(async () => {
    const real = await openDatabase({ url: 'sqlite::memory:' });
    isFull = false;
    db = {
      dialect: real.dialect,
      read: real.read,
      longRead: real.longRead,
      version: () => real.version(),
      transaction: async (work) => {
        if (isFull) throw new ServiceError('UNAVAILABLE', 'The disk of the database is full.');
        return real.transaction(work);
      },
      close: async () => real.close(),
    };
    services = await ledgerServices({ db });
    id = await ledgerAccount(services);
  });

  it('uses a token that is good or due all the same', async () => {
    isFull = true;
    await callLedger(services, id);
    services.clock.advance(HOUR_MS - 1);
    await callLedger(services, id);
    expect(sentTokens(services)).toEqual(['at-0', 'at-0']);
    services.clock.advance(1);
    await expect(callLedger(services, id)).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    expect(services.tokens.requests).toEqual([]);
    isFull = false;
    await callLedger(services, id);
    expect(sentTokens(services)).toEqual(['at-0', 'at-0', 'at-1']);
  });

  it('tries again until the new tokens are stored', async () => {
    services.clock.advance(HOUR_MS);
    services.tokens.answers.push(async () => {
      isFull = true;
      return {};
    });
    const waiting = callLedger(services, id);
    await until(() => services.timers.sleeping.length > 0);
    expect(services.timers.sleeping).toEqual([1_000]);
    services.timers.elapse();
    await until(() => services.timers.sleeping.length > 0);
    isFull = false;
    services.timers.elapse();
    await waiting;
    expect(await storedToken(services, id)).toMatchObject({ access_token: 'at-1' });
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('answers 503 when the failure lasts longer than a refresh may take', async () => {
    services.clock.advance(HOUR_MS);
    services.tokens.answers.push(async () => {
      isFull = true;
      return {};
    });
    const waiting = callLedger(services, id).catch((error: unknown) => error);
    await until(() => services.timers.sleeping.length > 0);
    services.clock.advance(60_000);
    services.timers.elapse();
    expect(await waiting).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('stores the new tokens also when nobody waits for them any more', async () => {
    services.clock.advance(HOUR_MS);
    services.tokens.answers.push(async () => {
      isFull = true;
      return {};
    });
    const waiting = callLedger(services, id).catch((error: unknown) => error);
    await until(() => services.timers.sleeping.length > 0);
    services.clock.advance(60_000);
    services.timers.elapse();
    expect(await waiting).toMatchObject({ code: 'UNAVAILABLE' });
    await until(() => services.timers.sleeping.length > 0);
    isFull = false;
    services.timers.elapse();
    await callLedger(services, id);
    expect(await storedToken(services, id)).toMatchObject({ access_token: 'at-1' });
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('reports a failure of the provider as what it is', async () => {
    services.clock.advance(HOUR_MS);
    services.tokens.answers.push(async () => {
      isFull = true;
      throw tokenFailure('temporary', { status: 503 });
    });
    await expect(callLedger(services, id)).rejects.toMatchObject({
      code: 'TOOL_ERROR',
      toolError: { code: 'TOKEN_REFRESH_FAILED' },
    });
  });
});

onDatabase('postgres', (_, open) => {
  it('stores new tokens as soon as a full disk has room again', async () => {
    const services = await ledgerServices({ db: await open() });
    const id = await ledgerAccount(services);
    services.clock.advance(HOUR_MS);
    const { read } = services.db;
    services.tokens.answers.push(async () => {
      await sql`create function refuse() returns trigger language plpgsql
        as 'begin raise exception ''disk full'' using errcode = ''53100''; end'`.execute(read);
      await sql`create trigger refuse before update on accounts execute function refuse()`.execute(read);
      return {};
    });
    let isOver = false;
    const waiting = callLedger(services, id).finally(() => (isOver = true));
    waiting.catch(() => {});
    await until(() => isOver || services.timers.sleeping.length > 0);
    await sql`drop function refuse cascade`.execute(read);
    services.timers.elapse();
    await waiting;
    expect(await storedToken(services, id)).toMatchObject({ access_token: 'at-1' });
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });
});

describe('token renewal: webhook events', () => {
  it('announces the first failure of a row of them, and the end', async () => {
    const services = await ledgerServices();
    const id = await ledgerAccount(services);
    await services.db.transaction(async (tx) =>
      tx
        .insertInto('webhooks')
        .values({
          id: 'whk_1',
          environment_id: machine.environmentId,
          name: 'ops',
          url: 'https://hooks.example/x',
          events: JSON.stringify([
            'connected_account.token_refresh_failed',
            'connected_account.status_updated',
            'connected_account.updated',
          ]),
          enabled: 1,
          managed_by: 'operator',
          created_at: 1,
          updated_at: 1,
        })
        .execute(),
    );
    const told = async () => {
      const rows = await services.db.read
        .selectFrom('webhook_deliveries')
        .select(['event_type', 'body'])
        .orderBy('id')
        .execute();
      return rows.map(({ event_type: type, body }) => {
        const { data } = JSON.parse(body) as { data: { connected_account: { status: string } } };
        expect(body).not.toMatch(/at-\d|rt-\d/);
        return `${type} ${data.connected_account.status}`;
      });
    };
    services.clock.advance(HOUR_MS);
    for (const kind of ['temporary', 'client_refused', 'temporary'] as const) {
      services.tokens.answers.push(tokenFailure(kind));
      await callLedger(services, id).catch(() => {});
      services.clock.advance(30_000);
    }
    expect(await told()).toEqual(['connected_account.token_refresh_failed ACTIVE']);
    await callLedger(services, id);
    expect(await told()).toHaveLength(1);

    services.clock.advance(HOUR_MS);
    services.tokens.answers.push(tokenFailure('invalid_grant'));
    await callLedger(services, id).catch(() => {});
    expect((await told()).slice(1).toSorted()).toEqual([
      'connected_account.status_updated EXPIRED',
      'connected_account.token_refresh_failed EXPIRED',
    ]);
  });
});

describe('token renewal: log', () => {
  it('logs no token, no secret and nothing the provider said', async () => {
    const lines: string[] = [];
    const note = (event: string, fields?: object): void => {
      lines.push(JSON.stringify({ event, ...fields }));
    };
    const log = { debug: note, info: note, warn: note, error: note };
    const services = await ledgerServices({ log });
    const id = await ledgerAccount(services);
    services.clock.advance(HOUR_MS);
    services.tokens.answers.push(
      tokenFailure('temporary', { status: 503, error: 'planted', description: 'planted rt-0' }),
    );
    await callLedger(services, id).catch(() => {});
    services.clock.advance(30_000);
    await callLedger(services, id);
    const text = lines.join('\n');
    expect(text).toContain('token_refresh_failed');
    expect(text).toContain('token_refreshed');
    expect(text).not.toMatch(/planted|at-\d|rt-\d|the-secret/);
  });
});

it('leaves accounts of other authorization types alone', async () => {
  const services = await testServices();
  const { id } = await services.accounts.create(machine, {
    connector: 'notes',
    identifier: 'ada',
    connected_account: { authorization_details: { static_auth: { details: { api_key: 'k' } } } },
  });
  services.clock.advance(1_000 * HOUR_MS);
  await services.executor.execute({
    caller: machine,
    toolName: 'notes_search',
    input: { query: 'x' },
    account: { id },
  });
  expect(services.tokens.requests).toEqual([]);
});
