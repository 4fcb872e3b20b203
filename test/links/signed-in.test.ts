import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller, PersonCaller } from '../../src/core/caller.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { OtherBrowserFailure, type Confirmer } from '../../src/links/link-verifier.ts';
import { verificationTarget } from '../../src/links/verification-target.ts';
import {
  BROWSER,
  ENVIRONMENT_ID,
  machine,
  OTHER_ENVIRONMENT_ID,
  submitForm,
  testServices,
  type Services,
} from '../support/services.ts';

const ADA = 'usr_ada';
const KEY = { api_key: 'key-1' };

/** Somebody with a token of their own. */
function person(userId: string, organizationId = '', inOrganization = false): PersonCaller {
  const owner = inOrganization ? { userId: '', organizationId } : { userId, organizationId: '' };
  return {
    kind: 'person',
    isApp: false,
    environmentId: ENVIRONMENT_ID,
    actor: userId,
    scopes: new Set(['accounts:read', 'accounts:write', 'tools:execute']),
    source: 'api',
    owner,
    onlyOwner: owner,
    person: { userId, sessionId: 'ses_1', organizationId },
    ip: '192.0.2.1',
  };
}

const confirmer = (
  userId: string,
  administered: readonly string[] = [],
  browser: string | undefined = BROWSER,
): Confirmer => ({
  environmentId: ENVIRONMENT_ID,
  userId,
  browser,
  administers: async (id) => administered.includes(id),
});

let services: Services;

beforeEach(async () => {
  services = await testServices();
});

const inMode = (userVerification: 'signed_in' | 'app' | 'none', userVerifyUrl?: string) =>
  testServices({ environment: { userVerification, userVerifyUrl } });

/** The auth_request_id that the browser is sent to the page with. */
async function consented(link: string, values = KEY): Promise<string> {
  const location = new URL((await submitForm(services, link, values)) ?? 'none:');
  expect(location.origin + location.pathname).toBe('http://127.0.0.1:3000/connect/confirm');
  return location.searchParams.get('auth_request_id') ?? '';
}

const linkOf = async (caller: Caller, input: Record<string, string> = { user_id: ADA }) =>
  (await services.links.create(caller, { connector: 'notes', ...input })).link;

const statusOf = async (userId = ADA): Promise<string> =>
  (
    await services.accounts.describe(machine, {
      connection: 'notes',
      identifier: userId,
      user_id: userId,
    })
  ).status;

/** Code of the refusal, and the fields that are wrong. */
async function refusal(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const violations = error.details['field_violations'] as { field: string }[] | undefined;
    return violations === undefined ? error.code : violations.map(({ field }) => field);
  }
}

