/** `executions.required`: no call leaves without a stored record. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import { connectedAccount, machine, mcpCaller, testServices, type Services } from '../support/services.ts';

let services: Services;
let lost: number;

beforeEach(async () => {
  lost = 0;
  services = await testServices({ areRecordsRequired: true, onLostRecords: (count) => (lost += count) });
  await connectedAccount(services);
});

const call = async (caller: Caller = machine) =>
  services.executor.execute({
    caller,
    toolName: 'notes_search',
    input: { query: 'x' },
    account: { connection: 'notes', identifier: 'u1', userId: 'u1' },
  });

const stored = async (): Promise<unknown[][]> => {
  const rows = await services.db.read.selectFrom('executions').selectAll().orderBy('id').execute();
  return rows.map(({ status, error_code: code, duration_ms: ms }) => [status, code, ms]);
};

/** What the database refuses from now on, as a disk that has just become full. */
async function refuse(statement: 'insert' | 'delete'): Promise<void> {
  await services.db.transaction(async (tx) =>
    sql
      .raw(
        `create trigger no_room before ${statement} on executions begin select raise(abort, 'no room'); end`,
      )
      .execute(tx),
  );
}

describe('required record of a call', () => {
  it.each([
    ['over REST', machine],
    ['over MCP', mcpCaller('u1')],
  ])('remains the only one of a call %s', async (_how, caller) => {
    await call(caller);
    await services.executor.recorded();
    expect(await stored()).toEqual([['ok', null, 0]]);
  });

  it('keeps the call from being sent if it cannot be stored', async () => {
    await refuse('insert');
    await expect(call()).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    await expect(call(mcpCaller('u1'))).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 });
    expect(services.sent).toEqual([]);
    expect(lost).toBe(0);
  });

  it('stays, without the outcome, if the disk fills while the provider works', async () => {
    await refuse('delete');
    await call();
    expect(services.sent).toHaveLength(1);
    expect(await stored()).toEqual([['error', 'UNAVAILABLE', 0]]);
    expect(lost).toBe(1);
  });

  it('stores how a refused call ended', async () => {
    const { id } = await services.db.read.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
    await services.disconnection.disconnect(machine, id);
    await expect(call()).rejects.toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
    expect(await stored()).toEqual([['error', 'CONNECTED_ACCOUNT_NOT_ACTIVE', 0]]);
  });

  it('costs a call nothing where it is not required', async () => {
    services = await testServices({ onLostRecords: (count) => (lost += count) });
    await connectedAccount(services);
    await refuse('insert');
    await call();
    expect([services.sent.length, lost]).toEqual([1, 1]);
  });
});
