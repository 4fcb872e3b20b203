/**
 * What a provider's 401 leads to: one renewal, one repeat of the refused request, and no loop
 * (docs/security.md#temporary-failures, docs/security.md#writes-not-repeated).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountNotActive } from '../../../src/accounts/not-active.ts';
import type { ToolHandler } from '../../../src/catalog/model/types.ts';
import { refusalStatus } from '../../../src/connectors/provider-call.ts';
import type { ServiceError } from '../../../src/core/errors.ts';
import {
  callLedger,
  ledgerAccount,
  ledgerServices,
  ledgerUse,
  rowOf,
  storedAccount,
  sentTokens,
  setColumns,
  storedToken,
} from '../../credentials/refresh/ledger.ts';
import { tokenFailure } from '../../support/fake-token-endpoint.ts';
import { answer, machine, type Services } from '../../support/services.ts';

const refused = () => answer(401, { error: 'bad token' });
const made = () => answer(200, { made: true });

/** Two requests, one after the other or at once. */
const pair: ToolHandler = {
  call: async ({ http }) => {
    const request = (path: string) =>
      http.send({ method: 'POST', host: 0, path, query: [], headers: {}, body: {} });
    return Promise.all([request('/first'), request('/second')]);
  },
};

const inOrder: ToolHandler = {
  call: async ({ http }) => {
    const request = (path: string) =>
      http.send({ method: 'POST', host: 0, path, query: [], headers: {}, body: {} });
    return [await request('/first'), await request('/second'), await request('/third')];
  },
};

let services: Services;
let id: string;
beforeEach(async () => {
  services = await ledgerServices();
  id = await ledgerAccount(services);
});

const call = async (toolName = 'ledger_list', by = services) => callLedger(by, id, { toolName });
const status = async () => (await rowOf(services, id)).status;
const paths = (by: Services) => by.sent.map(({ url }) => url.pathname);

