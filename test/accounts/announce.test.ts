/** Events for webhooks, written in the transaction of the change. */
import { beforeEach, describe, expect, it } from 'vitest';
import { announce } from '../../src/accounts/announce.ts';
import { newAccountRow } from '../../src/accounts/new-account.ts';
import { appendEvent, changeStatus } from '../../src/accounts/status-change.ts';
import type { StatusTrigger } from '../../src/accounts/account-status.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import { ConnectionStore } from '../../src/store/accounts/connection-store.ts';
import type { Database, WriteTransaction } from '../../src/store/engine/database.ts';
import { signallingOutbox } from '../../src/store/engine/outbox-signal.ts';
import { connectionOf } from '../../src/store/accounts/connection.ts';
import { ALL_EVENTS, outbox, withEnvironments } from '../interceptors/support.ts';
import { forEachDatabase } from '../support/databases.ts';
import type { AccountStatus } from '../../src/core/stored-words.ts';
import type { StoredForm } from '../../src/store/tables/column-types.ts';
import type { ConnectionTable } from '../../src/store/tables/tables.ts';
import { asRead } from '../../src/store/engine/row-reader.ts';
import { rows } from '../../src/store/engine/rows.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

const connection: StoredForm<ConnectionTable> = {
  id: 'conn_1',
  environment_id: 'env_1',
  name: 'crm eu',
  connector: 'crm',
  authorization_type: 'OAUTH',
  client_id: 'client',
  client_secret_sealed: 'sealed-client-secret',
  secret_set_at: 1,
  scopes: '[]',
  params: '{}',
  overrides: '{}',
  post_user_verify_redirect_url: null,
  managed_by: 'operator',
  paused_until: null,
  created_at: 1,
  updated_at: 1,
};

const ada = newAccountRow(
  {
    connection: connectionOf(asRead('connections', connection)),
    owner: { userId: 'u1', organizationId: '' },
    identifier: 'ada',
    now: NOON,
  },
  { id: 'ca_1', status: 'ACTIVE', credentials_sealed: 'sealed-token', api_config: '{"key":"config-word"}' },
);

/** What status changes need of it. */
const ADA = { id: 'ca_1', environmentId: 'env_1', status: 'ACTIVE' } as const;

