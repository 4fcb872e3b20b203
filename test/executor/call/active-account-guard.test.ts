/** Refusals of a credential other than a plain 401, which a renewal fixes: each leads its owner to a link. */
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/catalog/model/types.ts';
import type { ServiceError } from '../../../src/core/errors.ts';
import { toolErrorResult } from '../../../src/mcp/tool-error.ts';
import { silentLog } from '../../../src/core/log.ts';
import {
  callLedger,
  ledgerAccount,
  ledgerCatalog,
  ledgerServices,
  rowOf,
  sentTokens,
} from '../../credentials/refresh/ledger.ts';
import { tokenFailure } from '../../support/fake-token-endpoint.ts';
import { answer, machine, type Services } from '../../support/services.ts';

const refused = () => answer(401, { error: 'bad token' });
const inactive = () => answer(200, { active: false });
const good = () => answer(200, { active: true });

const caught = async (call: Promise<unknown>) => call.then(undefined, (error: ServiceError) => error);

/** The ledger, whose answers may say that the credential is dead. */
function catalog(refreshTokens: boolean): Catalog {
  const { connectors, tools } = ledgerCatalog({ refresh_tokens: refreshTokens });
  const changed = [...connectors].map(([name, connector]) => {
    const errors = { ...connector.errors, refused_answer: { active: false } };
    return [name, { ...connector, errors }] as const;
  });
  return { connectors: new Map(changed), tools };
}

describe('credential that is refused after its renewal (401)', () => {
  async function refusedTwice(services: Services, id: string): Promise<ServiceError | undefined> {
    services.answers.push(refused(), refused());
    return (await caught(callLedger(services, id))) as ServiceError | undefined;
  }

  it('answers with a link and keeps the account active', async () => {
    const services = await ledgerServices();
    const id = await ledgerAccount(services);
    const error = await refusedTwice(services, id);
    expect(error).toMatchObject({
      code: 'TOOL_ERROR',
      status: 502,
      message:
        'Ledger refuses the credential of this account, also after it was renewed (401). If calling again a little later does not help, the owner of the account connects it again by opening the authorization link.',
      details: {
        tool_error: { provider_status: 401 },
        connected_account_id: id,
        authorization_link: expect.stringContaining('http://127.0.0.1:3000/connect/') as unknown,
        expiry: expect.any(String) as unknown,
      },
    });
    expect(await rowOf(services, id)).toMatchObject({ status: 'ACTIVE', refusals: 0 });
  });

  it('gives a model the link as text', async () => {
    const services = await ledgerServices();
    const error = await refusedTwice(services, await ledgerAccount(services));
    const failed = { toolName: 'ledger_list', environmentId: 'env_test', log: silentLog };
    const [, last] = toolErrorResult(error, failed).content as { text: string }[];
    expect(last!.text).toContain('Ask the user to open this link and finish there: http://127.0.0.1:3000/');
  });

  it('names the missing setting of the operator where no link can be made', async () => {
    const services = await ledgerServices({ environment: { userVerifyUrl: undefined } });
    const error = await refusedTwice(services, await ledgerAccount(services));
    expect(error!.message).toContain('user_verify_url');
    expect(error!.details).not.toHaveProperty('authorization_link');
  });

  it('does not blame the account when the token endpoint refuses the client of the operator', async () => {
    const services = await ledgerServices();
    const id = await ledgerAccount(services);
    services.answers.push(refused());
    services.tokens.answers.push(tokenFailure('refused', { status: 401 }));
    const error = (await caught(callLedger(services, id))) as ServiceError;
    expect(error.details).not.toHaveProperty('authorization_link');
    expect(error.details).toMatchObject({ tool_error: { code: 'TOKEN_REFRESH_FAILED' } });
  });
});

describe('answer 200 that means a dead credential', () => {
  it('renews a credential that can be renewed, and retries the request', async () => {
    const services = await ledgerServices({ catalog: catalog(true) });
    const id = await ledgerAccount(services);
    services.answers.push(inactive(), good());
    expect((await callLedger(services, id)).data).toEqual({ active: true });
    expect(sentTokens(services)).toEqual(['at-0', 'at-1']);
  });

  it('expires an account without renewal at the second such call in a row, with a link', async () => {
    const services = await ledgerServices({ catalog: catalog(false) });
    const id = await ledgerAccount(services, { access_token: 'for-ever' }, { expiresInMs: null });
    services.answers.push(inactive(), inactive());
    expect(await caught(callLedger(services, id))).toMatchObject({
      code: 'TOOL_ERROR',
      status: 502,
      toolError: { code: 'CREDENTIAL_REFUSED', provider_body: { active: false } },
    });
    expect((await rowOf(services, id)).status).toBe('ACTIVE');
    expect(await caught(callLedger(services, id))).toMatchObject({
      code: 'CONNECTED_ACCOUNT_NOT_ACTIVE',
      details: { status: 'EXPIRED', authorization_link: expect.stringContaining('/connect/') as unknown },
    });
    expect((await rowOf(services, id)).status).toBe('EXPIRED');
  });

  it('resets the count after a successful call in between', async () => {
    const services = await ledgerServices({ catalog: catalog(false) });
    const id = await ledgerAccount(services, { access_token: 'for-ever' }, { expiresInMs: null });
    services.answers.push(inactive(), good(), inactive());
    await caught(callLedger(services, id));
    await callLedger(services, id);
    await caught(callLedger(services, id));
    expect((await rowOf(services, id)).status).toBe('ACTIVE');
  });
});