describe('401 from the provider with a renewable token', () => {
  it.each(['ledger_list', 'ledger_create'])(
    'renews the access token and retries the request once: %s',
    async (tool) => {
      services.answers.push(refused(), made());
      expect((await call(tool)).data).toEqual({ made: true });
      expect(sentTokens(services)).toEqual(['at-0', 'at-1']);
      expect(services.sent[1]).toMatchObject({
        method: services.sent[0]?.method,
        url: services.sent[0]?.url,
      });
      expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    },
  );

  it('ends with an error when the provider refuses the new token too, and the account stays active', async () => {
    for (let round = 0; round < 3; round++) {
      services.answers.push(refused(), refused());
      await expect(call()).rejects.toMatchObject({
        code: 'TOOL_ERROR',
        status: 502,
        toolError: { provider_status: 401 },
      });
    }
    expect(services.sent).toHaveLength(6);
    expect(services.tokens.presented('refresh')).toHaveLength(3);
    expect(await rowOf(services, id)).toMatchObject({ status: 'ACTIVE', refusals: 0 });
  });

  it('renews at most ten times a minute for a provider that refuses everything', async () => {
    for (let round = 0; round < 15; round++) {
      services.answers.push(refused(), ...(round < 10 ? [refused()] : []));
      await expect(call()).rejects.toMatchObject({ toolError: { provider_status: 401 } });
    }
    expect(services.tokens.presented('refresh')).toHaveLength(10);
    expect(services.sent).toHaveLength(25);
    services.clock.advance(60_000);
    services.answers.push(refused(), made());
    await call();
    expect(services.tokens.presented('refresh')).toHaveLength(11);
  });

  it('renews the access token once for many refused calls', async () => {
    services.answers.push(...Array.from({ length: 50 }, refused));
    await Promise.all(Array.from({ length: 50 }, async () => call()));
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    expect(sentTokens(services).filter((token) => token === 'at-1')).toHaveLength(50);
  });

  it('uses a newer token that another process has stored, without a renewal', async () => {
    services.answers.push(refused());
    services.answers.push(made());
    const renewing = services.credentials.renewedNow(await storedAccount(services, id), ledgerUse());
    await Promise.all([call(), renewing]);
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
    expect(sentTokens(services)).toEqual(['at-0', 'at-1']);
  });

  it('expires the account after a revoked grant and answers 200 calls with a link, by one token request', async () => {
    services.tokens.answers.push(tokenFailure('invalid_grant'));
    services.answers.push(...Array.from({ length: 200 }, refused));
    const calls = Array.from({ length: 200 }, async () => call().catch((error: unknown) => error));
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(AccountNotActive);
      expect((error as AccountNotActive).account.status).toBe('EXPIRED');
      expect((error as AccountNotActive).connect).toHaveProperty('link');
    }
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('keeps the account connected where the renewal fails temporarily', async () => {
    services.answers.push(refused());
    services.tokens.answers.push(tokenFailure('temporary', { status: 503 }));
    await expect(call()).rejects.toMatchObject({
      status: 502,
      toolError: {
        code: 'TOKEN_REFRESH_FAILED',
        retry_after: 1,
        execution_id: expect.stringMatching(/^exe_/),
      },
    });
    expect(await rowOf(services, id)).toMatchObject({ status: 'ACTIVE', refusals: 0 });
    expect(services.sent).toHaveLength(1);
  });

  it("gives the renewal its own time, and the retry the rest of the tool's time", async () => {
    services.answers.push(refused());
    services.tokens.answers.push(async () => {
      services.clock.advance(25_000);
      return {};
    });
    await call();
    expect(services.sent.map(({ totalTimeoutMs }) => totalTimeoutMs)).toEqual([30_000, 30_000]);
  });

  it('renews a token with an unknown expiry too', async () => {
    await setColumns(services, id, { token_expires_at: null });
    services.answers.push(refused());
    await call();
    expect(sentTokens(services)).toEqual(['at-0', 'at-1']);
  });

  it('renews once also where the provider issues the same access token again', async () => {
    services.clock.advance(1_000);
    services.answers.push(refused(), refused());
    services.tokens.answers.push({ accessToken: 'at-0', refreshToken: undefined });
    await expect(call()).rejects.toMatchObject({ toolError: { provider_status: 401 } });
    expect(await storedToken(services, id)).toEqual({ access_token: 'at-0', refresh_token: 'rt-0' });
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('renews when only the stored scopes changed meanwhile', async () => {
    const old = await services.credentials.fresh(await storedAccount(services, id), ledgerUse());
    await services.accounts.update(machine, {
      id,
      connected_account: { authorization_details: { oauth_token: { scopes: ['read'] } } },
    });
    const newer = await services.credentials.afterRefusal(old, ledgerUse());
    expect(newer?.headers).toEqual({ authorization: 'Bearer at-1' });
  });
});

describe('401 from the provider for a tool with several requests', () => {
  it('retries only the refused request, and continues with the new token', async () => {
    services = await ledgerServices({ handlers: new Map([['ledger/pair', inOrder]]) });
    id = await ledgerAccount(services);
    services.answers.push(made(), refused(), made(), made());
    await call('ledger_pair', services);
    expect(paths(services)).toEqual(['/first', '/second', '/second', '/third']);
    expect(sentTokens(services)).toEqual(['at-0', 'at-0', 'at-1', 'at-1']);
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('does not count the renewal in the time of the tool, also for two refusals at once', async () => {
    const times = async (handler: ToolHandler, answers: ReturnType<typeof answer>[]) => {
      services = await ledgerServices({ handlers: new Map([['ledger/pair', handler]]) });
      id = await ledgerAccount(services);
      services.answers.push(...answers);
      services.tokens.answers.push(async () => {
        services.clock.advance(35_000);
        return {};
      });
      await call('ledger_pair', services);
      return services.sent.map(({ totalTimeoutMs }) => totalTimeoutMs);
    };
    expect(await times(inOrder, [refused()])).toEqual([30_000, 30_000, 30_000, 30_000]);
    expect(await times(pair, [refused(), refused()])).toEqual([30_000, 30_000, 30_000, 30_000]);
  });

  it('does not report a failed renewal as an answer of the API, whatever the status of the token endpoint', async () => {
    const lookUp: ToolHandler = {
      call: async ({ http }) => {
        try {
          return await http.send({ method: 'GET', host: 0, path: '/entry', query: [], headers: {} });
        } catch (error) {
          if (refusalStatus(error) === 404) return { isGone: true };
          throw error;
        }
      },
    };
    services = await ledgerServices({ handlers: new Map([['ledger/pair', lookUp]]) });
    id = await ledgerAccount(services);
    services.answers.push(refused());
    services.tokens.answers.push(tokenFailure('refused', { status: 404 }));
    await expect(call('ledger_pair', services)).rejects.toMatchObject({
      toolError: { code: 'TOKEN_REFRESH_FAILED', provider_status: 404 },
    });
  });

  it('does not renew twice in one call', async () => {
    services = await ledgerServices({ handlers: new Map([['ledger/pair', inOrder]]) });
    id = await ledgerAccount(services);
    services.answers.push(refused(), made(), refused());
    await expect(call('ledger_pair', services)).rejects.toMatchObject({
      toolError: { provider_status: 401 },
    });
    expect(paths(services)).toEqual(['/first', '/first', '/second']);
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });

  it('retries each of two refused requests, with one renewal', async () => {
    services = await ledgerServices({ handlers: new Map([['ledger/pair', pair]]) });
    id = await ledgerAccount(services);
    services.answers.push(refused(), refused());
    await call('ledger_pair', services);
    expect(paths(services).toSorted()).toEqual(['/first', '/first', '/second', '/second']);
    expect(sentTokens(services)).toEqual(['at-0', 'at-0', 'at-1', 'at-1']);
    expect(services.tokens.presented('refresh')).toEqual(['rt-0']);
  });
});

describe('401 from the provider with a token that cannot be renewed', () => {
  beforeEach(async () => {
    services = await ledgerServices({ rules: { refresh_tokens: false } });
    id = await ledgerAccount(services, { access_token: 'for-ever' }, { expiresInMs: null });
  });

  it('expires an account without expiry at the second refused call in a row, with a link', async () => {
    services.clock.advance(365 * 86_400_000);
    await call();
    services.answers.push(refused(), refused());
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_ERROR', toolError: { provider_status: 401 } });
    expect(await status()).toBe('ACTIVE');
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AccountNotActive);
    expect((error as ServiceError).details).toMatchObject({
      status: 'EXPIRED',
      authorization_link: expect.stringContaining('/connect/'),
    });
    expect(services.sent).toHaveLength(3);
    expect(services.tokens.requests).toEqual([]);
  });

  it('answers every further refused call with a link', async () => {
    services.answers.push(...Array.from({ length: 10 }, refused));
    const calls = Array.from({ length: 10 }, async () => call().catch((thrown: unknown) => thrown));
    const ended = (await Promise.all(calls)).filter((error) => error instanceof AccountNotActive);
    expect(ended.map(({ connect }) => 'link' in connect)).toEqual(Array.from({ length: 9 }, () => true));
    expect((await services.accounts.events(machine, id)).map(({ to }) => to)).toEqual(['ACTIVE', 'EXPIRED']);
  });

  it('resets the count after a successful call in between', async () => {
    services.answers.push(refused(), made(), refused());
    await call().catch(() => {});
    await call();
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    expect(await status()).toBe('ACTIVE');
  });

  it('uses the credential that the owner has connected meanwhile', async () => {
    const before = await storedAccount(services, id);
    await services.accounts.update(machine, {
      id,
      connected_account: { authorization_details: { oauth_token: { access_token: 'newer' } } },
    });
    const use = ledgerUse();
    const old = await services.credentials.fresh(before, use);
    expect(old.headers).toEqual({ authorization: 'Bearer for-ever' });
    const newer = await services.credentials.afterRefusal(old, use);
    expect(newer?.headers).toEqual({ authorization: 'Bearer newer' });
    expect(await services.credentials.afterRefusal(newer ?? old, use)).toBeUndefined();
  });
});
