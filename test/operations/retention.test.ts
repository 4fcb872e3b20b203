import { beforeEach, expect, it } from 'vitest';
import { Retention } from '../../src/operations/retention.ts';
import type { Database, WriteTransaction } from '../../src/store/engine/database.ts';
import { addToSums } from '../../src/store/records/execution-sum-store.ts';
import { RateLimiter } from '../../src/store/records/rate-limiter.ts';
import { forEachDatabase } from '../support/databases.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { executionRow } from '../support/stored-rows.ts';

const DAY_MS = 86_400_000;

forEachDatabase((_name, open) => {
  let db: Database;
  let clock: FixedClock;
  let retention: Retention;

  beforeEach(async () => {
    db = await open();
    clock = fixedClock();
    retention = new Retention(db, new RateLimiter(db, clock), clock, {
      executionsMs: 30 * DAY_MS,
      summariesMs: 400 * DAY_MS,
      interceptorLogsMs: 20 * DAY_MS,
      webhookDeliveriesMs: 5 * DAY_MS,
    });
    await db.transaction(async (tx) => {
      for (const id of ['env_1', 'env_2']) {
        await tx.insertInto('environments').values({ id, name: id, created_at: 1 }).execute();
      }
    });
  });

  const execution = (id: string, ageMs: number, environmentId = 'env_1') => ({
    id,
    environment_id: environmentId,
    tool_name: 'websearch_search',
    connected_account_id: null,
    source: 'api' as const,
    status: 'ok' as const,
    error_code: null,
    duration_ms: 1,
    at: clock.now() - ageMs,
  });

  /** ca_1 of env_1. */
  const insertAccount = async (tx: WriteTransaction): Promise<void> => {
    await tx
      .insertInto('connections')
      .values({
        id: 'conn_1',
        environment_id: 'env_1',
        name: 'websearch',
        connector: 'websearch',
        authorization_type: 'API_KEY',
        client_id: null,
        client_secret_sealed: null,
        scopes: '[]',
        params: '{}',
        overrides: '{}',
        post_user_verify_redirect_url: null,
        managed_by: 'catalog',
        created_at: 1,
        updated_at: 1,
      })
      .execute();
    await tx
      .insertInto('accounts')
      .values({
        id: 'ca_1',
        environment_id: 'env_1',
        connection_id: 'conn_1',
        organization_id: '',
        user_id: 'u',
        identifier: 'u',
        status: 'PENDING_AUTH',
        credentials_sealed: null,
        token_expires_at: null,
        api_config: '{}',
        generation: 0,
        lease_owner: null,
        lease_until: null,
        refresh_state: 'idle',
        failed_until: null,
        failed_attempts: 0,
        refusals: 0,
        last_used_at: null,
        created_at: 1,
        updated_at: 1,
      })
      .execute();
  };

  it('removes executions older than the retention setting, in every environment', async () => {
    await db.transaction(async (tx) => {
      const rows = [
        execution('exe_old', 30 * DAY_MS + 1),
        execution('exe_kept', 30 * DAY_MS),
        execution('exe_old_too', 90 * DAY_MS, 'env_2'),
      ];
      await tx.insertInto('executions').values(rows).execute();
    });
    expect(await retention.run()).toEqual({
      executions: 2,
      executionSums: 0,
      links: 0,
      oauthFlows: 0,
      authRequests: 0,
      revokedTokens: 0,
      credentialSecrets: 0,
      interceptorLogs: 0,
      webhookDeliveries: 0,
      signingSecrets: 0,
      idempotencyKeys: 0,
      emailCodes: 0,
      signInFlows: 0,
      sessions: 0,
      authorizationArtifacts: 0,
    });
    expect(await db.read.selectFrom('executions').select('id').execute()).toEqual([{ id: 'exe_kept' }]);
    expect((await retention.run()).executions).toBe(0);
  });

  it('removes the sums of an hour after their own setting, and leaves others', async () => {
    const hour = (ageMs: number): number => clock.now() - (clock.now() % 3_600_000) - ageMs;
    await db.transaction(async (tx) => {
      const ended = [400 * DAY_MS + 3_600_000, 400 * DAY_MS - 3_600_000].flatMap((ageMs) =>
        ['env_1', 'env_2'].flatMap((environment_id) =>
          ['crm', 'mail', 'notes'].map((connector) =>
            executionRow({ environment_id, connector, at: hour(ageMs) }),
          ),
        ),
      );
      await addToSums(tx, ended, { dialect: db.dialect, part: 1 });
    });
    expect((await retention.run()).executionSums).toBe(6);
    const kept = await db.read.selectFrom('execution_sums').select('hour').execute();
    expect(kept.map((row) => row.hour)).toEqual(Array<number>(6).fill(hour(400 * DAY_MS - 3_600_000)));
  });

  it('removes the log of interceptors by its retention setting, and keeps the interceptors', async () => {
    const line = (id: string, environment: string, ageMs: number) => ({
      id,
      environment_id: environment,
      interceptor_id: `icp_of_${environment}`,
      at: clock.now() - ageMs,
      trigger_point: 'PRE_SIGNUP' as const,
      request: '{}',
      response_status: 200,
      response_body: '{}',
      failure: null,
      decision: 'ALLOW' as const,
      duration_ms: 1,
    });
    await db.transaction(async (tx) => {
      for (const environment of ['env_1', 'env_2']) {
        await tx
          .insertInto('interceptors')
          .values({
            id: `icp_of_${environment}`,
            environment_id: environment,
            name: 'a',
            trigger_point: 'PRE_SIGNUP',
            endpoint: 'https://hooks.example.test/',
            timeout_ms: 5000,
            fallback: 'block',
            enabled: 1,
            managed_by: 'operator',
            created_at: 1,
            updated_at: 1,
          })
          .execute();
      }
      await tx
        .insertInto('interceptor_logs')
        .values([
          line('evt_old', 'env_1', 20 * DAY_MS + 1),
          line('evt_kept', 'env_1', 20 * DAY_MS),
          line('evt_other', 'env_2', 90 * DAY_MS),
        ])
        .execute();
    });
    expect(await retention.run()).toMatchObject({ interceptorLogs: 2 });
    expect(await db.read.selectFrom('interceptor_logs').select('id').execute()).toEqual([{ id: 'evt_kept' }]);
    expect(await db.read.selectFrom('interceptors').select('id').execute()).toHaveLength(2);
  });

  it('removes more rows than fit in one batch', async () => {
    await db.transaction(async (tx) => {
      const rows = Array.from({ length: 450 }, (_, n) => execution(`exe_${n}`, 31 * DAY_MS));
      await tx.insertInto('executions').values(rows).execute();
    });
    expect((await retention.run()).executions).toBe(450);
  });

  it('stops after a batch when the process ends', async () => {
    await db.transaction(async (tx) => {
      const rows = Array.from({ length: 450 }, (_, n) => execution(`exe_${n}`, 31 * DAY_MS));
      await tx.insertInto('executions').values(rows).execute();
    });
    expect((await retention.run(AbortSignal.abort())).executions).toBe(0);
  });

  /** The database, and the number of executions that each transaction removed. */
  const watched = (afterEach: () => void = () => {}): { removed: number[]; retention: Retention } => {
    const removed: number[] = [];
    const count = async (): Promise<number> =>
      (await db.read.selectFrom('executions').select('id').execute()).length;
    const database: Database = {
      dialect: db.dialect,
      read: db.read,
      longRead: db.longRead,
      version: () => db.version(),
      transaction: async (work) => {
        const before = await count();
        const result = await db.transaction(work);
        removed.push(before - (await count()));
        afterEach();
        return result;
      },
      close: async () => {},
    };
    const times = {
      executionsMs: DAY_MS,
      summariesMs: 400 * DAY_MS,
      interceptorLogsMs: DAY_MS,
      webhookDeliveriesMs: DAY_MS,
    };
    return { removed, retention: new Retention(database, new RateLimiter(db, clock), clock, times) };
  };

  it('removes at most 25 rows in a transaction, so that others wait for milliseconds', async () => {
    await db.transaction(async (tx) => {
      const rows = Array.from({ length: 60 }, (_, n) => execution(`exe_${n}`, 31 * DAY_MS - n));
      await tx.insertInto('executions').values(rows).execute();
    });
    const { removed, retention } = watched();
    await retention.run();
    expect(removed).toEqual([25, 25, 10]);
  });

  it('ends with the transaction that runs when the process ends', async () => {
    await db.transaction(async (tx) => {
      const rows = Array.from({ length: 60 }, (_, n) => execution(`exe_${n}`, 31 * DAY_MS - n));
      await tx.insertInto('executions').values(rows).execute();
    });
    const ending = new AbortController();
    const { removed, retention } = watched(() => ending.abort());
    expect((await retention.run(ending.signal)).executions).toBe(25);
    expect(removed).toEqual([25]);
  });

  it('removes old rate windows in ranges of their keys, and keeps running ones', async () => {
    const row = (n: number) => ({
      key: `env_1:ca_${String(n).padStart(4, '0')}`,
      points: 1,
      expire: n % 100 === 7 ? Date.now() + 30_000 : 1,
    });
    await db.transaction(async (tx) => {
      for (let start = 0; start < 1_100; start += 100) {
        const windows = Array.from({ length: 100 }, (_, n) => row(start + n));
        await tx.insertInto('rate_windows').values(windows).execute();
      }
    });
    const now = new RateLimiter(db, { now: () => Date.now() });
    const times = {
      executionsMs: DAY_MS,
      summariesMs: 400 * DAY_MS,
      interceptorLogsMs: DAY_MS,
      webhookDeliveriesMs: DAY_MS,
    };
    await new Retention(db, now, clock, times).run();
    const kept = await db.read.selectFrom('rate_windows').select('key').orderBy('key').execute();
    expect(kept.map(({ key }) => key.slice(-2))).toEqual(Array(11).fill('07'));
  });

  it('removes links and auth requests a week after their end, never an open auth request', async () => {
    const now = clock.now();
    await db.transaction(async (tx) => {
      await insertAccount(tx);
      const link = {
        environment_id: 'env_1',
        account_id: 'ca_1',
        verification: 'app' as const,
        user_verify_url: null,
        caller_state: null,
        scopes: '[]',
        created_by: 'cred_1',
        created_at: 1,
        completed_at: null,
        trials: 0,
      };
      await tx
        .insertInto('links')
        .values([
          { ...link, id: 'lnk_old', token_hash: 'a', expires_at: now - 7 * DAY_MS - 1 },
          { ...link, id: 'lnk_recent', token_hash: 'b', expires_at: now - 7 * DAY_MS },
        ])
        .execute();
      const request = {
        environment_id: 'env_1',
        account_id: 'ca_1',
        link_id: 'lnk_old',
        identifier: 'u',
        waiting_sealed: null,
        waiting_expires_at: null,
        waiting_api_config: '{}',
        status_before: 'PENDING_AUTH' as const,
        wrong_identifiers: 0,
        created_at: 1,
        expires_at: 2,
      };
      await tx
        .insertInto('auth_requests')
        .values([
          {
            ...request,
            id: 'arq_old',
            token_hash: 'a',
            ended_at: now - 7 * DAY_MS - 1,
            ended_by: 'verified' as const,
          },
          { ...request, id: 'arq_recent', token_hash: 'b', ended_at: now - 7 * DAY_MS, ended_by: 'expired' },
          { ...request, id: 'arq_open', token_hash: 'c', ended_at: null, ended_by: null },
        ])
        .execute();
    });
    expect(await retention.run()).toMatchObject({ links: 1, authRequests: 1 });
    expect(await db.read.selectFrom('links').select('id').execute()).toEqual([{ id: 'lnk_recent' }]);
    expect(await db.read.selectFrom('auth_requests').select('id').orderBy('id').execute()).toEqual([
      { id: 'arq_open' },
      { id: 'arq_recent' },
    ]);
  });

  it('removes revocations of expired tokens, ended secrets and old rate windows', async () => {
    const now = clock.now();
    await db.transaction(async (tx) => {
      await tx
        .insertInto('revoked_tokens')
        .values([
          { environment_id: 'env_1', token_id: 'past', expires_at: now - 1 },
          { environment_id: 'env_1', token_id: 'future', expires_at: now },
        ])
        .execute();
      const credential = { name: 'n', client_id: 'c', organization_id: '', scopes: '', created_at: 1 };
      await tx
        .insertInto('credentials')
        .values({ ...credential, id: 'cred_1', environment_id: 'env_1' })
        .execute();
      const secret = { environment_id: 'env_1', credential_id: 'cred_1', secret_hash: 'h', created_at: 1 };
      await tx
        .insertInto('credential_secrets')
        .values([
          { ...secret, id: 'key_old', expires_at: now - 8 * DAY_MS },
          { ...secret, id: 'key_live', expires_at: null },
        ])
        .execute();
      await tx.insertInto('rate_windows').values({ key: 'env_1:old', points: 1, expire: 1 }).execute();
    });
    expect(await retention.run()).toMatchObject({ revokedTokens: 1, credentialSecrets: 1 });
    expect(await db.read.selectFrom('revoked_tokens').select('token_id').execute()).toEqual([
      { token_id: 'future' },
    ]);
    expect(await db.read.selectFrom('credential_secrets').select('id').execute()).toEqual([
      { id: 'key_live' },
    ]);
    expect(await db.read.selectFrom('rate_windows').select('key').execute()).toEqual([]);
  });

  it('removes deliveries by their setting: finished ones, and those of a disabled webhook', async () => {
    const now = clock.now();
    const old = now - 5 * DAY_MS - 1;
    await db.transaction(async (tx) => {
      const webhook = {
        environment_id: 'env_1',
        url: 'https://hooks.example.test',
        events: '[]',
        managed_by: 'operator' as const,
        created_at: 1,
        updated_at: 1,
      };
      await tx
        .insertInto('webhooks')
        .values([
          { ...webhook, id: 'whk_on', name: 'on', enabled: 1 },
          { ...webhook, id: 'whk_off', name: 'off', enabled: 0 },
        ])
        .execute();
      const delivery = {
        environment_id: 'env_1',
        webhook_id: 'whk_on',
        event_id: 'evt_1',
        event_type: 'connected_account.created' as const,
        body: '{}',
        attempts: 1,
        next_attempt_at: null,
        taken_until: null,
        last_status: null,
        last_failure: null,
        created_at: old,
      };
      const waiting = { ...delivery, status: 'pending', next_attempt_at: 0, finished_at: null } as const;
      await tx
        .insertInto('webhook_deliveries')
        .values([
          { ...delivery, id: 'whd_delivered', status: 'delivered', finished_at: old },
          { ...delivery, id: 'whd_failed', status: 'failed', finished_at: old },
          { ...delivery, id: 'whd_recent', status: 'failed', finished_at: old + 1 },
          { ...waiting, id: 'whd_waiting' },
          { ...waiting, id: 'whd_held', webhook_id: 'whk_off' },
          { ...waiting, id: 'whd_held_since', webhook_id: 'whk_off', created_at: old + 1 },
        ])
        .execute();
    });
    expect(await retention.run()).toMatchObject({ webhookDeliveries: 3 });
    expect(await db.read.selectFrom('webhook_deliveries').select('id').orderBy('id').execute()).toEqual([
      { id: 'whd_held_since' },
      { id: 'whd_recent' },
      { id: 'whd_waiting' },
    ]);
  });

  it('removes signing secrets a week after rotation ended them, never an active one', async () => {
    const now = clock.now();
    await db.transaction(async (tx) => {
      const secret = { environment_id: 'env_1', secret_sealed: 'sealed', created_at: 1 };
      await tx
        .insertInto('signing_secrets')
        .values([
          { ...secret, id: 'sec_old', expires_at: now - 7 * DAY_MS - 1 },
          { ...secret, id: 'sec_ended', expires_at: now - 7 * DAY_MS },
          { ...secret, id: 'sec_live', expires_at: null },
        ])
        .execute();
    });
    expect(await retention.run()).toMatchObject({ signingSecrets: 1 });
    expect(await db.read.selectFrom('signing_secrets').select('id').orderBy('id').execute()).toEqual([
      { id: 'sec_ended' },
      { id: 'sec_live' },
    ]);
  });

  it('removes outcomes under idempotency keys after a day', async () => {
    const row = {
      environment_id: 'env_1',
      actor: 'cred_1',
      account_id: 'ca_1',
      input_hash: 'i',
      state: 'done' as const,
      lease_owner: null,
      lease_until: null,
      outcome_sealed: 'sealed',
    };
    await db.transaction(async (tx) => {
      await insertAccount(tx);
      await tx
        .insertInto('idempotency_keys')
        .values([
          { ...row, id: 'idk_old', key_hash: 'a', created_at: clock.now() - DAY_MS - 1 },
          { ...row, id: 'idk_kept', key_hash: 'b', created_at: clock.now() - DAY_MS },
        ])
        .execute();
    });
    expect(await retention.run()).toMatchObject({ idempotencyKeys: 1 });
    expect(await db.read.selectFrom('idempotency_keys').select('id').execute()).toEqual([{ id: 'idk_kept' }]);
  });

  it('removes sign-in codes and flows a day after they expired, and sessions a week after their end', async () => {
    const at = (id: string, ageMs: number) => ({
      id,
      environment_id: 'env_1',
      created_at: 1,
      expires_at: clock.now() - ageMs,
    });
    const code = {
      email: 'a@example.test',
      code_hash: 'h',
      browser_hash: 'b',
      ip: '',
      wrong_codes: 0,
      used_at: null,
    };
    const flow = {
      organization_id: 'org_1',
      browser_hash: 'b',
      secrets_sealed: 's',
      next: '/dashboard',
      consumed_at: null,
    };
    const session = {
      kind: 'browser' as const,
      user_id: 'usr_1',
      organization_id: '',
      client_id: '',
      resource: '',
      connection_details: '[]',
      custom_claims: '{}',
      device: '{}',
    };
    const ended = { ...at('ses_ended', -DAY_MS), ended_at: clock.now() - 7 * DAY_MS - 1 };
    await db.transaction(async (tx) => {
      const organization = { id: 'org_1', environment_id: 'env_1', name: 'o', created_at: 1, updated_at: 1 };
      await tx.insertInto('organizations').values(organization).execute();
      const codes = [at('cod_old', DAY_MS + 1), at('cod_kept', DAY_MS)].map((row) => ({ ...row, ...code }));
      await tx.insertInto('email_codes').values(codes).execute();
      const flows = [at('flw_old', DAY_MS + 1), at('flw_kept', DAY_MS)];
      await tx
        .insertInto('sign_in_flows')
        .values(flows.map((row) => ({ ...row, ...flow, state_hash: row.id })))
        .execute();
      const sessions = [
        { ...at('ses_expired', 7 * DAY_MS + 1), ended_at: null },
        { ...at('ses_kept', 7 * DAY_MS), ended_at: clock.now() - 7 * DAY_MS },
        { ...at('ses_live', -DAY_MS), ended_at: null },
        ended,
      ].map((row) => ({ ...row, ...session, token_hash: row.id }));
      await tx.insertInto('sessions').values(sessions).execute();
    });
    expect(await retention.run()).toMatchObject({ emailCodes: 1, signInFlows: 1, sessions: 2 });
    const left = await Promise.all(
      (['email_codes', 'sign_in_flows', 'sessions'] as const).map(async (table) =>
        db.read.selectFrom(table).select('id').orderBy('id').execute(),
      ),
    );
    expect(left.flat().map(({ id }) => id)).toEqual(['cod_kept', 'flw_kept', 'ses_kept', 'ses_live']);
  });

  it('removes artifacts of the authorization server as they expire, used ones a day later', async () => {
    const artifact = (id: string, expiresAt: number | null, consumedAt: number | null = null) => ({
      id,
      environment_id: 'env_1',
      model: 'RefreshToken',
      id_hash: id,
      grant_hash: null,
      uid_hash: null,
      session_id: null,
      payload_sealed: 's',
      created_at: 1,
      expires_at: expiresAt,
      consumed_at: consumedAt,
    });
    await db.transaction(async (tx) => {
      const used = clock.now() - 2 * DAY_MS;
      const rows = [
        artifact('art_expired', clock.now()),
        artifact('art_live', clock.now() + 1),
        artifact('art_used_old', clock.now() - DAY_MS - 1, used),
        artifact('art_used', clock.now() - DAY_MS, used),
        artifact('art_endless', null),
      ];
      await tx.insertInto('authorization_artifacts').values(rows).execute();
    });
    expect(await retention.run()).toMatchObject({ authorizationArtifacts: 2 });
    const left = await db.read.selectFrom('authorization_artifacts').select('id').orderBy('id').execute();
    expect(left).toEqual([{ id: 'art_endless' }, { id: 'art_live' }, { id: 'art_used' }]);
  });

  it('removes used refresh tokens after 7 days, except those that reveal a replay', async () => {
    const token = (
      id: string,
      usedDaysAgo: number | null,
      grant: string | null,
      environmentId = 'env_1',
    ) => ({
      id,
      environment_id: environmentId,
      model: 'RefreshToken',
      id_hash: id,
      grant_hash: grant,
      uid_hash: null,
      session_id: null,
      payload_sealed: 's',
      created_at: 1,
      expires_at: clock.now() + 20 * DAY_MS,
      consumed_at: usedDaysAgo === null ? null : clock.now() - usedDaysAgo * DAY_MS,
    });
    await db.transaction(async (tx) => {
      const rows = [
        token('art_first', 7.001, null),
        token('art_second', 7.001, 'first'),
        token('art_recent', 7, 'second'),
        token('art_unused', null, 'recent'),
        token('art_alone', 30, 'repeated'),
        token('art_rival', null, 'repeated', 'env_2'),
        token('art_used', 30, 'asked_twice'),
        token('art_worthless', null, 'asked_twice'),
      ];
      await tx.insertInto('authorization_artifacts').values(rows).execute();
    });
    expect(await retention.run()).toMatchObject({ authorizationArtifacts: 3 });
    const left = await db.read.selectFrom('authorization_artifacts').select('id').orderBy('id').execute();
    expect(left.map(({ id }) => id)).toEqual([
      'art_recent',
      'art_rival',
      'art_unused',
      'art_used',
      'art_worthless',
    ]);
  });
});
