/** Tools under an idempotency key, from the caller to the requests that the provider gets. */
import { beforeEach, describe, expect, it } from 'vitest';
import { connectedAccount, answer, machine, testServices, type Services } from '../../support/services.ts';
import { callLedger, ledgerAccount, ledgerServices, setColumns } from '../../credentials/refresh/ledger.ts';
import type { ToolHandler } from '../../../src/catalog/model/types.ts';
import { until } from '../../support/manual-timers.ts';

const pair: ToolHandler = {
  call: async ({ http }) => {
    const send = async () =>
      http.send({ method: 'POST', host: 0, path: '/x', query: [], headers: {}, body: {} });
    return [await send(), await send()];
  },
};

let services: Services;
let id: string;
beforeEach(async () => {
  services = await ledgerServices({ handlers: new Map([['ledger/pair', pair]]) });
  id = await ledgerAccount(services);
});

const held = async () => services.db.read.selectFrom('idempotency_keys').select('id').execute();

const create = async (idempotencyKey: string | undefined = 'k', toolName = 'ledger_create') =>
  services.executor.execute({
    caller: machine,
    toolName,
    input: {},
    account: { id },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });

describe('tool call with an idempotency key', () => {
  it('sends the request once and repeats the same answer', async () => {
    services.answers.push(answer(201, { made: true }));
    const first = await create();
    expect(first).toMatchObject({ data: { made: true }, isReplay: false });
    expect(await create()).toEqual({ ...first, isReplay: true });
    expect(services.sent).toHaveLength(1);
  });

  it('sends the request each time without an idempotency key', async () => {
    for (let n = 0; n < 2; n++) await callLedger(services, id, { toolName: 'ledger_create' });
    expect(services.sent).toHaveLength(2);
  });

  it.each([400, 409, 429, 500, 503])('stores a refusal of the provider: %i', async (status) => {
    services.answers.push(answer(status, { error: 'no' }));
    const failed = await create().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'TOOL_ERROR', isReplay: false });
    const again = await create().catch((error: unknown) => error);
    expect(again).toMatchObject({
      code: 'TOOL_ERROR',
      isReplay: true,
      status: (failed as { status: number }).status,
      message: (failed as Error).message,
      details: (failed as { details: object }).details,
    });
    expect(services.sent).toHaveLength(1);
  });

  it('stores several requests of one tool as a whole', async () => {
    services.answers.push(answer(200, 1), answer(200, 2));
    expect((await create('k', 'ledger_pair')).data).toEqual([1, 2]);
    expect((await create('k', 'ledger_pair')).data).toEqual([1, 2]);
    expect(services.sent).toHaveLength(2);
  });

  it('does not restart a call that failed half-way', async () => {
    services.answers.push(answer(200, 1), answer(500, { error: 'no' }));
    await expect(create('k', 'ledger_pair')).rejects.toMatchObject({ status: 502 });
    await expect(create('k', 'ledger_pair')).rejects.toMatchObject({ status: 502, isReplay: true });
    expect(services.sent).toHaveLength(2);
  });

  it('stores no refusal of Gatehouse itself: once the account is connected the same call is made', async () => {
    await setColumns(services, id, { status: 'EXPIRED' });
    await expect(create()).rejects.toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
    await setColumns(services, id, { status: 'ACTIVE' });
    expect(await create()).toMatchObject({ isReplay: false });
  });

  it('continues when its caller disconnects, and a retry finds the outcome', async () => {
    const leaving = new AbortController();
    const call = services.executor.execute({
      caller: machine,
      toolName: 'ledger_create',
      input: {},
      account: { id },
      idempotencyKey: 'k',
      signal: leaving.signal,
    });
    leaving.abort();
    await call;
    expect(services.sent[0]?.signal).toBeUndefined();
    expect(await create()).toMatchObject({ isReplay: true });
  });

  it('records a call that another process took over as not available, and answers the other outcome', async () => {
    const gate = Promise.withResolvers<void>();
    const slow: ToolHandler = {
      call: async ({ http }) => {
        await gate.promise;
        return http.send({ method: 'POST', host: 0, path: '/x', query: [], headers: {}, body: {} });
      },
    };
    const { db, vault, clock } = services;
    services = await ledgerServices({ db, vault, clock, handlers: new Map([['ledger/pair', slow]]) });
    const other = await ledgerServices({ db, vault, clock, handlers: new Map([['ledger/pair', pair]]) });
    other.answers.push(answer(200, 1), answer(200, 2));
    const late = create('k', 'ledger_pair');
    await until(async () => (await held()).length === 1);
    await db.transaction(async (tx) =>
      tx.updateTable('idempotency_keys').set({ lease_until: 1_000 }).execute(),
    );
    const call = { caller: machine, toolName: 'ledger_pair', input: {}, account: { id } };
    await other.executor.execute({ ...call, idempotencyKey: 'k' });
    gate.resolve();
    expect(await late).toMatchObject({ data: [1, 2], isReplay: true });
    expect(services.sent).toEqual([]);
    await services.executor.recorded();
    await other.executor.recorded();
    const recorded = await db.read.selectFrom('executions').select('error_code').execute();
    expect(new Set(recorded.map(({ error_code }) => error_code))).toEqual(new Set([null, 'UNAVAILABLE']));
  });

  it('records the execution only once', async () => {
    await create();
    await create();
    await services.executor.recorded();
    expect(await services.db.read.selectFrom('executions').select('tool_name').execute()).toEqual([
      { tool_name: 'ledger_create' },
    ]);
  });

  it('counts only once in rate limits', async () => {
    services = await testServices();
    const account = { id: (await connectedAccount(services)).id };
    const limited = async (idempotencyKey: string) =>
      services.executor.execute({
        caller: machine,
        toolName: 'notes_limited',
        input: { query: 'x' },
        account,
        idempotencyKey,
      });
    await limited('a');
    await limited('a');
    await limited('b');
    await expect(limited('c')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await limited('a')).toMatchObject({ isReplay: true });
    expect(services.sent).toHaveLength(2);
  });
});
