import { beforeEach, describe, expect, it } from 'vitest';
import type { Catalog } from '../../src/catalog/model/types.ts';
import type { CredentialTrial } from '../../src/accounts/credential-trials.ts';
import { toListItem } from '../../src/accounts/account-views.ts';
import { AccountStore } from '../../src/store/accounts/account-store.ts';
import {
  answer,
  BROWSER,
  ENVIRONMENT_ID,
  machine,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';
import { testCatalog } from '../support/test-catalog.ts';

const notes = testCatalog.connectors.get('notes')!;
const who = { path: '/me', host: 0, query: { part: 'name' }, headers: {}, name: ['user.email', 'user.name'] };
const catalog: Catalog = {
  ...testCatalog,
  connectors: new Map([
    ...testCatalog.connectors,
    ['notes', { ...notes, auth: notes.auth.map((auth) => ({ ...auth, who })) }],
  ]),
};

let services: Services;
beforeEach(async () => {
  services = await testServices({ catalog });
});

const made = async (): Promise<string> =>
  (await services.links.create(machine, { connector: 'notes', user_id: 'u1' })).link;
const authRequestOf = (target: string | null): string =>
  new URL(target ?? '').searchParams.get('auth_request_id') ?? '';
const verify = async (id: string) =>
  services.verification.verify(machine, { auth_request_id: id, identifier: 'u1' });
const only = async () => (await services.accounts.list(machine, { view: 'full' })).connected_accounts[0];
const shown = async (): Promise<unknown> =>
  (await services.accounts.describe(machine, { id: (await only())?.id ?? '' })).display_name;

describe('display_name of an account', () => {
  it('comes from one request with the credential that waits, and is there once it is verified', async () => {
    services.answers.push(answer(200, { user: { email: 'robin@northlight.example' } }));
    const id = authRequestOf(await submitForm(services, await made(), { api_key: 'key-1' }));
    expect(services.sent).toMatchObject([
      {
        method: 'GET',
        headers: { 'x-api-key': 'key-1' },
        totalTimeoutMs: 5_000,
      },
    ]);
    expect(String(services.sent[0]?.url)).toBe('https://api.notes.example/me?part=name');
    expect(await shown()).toBeNull();
    await verify(id);
    expect(await shown()).toBe('robin@northlight.example');
    expect(await only()).toMatchObject({ display_name: 'robin@northlight.example' });
    expect(services.sent).toHaveLength(1);
  });

  it('stays sealed in the database, and absent from plain lists and webhooks', async () => {
    services.answers.push(answer(200, { user: { email: 'robin@northlight.example' } }));
    await verify(authRequestOf(await submitForm(services, await made(), { api_key: 'key-1' })));
    const account = await new AccountStore(services.db.read).find(
      { environmentId: ENVIRONMENT_ID },
      (await only())?.id ?? '',
    );
    expect(account?.displayNameSealed).not.toContain('robin');
    expect(JSON.stringify((await services.accounts.list(machine, {})).connected_accounts)).not.toContain(
      'display_name',
    );
    expect(account && toListItem(account)).not.toHaveProperty('display_name');
  });

  it.each([
    [true, 'robin@northlight.example'],
    [false, null],
  ])('comes with a credential stored over REST only after it was tried (%s)', async (isTried, expected) => {
    const trial = (): CredentialTrial | undefined => (isTried ? services.trials.begin(machine) : undefined);
    const details = (api_key: string) => ({
      authorization_details: { static_auth: { details: { api_key } } },
    });
    const key = { connector: 'notes', identifier: 'u1', user_id: 'u1' };
    services.answers.push(answer(200, { user: { email: 'robin@northlight.example' } }));
    await services.accounts.create(machine, { ...key, connected_account: details('key-1') }, trial());
    expect(await shown()).toBe(expected);
    services.answers.splice(0, 9, answer(200, { user: { name: 'Kim' } }));
    await services.accounts.update(machine, { ...key, connected_account: details('key-2') }, trial());
    expect(await shown()).toBe(isTried ? 'Kim' : null);
    expect(services.sent).toHaveLength(isTried ? 2 : 0);
  });

  it('stays unknown where one actor tries too many credentials', async () => {
    for (let count = 0; count < 60; count += 1) await services.trials.begin(machine).mayAskWho();
    const connected_account = {
      authorization_details: { static_auth: { details: { api_key: 'key-1' } } },
    };
    const input = { connector: 'notes', identifier: 'u1', user_id: 'u1', connected_account };
    await services.accounts.create(machine, input, services.trials.begin(machine));
    expect(services.sent).toEqual([]);
  });

  it('goes with the credentials when the account is disconnected', async () => {
    services.answers.push(answer(200, { user: { email: 'robin@northlight.example' } }));
    await verify(authRequestOf(await submitForm(services, await made(), { api_key: 'key-1' })));
    await services.disconnection.disconnect(machine, (await only())?.id ?? '');
    expect(await shown()).toBeNull();
  });

  it('changes with the credentials, and is unknown where newer ones say nothing', async () => {
    services.answers.push(answer(200, { user: { email: 'robin@northlight.example' } }), answer(500, {}));
    await verify(authRequestOf(await submitForm(services, await made(), { api_key: 'key-1' })));
    await verify(authRequestOf(await submitForm(services, await made(), { api_key: 'key-2' })));
    expect(await shown()).toBeNull();
  });

  it.each([
    ['takes the first path that is there', { user: { name: 'Robin' } }, 'Robin'],
    ['is cut after 120 characters', { user: { name: 'x'.repeat(500) } }, 'x'.repeat(120)],
    ['loses characters that hide or turn text', { user: { name: ' a\u202Eb\n\u0000c ' } }, 'a b c'],
    ['is unknown where the answer has none', { user: {} }, null],
    ['is unknown where it is no text', { user: { name: { x: 1 } } }, null],
  ])('as it is shown: %s', async (_what, body, expected) => {
    services = await testServices({
      catalog,
      environment: { userVerification: 'none', userVerifyUrl: undefined },
    });
    services.answers.push(answer(200, body));
    expect(await submitForm(services, await made(), { api_key: 'key-1' })).toBeNull();
    expect(await shown()).toBe(expected);
  });

  it('never stands in the way: a provider that fails leaves the account connected', async () => {
    services = await testServices({
      catalog,
      environment: { userVerification: 'none', userVerifyUrl: undefined },
    });
    services.answers.push({ ...answer(200, {}), body: Buffer.from('<html>') });
    await submitForm(services, await made(), { api_key: 'key-1' });
    expect(await only()).toMatchObject({ status: 'ACTIVE', display_name: null });
  });

  it('names the account on the final page, in the browser that connected it only', async () => {
    services = await testServices({
      catalog,
      environment: { userVerification: 'none', userVerifyUrl: undefined },
    });
    services.answers.push(answer(200, { user: { name: 'Robin' } }));
    const token = (await made()).split('/connect/')[1] ?? '';
    const { page } = await services.links.open(ENVIRONMENT_ID, token, BROWSER);
    const form = { api_key: 'key-1', csrf: page.csrf };
    const done = (await services.links.submit(ENVIRONMENT_ID, token, BROWSER, form))?.done;
    const seen = async (mark: string | undefined, browser: string | undefined) =>
      services.linkEnds.connected(ENVIRONMENT_ID, mark, browser);
    expect(await seen(done, BROWSER)).toEqual({ connectorTitle: 'Notes', displayName: 'Robin', prompts: [] });
    expect(await seen(done, 'another'.padEnd(43, '0'))).toBeUndefined();
    expect(await seen(done, undefined)).toBeUndefined();
    expect(await seen(`${(await only())?.id}.${'x'.repeat(43)}`, BROWSER)).toBeUndefined();
  });

  it('does not name an account that works to a browser whose credentials nobody has verified', async () => {
    services.answers.push(
      answer(200, { user: { name: 'Robin' } }),
      answer(200, { user: { name: 'Mallory' } }),
    );
    await verify(authRequestOf(await submitForm(services, await made(), { api_key: 'key-1' })));
    const token = (await made()).split('/connect/')[1] ?? '';
    const { page } = await services.links.open(ENVIRONMENT_ID, token, BROWSER);
    const form = { api_key: 'key-2', csrf: page.csrf };
    const submitted = await services.links.submit(ENVIRONMENT_ID, token, BROWSER, form);
    const seen = async () => services.linkEnds.connected(ENVIRONMENT_ID, submitted?.done, BROWSER);
    expect([await shown(), await seen()]).toEqual(['Robin', undefined]);
    await verify(authRequestOf(submitted?.redirectTo ?? null));
    expect(await seen()).toMatchObject({ displayName: 'Mallory' });
  });
});
