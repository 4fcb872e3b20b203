import { beforeEach, describe, expect, it } from 'vitest';
import { AccountNotActive } from '../../src/accounts/not-active.ts';
import type { Account } from '../../src/store/accounts/account.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import {
  BROWSER,
  ENVIRONMENT_ID,
  machine,
  mcpCaller,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';

const KEY = { connector: 'notes', user_id: 'u1' };
const MINUTE = 60_000;

let services: Services;
let account: Account;

beforeEach(async () => {
  services = await testServices();
  const { id } = await services.accounts.create(machine, { ...KEY, identifier: 'u1' });
  account = (await new AccountStore(services.db.read).find({ environmentId: ENVIRONMENT_ID }, id))!;
});

const prompted = async (options: Parameters<Services['links']['createFor']>[2] = {}) =>
  (await services.links.createFor(machine, account, options)).link;

const stored = async () => services.db.read.selectFrom('links').selectAll().execute();

/** Refusal of a tool call for the account. */
async function refused(caller = mcpCaller('u1')): Promise<AccountNotActive> {
  const call = { caller, toolName: 'notes_search', input: { query: 'x' }, account: {} };
  const error: unknown = await services.executor.execute(call).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AccountNotActive);
  return error as AccountNotActive;
}

const open = async (link: string) =>
  services.links.open(ENVIRONMENT_ID, link.split('/connect/')[1] ?? '', BROWSER);

describe('link of a prompt', () => {
  it('stays the same for six calls of an account that is not connected', async () => {
    const first = await refused();
    for (let i = 0; i < 5; i++) {
      services.clock.advance(MINUTE);
      expect((await refused()).connect).toEqual(first.connect);
    }
    expect(await stored()).toHaveLength(1);
  });

  it('stays the same for concurrent calls', async () => {
    const links = await Promise.all(Array.from({ length: 30 }, async () => prompted()));
    expect(new Set(links).size).toBe(1);
    expect(await stored()).toHaveLength(1);
  });

  it('changes when less than ten minutes of it are left, and the old one continues working', async () => {
    const old = await prompted();
    services.clock.advance(50 * MINUTE);
    expect(await prompted()).toBe(old);
    services.clock.advance(1);
    const link = await prompted();
    expect(link).not.toBe(old);
    expect(await submitForm(services, old, { api_key: 'k' })).toContain('auth_request_id');
    expect(await prompted()).toBe(link);
  });

  it('differs from a link of other scopes, another state or another user_verify_url', async () => {
    const options = [
      {},
      { scopes: ['notes.write'] },
      { scopes: ['notes.write', 'notes.read'] },
      { state: 'a' },
      { state: 'b' },
      { user_verify_url: 'https://other.example/verify' },
      { user_verify_url: 'https://other.example/verify', state: 'a' },
    ];
    const links: string[] = [];
    for (const option of options) links.push(await prompted(option));
    expect(new Set(links).size).toBe(options.length);
    for (const [i, option] of options.entries()) expect(await prompted(option)).toBe(links[i]);
  });

  it('changes once the link is completed, and once the account is another', async () => {
    const link = await prompted();
    await submitForm(services, link, { api_key: 'k' });
    expect(await prompted()).not.toBe(link);
    expect((await stored()).filter(({ token_sealed }) => token_sealed !== null)).toHaveLength(1);
    const other = await refused(mcpCaller('u2'));
    expect(await stored()).toHaveLength(3);
    expect(other.connect).not.toMatchObject({ link: await prompted() });
  });

  it('belongs to its maker where the maker confirms', async () => {
    services = await testServices({
      environment: { userVerification: 'signed_in', userVerifyUrl: undefined },
    });
    const { id } = await services.accounts.create(machine, { ...KEY, user_id: 'usr_a', identifier: 'a' });
    account = (await new AccountStore(services.db.read).find({ environmentId: ENVIRONMENT_ID }, id))!;
    const link = await prompted();
    expect(await prompted()).toBe(link);
    const { link: others } = await services.links.createFor({ ...machine, actor: 'cred_2' }, account);
    expect(others).not.toBe(link);
  });

  it('never is one that was made over REST, which makes a new one each time', async () => {
    const prompt = await prompted();
    const made = [
      (await services.links.create(machine, { id: account.id })).link,
      (await services.links.create(machine, KEY)).link,
    ];
    expect(new Set([prompt, ...made]).size).toBe(3);
    expect(await prompted()).toBe(prompt);
  });

  it('keeps its token sealed for its own row, and is made again where that cannot be opened', async () => {
    const link = await prompted();
    const [row] = await stored();
    expect(row?.token_sealed).toMatch(/^eyJ/);
    expect(JSON.stringify(row)).not.toContain(link.split('/connect/')[1]);
    await prompted({ state: 'a' });
    const [, other] = await stored();
    await services.db.transaction(async (tx) =>
      tx
        .updateTable('links')
        .set({ token_sealed: other?.token_sealed ?? '' })
        .where('id', '=', row?.id ?? '')
        .execute(),
    );
    expect(await prompted()).not.toBe(link);
    await open(link);
  });
});

describe('new links of one account', () => {
  const make = async () => services.links.create(machine, { id: account.id });

  it('end at twenty an hour: REST says until when with 429, a prompt comes without a link', async () => {
    for (let i = 0; i < 20; i++) {
      await make();
      services.clock.advance(1_000);
    }
    await expect(make()).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      retryAfterSeconds: 3_580,
      message:
        'This account got 20 new links within an hour. Open the newest one, or ask again after 2026-11-20T13:00:00.000Z.',
    });
    const { connect, message, details } = await refused();
    expect(connect).toEqual({ unavailable: expect.stringContaining('after 2026-11-20T13:00:00.000Z') });
    expect(message).toContain('after 2026-11-20T13:00:00.000Z');
    expect(details).not.toHaveProperty('authorization_link');
    expect(await stored()).toHaveLength(20);
    expect(await services.links.create(machine, { ...KEY, user_id: 'u2' })).toHaveProperty('link');
    services.clock.advance(3_580_000);
    await make();
    await expect(make()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('do not stop an open link of a prompt, nor a flow that began', async () => {
    const link = await prompted();
    const { page } = await open(link);
    for (let i = 0; i < 19; i++) await make();
    await expect(make()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await prompted()).toBe(link);
    await expect(prompted({ state: 'a' })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const form = { api_key: 'k', csrf: page.csrf };
    const token = link.split('/connect/')[1] ?? '';
    expect(await services.links.submit(ENVIRONMENT_ID, token, BROWSER, form)).toMatchObject({
      redirectTo: expect.stringContaining('auth_request_id'),
    });
  });

  it('stay at twenty when they are asked for at the same time', async () => {
    const made = await Promise.allSettled(Array.from({ length: 40 }, async () => make()));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await stored()).toHaveLength(20);
  });
});