describe('link verification by signing in', () => {
  it('verifies by signing in when a signed-in person makes the link, whatever the environment does otherwise', async () => {
    for (const mode of ['app', 'none'] as const) {
      services = await inMode(mode, 'https://app.example/verify');
      const id = await consented(await linkOf(person(ADA)));
      expect(await statusOf()).toBe('PENDING_VERIFICATION');
      const { redirectTo } = await services.verification.confirm(confirmer(ADA), id);
      expect(redirectTo).toBe('http://127.0.0.1:3000/connect/done');
      expect(await statusOf()).toBe('ACTIVE');
    }
  });

  it('verifies by signing in when the environment says so, for a user of ours', async () => {
    services = await inMode('signed_in');
    const link = await linkOf(machine);
    const { page } = await services.links.open(ENVIRONMENT_ID, link.split('/connect/')[1] ?? '', BROWSER);
    expect(page.confirmedBy).toBe(ADA);
    const id = await consented(link);
    await services.verification.confirm(confirmer(ADA), id);
    expect(await statusOf()).toBe('ACTIVE');
  });

  it('refuses a link where nobody could sign in as the owner, and says so', async () => {
    services = await inMode('signed_in');
    expect(await refusal(linkOf(machine, { user_id: 'user-of-the-app' }))).toEqual(['user_id']);
    expect(await refusal(linkOf(machine, { organization_id: 'org_1' }))).toEqual(['user_id']);
    expect(await refusal(linkOf(machine, { identifier: 'ada@example.test' }))).toEqual(['user_id']);
    expect(await services.db.read.selectFrom('accounts').selectAll().execute()).toEqual([]);
  });

  it('leaves the verification to the app when the link brings a URL of an app', async () => {
    services = await inMode('signed_in');
    const link = await linkOf(machine, { user_id: ADA, user_verify_url: 'https://app.example/verify' });
    expect(await submitForm(services, link, KEY)).toMatch(/^https:\/\/app\.example\/verify\?/);
  });

  it('refuses a verify URL from a person', async () => {
    const input = { user_id: ADA, user_verify_url: 'https://evil.example/verify' };
    expect(await refusal(linkOf(person(ADA), input))).toEqual(['user_verify_url']);
  });

  it("verifies an operator's own link by signing in, and others in the mode of the environment", async () => {
    services = await inMode('app', 'https://app.example/verify');
    const operator: Caller = { ...person('usr_op'), scopes: new Set(['accounts:write', 'admin']) };
    const owner = { userId: 'user-of-the-app', organizationId: '' };
    const environment = services.environments.get(ENVIRONMENT_ID);
    expect(verificationTarget(environment, undefined, { caller: operator, owner })).toEqual({
      verification: 'app',
      userVerifyUrl: 'https://app.example/verify',
    });
    await consented(await linkOf(operator, { user_id: 'usr_op' }));
  });
});

describe('link verification by signing in: confirmation', () => {
  let id: string;

  beforeEach(async () => {
    services = await inMode('signed_in');
    id = await consented(await linkOf(person(ADA)));
  });

  it('shows what will be connected, and changes nothing', async () => {
    expect(await services.verification.awaiting(confirmer(ADA), id)).toEqual({
      connection: 'notes',
      provider: 'notes',
      identifier: ADA,
      displayName: null,
      organizationId: '',
      redirectTo: 'http://127.0.0.1:3000/connect/done',
    });
    expect(await statusOf()).toBe('PENDING_VERIFICATION');
  });

  it('accepts the owner only, and erases what waits after five tries of others', async () => {
    for (let i = 0; i < 4; i++) {
      const ask = i % 2 === 0 ? ('confirm' as const) : ('awaiting' as const);
      expect(await refusal(services.verification[ask](confirmer('usr_eve'), id))).toBe('IDENTIFIER_MISMATCH');
    }
    expect(await statusOf()).toBe('PENDING_VERIFICATION');
    expect(await refusal(services.verification.confirm(confirmer('usr_eve'), id))).toBe(
      'IDENTIFIER_MISMATCH',
    );
    expect(await statusOf()).toBe('PENDING_AUTH');
    expect(await refusal(services.verification.confirm(confirmer(ADA), id))).toBe('RESOURCE_NOT_FOUND');
  });

  it.each([undefined, '', 'x'.repeat(43), BROWSER.slice(0, 42), `${BROWSER}0`])(
    'refuses the owner in a browser that did not consent, with the cookie %j',
    async (browser) => {
      for (const ask of ['awaiting', 'confirm'] as const) {
        const asked = services.verification[ask]({ ...confirmer(ADA), browser }, id);
        await expect(asked).rejects.toThrow(OtherBrowserFailure);
      }
      expect(await statusOf()).toBe('PENDING_VERIFICATION');
      const rows = await services.db.read.selectFrom('auth_requests').selectAll().execute();
      expect(rows).toMatchObject([{ wrong_identifiers: 0, ended_at: null }]);
      await services.verification.confirm(confirmer(ADA), id);
      expect(await statusOf()).toBe('ACTIVE');
    },
  );

  it('writes into the history of the account that the owner came with another browser', async () => {
    const other = { ...confirmer(ADA), browser: 'x'.repeat(43) };
    await expect(services.verification.awaiting(other, id)).rejects.toThrow(OtherBrowserFailure);
    const { id: account } = await services.accounts.describe(machine, {
      connection: 'notes',
      identifier: ADA,
      user_id: ADA,
    });
    expect((await services.accounts.events(person(ADA), account)).at(-1)).toMatchObject({
      from: 'PENDING_VERIFICATION',
      to: 'PENDING_VERIFICATION',
      cause: 'other_browser',
      actor: ADA,
    });
  });

  it('counts somebody else as a wrong identifier, whatever their browser', async () => {
    const eve = { ...confirmer('usr_eve'), browser: undefined };
    expect(await refusal(services.verification.confirm(eve, id))).toBe('IDENTIFIER_MISMATCH');
  });

  it('lets a request that names no browser be confirmed, as an earlier version stored it', async () => {
    await services.db.transaction(async (tx) =>
      tx.updateTable('auth_requests').set({ browser_hash: null }).execute(),
    );
    await services.verification.confirm({ ...confirmer(ADA), browser: undefined }, id);
    expect(await statusOf()).toBe('ACTIVE');
  });

  it('works once, also of fifty at the same time', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => refusal(services.verification.confirm(confirmer(ADA), id))),
    );
    expect(outcomes.filter((outcome) => outcome !== 'RESOURCE_NOT_FOUND')).toEqual([
      expect.objectContaining({ redirectTo: 'http://127.0.0.1:3000/connect/done' }),
    ]);
    expect(await statusOf()).toBe('ACTIVE');
  });

  it('ends the confirmation after ten minutes', async () => {
    services.clock.advance(600_000);
    expect(await refusal(services.verification.confirm(confirmer(ADA), id))).toBe('RESOURCE_NOT_FOUND');
  });

  it('refuses a confirmation from another environment', async () => {
    const elsewhere = { ...confirmer(ADA), environmentId: OTHER_ENVIRONMENT_ID };
    expect(await refusal(services.verification.confirm(elsewhere, id))).toBe('RESOURCE_NOT_FOUND');
  });

  it('leaves verify without effect: neither an app nor the person’s own token activates the account', async () => {
    const input = { auth_request_id: id, identifier: ADA };
    expect(await refusal(services.verification.verify(machine, input))).toBe('RESOURCE_NOT_FOUND');
    expect(await refusal(services.verification.verify(person(ADA), input))).toBe('PERMISSION_DENIED');
    expect(await statusOf()).toBe('PENDING_VERIFICATION');
  });
});