describe('proxied answer 200 that means a dead credential', () => {
  const proxied = async (services: Services, id: string) =>
    services.executor.proxy({
      caller: { ...machine, source: 'proxy' },
      account: { id },
      method: 'POST',
      path: '/self',
      query: '',
      headers: {},
    });

  it('renews a credential that can be renewed, and retries the request', async () => {
    const services = await ledgerServices({ catalog: catalog(true) });
    const id = await ledgerAccount(services);
    services.answers.push(inactive(), good());
    expect((await proxied(services, id)).body.toString()).toBe('{"active":true}');
    expect(sentTokens(services)).toEqual(['at-0', 'at-1']);
  });

  it('passes the first answer on, and expires an account without renewal at the second in a row', async () => {
    const services = await ledgerServices({ catalog: catalog(false) });
    const id = await ledgerAccount(services, { access_token: 'for-ever' }, { expiresInMs: null });
    services.answers.push(inactive(), inactive());
    const { status, body } = await proxied(services, id);
    expect([status, body.toString()]).toEqual([200, '{"active":false}']);
    expect(await caught(proxied(services, id))).toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
    expect((await rowOf(services, id)).status).toBe('EXPIRED');
  });

  it('ignores answers in another form, and connectors that declare nothing', async () => {
    const services = await ledgerServices({ catalog: catalog(false) });
    const id = await ledgerAccount(services, { access_token: 'for-ever' }, { expiresInMs: null });
    const text = (body: string) => ({ status: 200, headers: {}, body: Buffer.from(body) });
    services.answers.push(text('[{"active":false}]'), text('active: false'), text(''), inactive(), good());
    for (let n = 0; n < 5; n++) expect((await proxied(services, id)).status).toBe(200);
    const plain = await ledgerServices({ catalog: ledgerCatalog({ refresh_tokens: false }) });
    const other = await ledgerAccount(plain, { access_token: 'for-ever' }, { expiresInMs: null });
    plain.answers.push(inactive(), inactive(), inactive());
    for (let n = 0; n < 3; n++) expect((await proxied(plain, other)).status).toBe(200);
  });
});

describe('error code that means a dead credential', () => {
  const dead = () => answer(400, { error: 'no session', code: 'dead' });

  function withCodes(refreshTokens: boolean): Catalog {
    const { connectors, tools } = ledgerCatalog({ refresh_tokens: refreshTokens });
    const changed = [...connectors].map(([name, connector]) => {
      const missing_scope = { statuses: [400], except: [] };
      const errors = { ...connector.errors, reconnect_codes: ['dead'], missing_scope };
      return [name, { ...connector, errors }] as const;
    });
    return { connectors: new Map(changed), tools };
  }

  it('renews a credential that can be renewed, and retries the request, also a write', async () => {
    const services = await ledgerServices({ catalog: withCodes(true) });
    const id = await ledgerAccount(services);
    services.answers.push(dead(), good());
    expect((await callLedger(services, id, { toolName: 'ledger_create' })).data).toEqual({ active: true });
    expect(sentTokens(services)).toEqual(['at-0', 'at-1']);
  });

  it('expires an account without renewal at the second call in a row, and announces it at the first', async () => {
    const services = await ledgerServices({ catalog: withCodes(false) });
    const id = await ledgerAccount(services, { access_token: 'for-ever' }, { expiresInMs: null });
    services.answers.push(dead(), dead());
    expect(await caught(callLedger(services, id))).toMatchObject({
      code: 'TOOL_ERROR',
      status: 502,
      message:
        'Ledger refused the credential of this account (400). Call once more; if it is refused again, the answer says how to connect the account again.',
    });
    expect(await caught(callLedger(services, id))).toMatchObject({ code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' });
    expect((await rowOf(services, id)).status).toBe('EXPIRED');
  });

  it('ignores the same status with another code', async () => {
    const services = await ledgerServices({ catalog: withCodes(true) });
    const id = await ledgerAccount(services);
    services.answers.push(answer(400, { error: 'no', code: 'deadly' }));
    expect(await caught(callLedger(services, id))).toMatchObject({ code: 'TOOL_ERROR' });
    expect(sentTokens(services)).toEqual(['at-0']);
  });
});