forEachDatabase((_name, open) => {
  let db: Database;

  beforeEach(async () => {
    db = await withEnvironments(await open());
    await db.transaction(async (tx) => {
      await new ConnectionStore(tx).insert(connection);
      await new AccountStore(tx).insert(ada);
    });
  });

  const webhook = async (
    id: string,
    change: { events?: string[]; enabled?: 0 | 1; environment_id?: string } = {},
  ) =>
    db.transaction(async (tx) =>
      rows(tx, 'webhooks').insert({
        id,
        environment_id: 'env_1',
        name: id,
        url: 'https://hooks.example.test/',
        enabled: 1,
        managed_by: 'operator',
        created_at: 1,
        updated_at: 1,
        ...change,
        events: JSON.stringify(change.events ?? ALL_EVENTS),
      }),
    );
  const deleted = async (tx: WriteTransaction) =>
    announce(tx, {
      environmentId: 'env_1',
      accountId: 'ca_1',
      type: 'connected_account.deleted',
      now: NOON + 1,
    });
  /** Type of each event, and the status before if the event has it. */
  const told = async () =>
    (await outbox(db)).map(({ event_type, body }) => {
      const { data } = JSON.parse(body) as { data: { old_status?: string } };
      return [event_type.replace('connected_account.', ''), data.old_status];
    });

  describe('webhook events of accounts', () => {
    it('writes one delivery for each webhook that wants the event, with the same body', async () => {
      await webhook('whk_all');
      await webhook('whk_deleted', { events: ['connected_account.deleted'] });
      await webhook('whk_created', { events: ['connected_account.created'] });
      await webhook('whk_off', { enabled: 0 });
      await webhook('whk_foreign', { environment_id: 'env_2' });
      await db.transaction(deleted);
      const rows = await outbox(db);
      expect(rows.map(({ webhook_id }) => webhook_id)).toEqual(['whk_all', 'whk_deleted']);
      expect(new Set(rows.map(({ body }) => body)).size).toBe(1);
      expect(rows[0]).toEqual({
        id: expect.stringMatching(/^whd_[0-9a-z]{26}$/),
        environment_id: 'env_1',
        webhook_id: 'whk_all',
        event_id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
        event_type: 'connected_account.deleted',
        account_id: 'ca_1',
        body: expect.any(String),
        status: 'pending',
        attempts: 0,
        next_attempt_at: 0,
        taken_until: null,
        last_status: null,
        last_failure: null,
        created_at: NOON + 1,
        finished_at: null,
      });
      expect(JSON.parse(rows[0]?.body ?? '')).toEqual({
        id: rows[0]?.event_id,
        type: 'connected_account.deleted',
        environment_id: 'env_1',
        occurred_at: '2026-11-20T12:00:00.001Z',
        data: {
          connected_account: {
            id: 'ca_1',
            connection_id: 'conn_1',
            connector: 'crm eu',
            provider: 'crm',
            identifier: 'ada',
            authorization_type: 'OAUTH',
            status: 'ACTIVE',
            token_expires_at: null,
            last_used_at: null,
            updated_at: '2026-11-20T12:00:00.000Z',
          },
          user_id: 'u1',
          organization_id: '',
        },
      });
    });

    it('puts neither credentials nor configuration into the body', async () => {
      await webhook('whk_all');
      await db.transaction(deleted);
      expect(JSON.stringify(await outbox(db))).not.toMatch(/sealed|config-word|client/);
    });

    it('writes no delivery where no webhook wants the event', async () => {
      await db.transaction(deleted);
      await webhook('whk_created', { events: ['connected_account.created'] });
      await db.transaction(deleted);
      expect(await outbox(db)).toEqual([]);
    });

    it('rolls the delivery back together with the change', async () => {
      await webhook('whk_all');
      const rolledBack = db.transaction(async (tx) => {
        await deleted(tx);
        throw new Error('no');
      });
      await expect(rolledBack).rejects.toThrow('no');
      expect(await outbox(db)).toEqual([]);
    });

    it('wakes the deliverer after the commit, and only where a delivery is to be sent', async () => {
      const seen: number[] = [];
      let rows = Promise.resolve();
      const told = signallingOutbox(db, () => {
        rows = outbox(db).then((found) => void seen.push(found.length));
      });
      await told.transaction(deleted);
      await webhook('whk_all');
      const rolledBack = told.transaction(async (tx) => {
        await deleted(tx);
        throw new Error('no');
      });
      await expect(rolledBack).rejects.toThrow('no');
      expect(seen).toEqual([]);
      await told.transaction(deleted);
      await rows;
      expect(seen).toEqual([1]);
    });
  });

  describe('webhook events of a status change', () => {
    it.each<[AccountStatus, StatusTrigger, AccountStatus | undefined, unknown[]]>([
      ['PENDING_AUTH', 'submitted', undefined, [['status_updated', 'PENDING_AUTH']]],
      ['PENDING_AUTH', 'connected', undefined, [['status_updated', 'PENDING_AUTH']]],
      ['PENDING_VERIFICATION', 'verified', undefined, [['status_updated', 'PENDING_VERIFICATION']]],
      ['PENDING_VERIFICATION', 'verification_ended', 'EXPIRED', [['status_updated', 'PENDING_VERIFICATION']]],
      ['EXPIRED', 'credentials_updated', undefined, [['status_updated', 'EXPIRED']]],
      ['ACTIVE', 'credential_refused', undefined, [['status_updated', 'ACTIVE']]],
      ['ACTIVE', 'disconnected', undefined, [['status_updated', 'ACTIVE']]],
      ['ACTIVE', 'connected', undefined, [['updated', undefined]]],
      ['ACTIVE', 'verified', undefined, [['updated', undefined]]],
      ['ACTIVE', 'credentials_updated', undefined, [['updated', undefined]]],
      ['ACTIVE', 'submitted', undefined, []],
      ['ACTIVE', 'verification_ended', 'ACTIVE', []],
      ['PENDING_VERIFICATION', 'submitted', undefined, []],
      ['DISCONNECTED', 'disconnected', undefined, []],
    ])(
      'announces the right event when an account in %s meets the trigger %s',
      async (from, trigger, statusBefore, expected) => {
        await webhook('whk_all');
        await db.transaction(async (tx) => {
          await new AccountStore(tx).update('env_1', 'ca_1', { status: from });
          await changeStatus(
            tx,
            { ...ADA, status: from },
            { trigger, actor: 'cred_1', now: NOON + 1, statusBefore },
          );
        });
        expect(await told()).toEqual(expected);
      },
    );

    it('shows the account as it is after the change', async () => {
      await webhook('whk_all');
      await db.transaction(async (tx) =>
        changeStatus(tx, ADA, { trigger: 'disconnected', actor: 'cred_1', now: NOON + 1 }),
      );
      const [row] = await outbox(db);
      expect(JSON.parse(row?.body ?? '')).toMatchObject({
        data: { connected_account: { status: 'DISCONNECTED' }, old_status: 'ACTIVE' },
      });
    });

    it('announces nothing for a status change that comes too late', async () => {
      await webhook('whk_all');
      await db.transaction(async (tx) =>
        changeStatus(tx, ADA, { trigger: 'disconnected', actor: 'cred_1', now: NOON + 1, generation: 99 }),
      );
      expect(await outbox(db)).toEqual([]);
    });
  });

  it('announces a new account as created, without a status before', async () => {
    await webhook('whk_all');
    await db.transaction(async (tx) =>
      appendEvent(tx, ADA, { from: null, to: 'ACTIVE', cause: 'created', actor: 'cred_1', now: NOON }),
    );
    expect(await told()).toEqual([['created', undefined]]);
  });
});
