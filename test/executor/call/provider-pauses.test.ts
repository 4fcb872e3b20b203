/** What a provider's `Retry-After` means for later calls: of the account, of others, in other processes. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/catalog/model/types.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { ExecutionLog } from '../../../src/executor/call/execution-log.ts';
import { ProviderPauses } from '../../../src/executor/call/provider-pauses.ts';
import { AccountStore } from '../../../src/store/accounts/account-store.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { answer, connectedAccount, machine, testServices, type Services } from '../../support/services.ts';
import { executionRow } from '../../support/stored-rows.ts';
import { testCatalog } from '../../support/test-catalog.ts';

/** The test catalog, with limits of the provider that are those of the app. */
function ofConnection(): Catalog {
  const connectors = new Map(testCatalog.connectors);
  const notes = connectors.get('notes') ?? expect.fail('no notes');
  connectors.set('notes', { ...notes, errors: { ...notes.errors, retry_after: { of: 'connection' } } });
  return { ...testCatalog, connectors };
}

const call = async ({ executor }: Services, id: string, toolName = 'notes_search') =>
  executor.execute({ caller: machine, toolName, input: { query: 'x' }, account: { id } });

/** The provider's next answer. */
function limit(services: Services, retryAfter: string): void {
  const { headers, ...rest } = answer(429, { error: 'slow down' });
  services.answers.push({ ...rest, headers: { ...headers, 'retry-after': retryAfter } });
}

const stored = async (db: Database, id: string) =>
  (
    await db.read
      .selectFrom('accounts')
      .select('paused_until')
      .where('environment_id', '=', 'env_test')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).paused_until;

const REFUSED = { code: 'RATE_LIMITED', status: 429 };