it('refuses to confirm on the page what an app verifies', async () => {
  const link = await linkOf(machine);
  const location = new URL((await submitForm(services, link, KEY)) ?? 'none:');
  const id = location.searchParams.get('auth_request_id') ?? '';
  expect(await refusal(services.verification.confirm(confirmer(ADA), id))).toBe('RESOURCE_NOT_FOUND');
});

it('lets whoever made the link of an organization’s account confirm it while an administrator', async () => {
  const admin = person('usr_admin', 'org_1', true);
  const link = async () => linkOf(admin, { organization_id: 'org_1' });
  const token = (await link()).split('/connect/')[1] ?? '';
  // The page says who alone can complete it; this test has no row of the person to name.
  expect((await services.links.open(ENVIRONMENT_ID, token, BROWSER)).page).toMatchObject({
    onlyBy: '',
    confirmedBy: 'usr_admin',
  });
  const first = await consented(await link());
  const confirm = (who: Confirmer, id: string) => refusal(services.verification.confirm(who, id));
  expect(await confirm(confirmer('usr_other', ['org_1']), first)).toBe('IDENTIFIER_MISMATCH');
  expect(await confirm(confirmer('usr_admin', ['org_2']), first)).toBe('IDENTIFIER_MISMATCH');
  expect(await services.verification.awaiting(confirmer('usr_admin', ['org_1']), first)).toMatchObject({
    organizationId: 'org_1',
  });
  expect(await confirm(confirmer('usr_admin', ['org_1']), first)).toMatchObject({
    redirectTo: 'http://127.0.0.1:3000/connect/done',
  });
});
