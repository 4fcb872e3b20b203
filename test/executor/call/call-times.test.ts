/** What the record of a call says of its attempts and renewals, for tools and proxied requests. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProxyCall } from '../../../src/executor/proxy/proxy.ts';
import { callLedger, ledgerAccount, ledgerServices } from '../../credentials/refresh/ledger.ts';
import { tokenFailure } from '../../support/fake-token-endpoint.ts';
import { answer, machine, type Services } from '../../support/services.ts';

let services: Services;
let id: string;
beforeEach(async () => {
  services = await ledgerServices();
  id = await ledgerAccount(services);
});

async function recorded() {
  await services.executor.recorded();
  return services.db.read
    .selectFrom('executions')
    .select(['status', 'attempts', 'renewals'])
    .orderBy('id')
    .execute();
}

describe('record of a call', () => {
  it('says that one request was enough', async () => {
    await callLedger(services, id);
    expect(await recorded()).toEqual([{ status: 'ok', attempts: 1, renewals: 0 }]);
  });

  it('counts the renewal of a credential that had ended', async () => {
    services.clock.advance(3_600_000);
    await callLedger(services, id);
    expect(await recorded()).toEqual([{ status: 'ok', attempts: 1, renewals: 1 }]);
  });

  it('counts the request that a refused credential repeats, and the renewal between', async () => {
    services.answers.push(answer(401, {}));
    await callLedger(services, id);
    expect(await recorded()).toEqual([{ status: 'ok', attempts: 2, renewals: 1 }]);
  });

  it('counts no request if there is no credential to send one with', async () => {
    services.clock.advance(3_600_000);
    services.tokens.answers.push(tokenFailure('temporary'));
    await expect(callLedger(services, id)).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    expect(await recorded()).toEqual([{ status: 'error', attempts: 0, renewals: 0 }]);
  });

  it('counts the requests of the proxy too', async () => {
    services.answers.push(answer(401, {}));
    const call: ProxyCall = {
      caller: { ...machine, source: 'proxy' },
      account: { id },
      method: 'GET',
      path: '/entries',
      query: '',
      headers: {},
    };
    await services.executor.proxy(call);
    expect(await recorded()).toEqual([{ status: 'ok', attempts: 2, renewals: 1 }]);
  });
});