forEachDatabase((_name, open) => {
  let db: Database;
  let services: Services;
  let id: string;
  beforeEach(async () => {
    db = await open();
    services = await testServices({ db });
    ({ id } = await connectedAccount(services));
  });

  /** Another process on the same database. */
  const other = async () => testServices({ db, vault: services.vault, clock: services.clock });

  const accountOf = async (account: string) =>
    (await new AccountStore(db.read).find({ environmentId: 'env_test' }, account)) ??
    expect.fail('no account');

  describe('pause that a provider asks for', () => {
    it('refuses later calls of the account without a request', async () => {
      limit(services, '30');
      await expect(call(services, id)).rejects.toMatchObject({ code: 'TOOL_ERROR', status: 429 });
      services.clock.advance(12_500);
      await expect(call(services, id)).rejects.toMatchObject({
        ...REFUSED,
        retryAfterSeconds: 18,
        details: { retry_after: 18 },
        message: 'Notes wants no calls from this account for now, so nothing was sent. Try again in 18 s.',
      });
      expect(services.sent).toHaveLength(1);
    });

    it('refuses proxied requests too, and begins with them', async () => {
      const proxied = async () =>
        services.executor.proxy({
          caller: machine,
          account: { id },
          method: 'GET',
          path: '/notes',
          query: '',
          headers: {},
        });
      limit(services, '30');
      expect((await proxied()).status).toBe(429);
      await expect(proxied()).rejects.toMatchObject(REFUSED);
      await expect(call(services, id)).rejects.toMatchObject(REFUSED);
      expect(services.sent).toHaveLength(1);
    });

    it('refuses calls in other processes with their next call', async () => {
      const process = await other();
      limit(services, '30');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      await expect(call(process, id)).rejects.toMatchObject({ ...REFUSED, retryAfterSeconds: 30 });
      expect(process.sent).toEqual([]);
    });

    it('lets calls through when it is over, in every process', async () => {
      const process = await other();
      limit(services, '30');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      services.clock.advance(30_000);
      await call(process, id);
      await call(services, id);
      expect([process.sent.length, services.sent.length]).toEqual([1, 2]);
    });

    it('ends in the database with the next success', async () => {
      limit(services, '30');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      expect(await stored(db, id)).toBe(services.clock.now() + 30_000);
      services.clock.advance(30_000);
      services.answers.push(answer(404, {}));
      await expect(call(services, id)).rejects.toMatchObject({ status: 404 });
      expect(await stored(db, id)).not.toBeNull();
      await call(services, id);
      expect(await stored(db, id)).toBeNull();
    });

    it('outlasts the success of a call that began before it', async () => {
      limit(services, '30');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      services.clock.advance(30_000);
      const wasPaused = await accountOf(id);
      limit(services, '60');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      const execution = executionRow({ connected_account_id: id, at: services.clock.now() });
      await new ExecutionLog(db, services.log).record({ execution, wasPaused });
      expect(await stored(db, id)).toBe(services.clock.now() + 60_000);
    });

    it('leaves other accounts of the connection alone', async () => {
      const { id: second } = await connectedAccount(services, { user_id: 'u2' });
      limit(services, '30');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      await call(services, second);
      expect(services.sent).toHaveLength(2);
    });

    it('holds for the whole connection where the catalog says so, until the next success', async () => {
      const catalog = ofConnection();
      const start = async () => testServices({ db, vault: services.vault, clock: services.clock, catalog });
      const here = await start();
      const there = await start();
      const { id: second } = await connectedAccount(here, { user_id: 'u2' });
      limit(here, '30');
      await expect(call(here, id)).rejects.toMatchObject({ status: 429 });
      const refused = { ...REFUSED, message: expect.stringContaining('the accounts of this connection') };
      await expect(call(here, second)).rejects.toMatchObject(refused);
      await expect(call(there, second)).rejects.toMatchObject(refused);
      here.clock.advance(30_000);
      await call(there, second);
      const pauses = await db.read.selectFrom('connections').select('paused_until').execute();
      expect(pauses.filter(({ paused_until: until }) => until !== null)).toEqual([]);
    });

    it('lasts an hour at most', async () => {
      limit(services, '86400');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      services.clock.advance(3_599_000);
      await expect(call(services, id)).rejects.toMatchObject({ ...REFUSED, retryAfterSeconds: 1 });
      services.clock.advance(1_000);
      await call(services, id);
    });

    it('counts as over after the clock was set back, in every process', async () => {
      const process = await other();
      limit(services, '3600');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      services.clock.advance(-86_400_000);
      await call(process, id);
      await call(services, id);
      expect(await stored(db, id)).toBeNull();
    });

    it.each(['-5', '0', 'soon', '', 'Fri, 20 Nov 2020 12:00:00 GMT', '1e9'])(
      'does not begin with the Retry-After %j',
      async (value) => {
        limit(services, value);
        await call(services, id).catch(() => undefined);
        await call(services, id);
        expect(await stored(db, id)).toBeNull();
      },
    );

    it('does not begin with a 503 that says when to call again', async () => {
      const { headers, ...rest } = answer(503, {});
      services.answers.push({ ...rest, headers: { ...headers, 'retry-after': '60' } });
      await expect(call(services, id)).rejects.toMatchObject({ status: 502 });
      await call(services, id);
    });

    it('ends with new credentials of the account', async () => {
      limit(services, '30');
      await expect(call(services, id)).rejects.toMatchObject({ status: 429 });
      await services.accounts.update(machine, {
        id,
        connected_account: { authorization_details: { static_auth: { details: { api_key: 'key-2' } } } },
      });
      expect(await stored(db, id)).toBeNull();
      await call(services, id);
      expect(services.sent).toHaveLength(2);
    });

    it('takes one statement for calls that are refused at the same time', async () => {
      const written: unknown[] = [];
      const counting: Database = {
        dialect: db.dialect,
        read: db.read,
        longRead: db.longRead,
        version: () => db.version(),
        transaction: async (work) => {
          written.push(work);
          return db.transaction(work);
        },
        close: async () => db.close(),
      };
      const { clock, log } = services;
      const pauses = new ProviderPauses({ db: counting, clock, log });
      const account = await accountOf(id);
      for (let n = 0; n < 100; n++) {
        await pauses.begin(account, 'account', 30_000);
        clock.advance(5);
      }
      expect(written).toHaveLength(1);
      await pauses.begin(account, 'account', 60_000);
      expect(await stored(db, id)).toBe(clock.now() + 60_000);
    });

    it('holds in the process that received it while the database cannot be written', async () => {
      const logged: string[] = [];
      const log = { ...services.log, warn: (event: string) => void logged.push(event) };
      const transaction = async (): Promise<never> => {
        throw new ServiceError('UNAVAILABLE', 'The disk is full.');
      };
      const full: Database = {
        dialect: db.dialect,
        read: db.read,
        longRead: db.longRead,
        version: () => db.version(),
        transaction,
        close: async () => db.close(),
      };
      const pauses = new ProviderPauses({ db: full, clock: services.clock, log });
      const account = await accountOf(id);
      await pauses.begin(account, 'account', 30_000);
      expect(logged).toEqual(['provider_pause_not_stored']);
      expect(() => pauses.requireNone(account, 'Notes')).toThrow('Try again in 30 s.');
    });
  });
});
