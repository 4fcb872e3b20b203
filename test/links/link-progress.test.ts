import { rows } from '../../src/store/engine/rows.ts';
import { expect, it } from 'vitest';
import { linkProgress } from '../../src/links/link-progress.ts';
import { BROWSER, consentServices, ENVIRONMENT, machine } from './consent/consent-support.ts';

type Options = Parameters<typeof consentServices>[0];

/** One link, and how it gets on. */
async function oneLink(options?: Options) {
  const services = await consentServices(options);
  const token = await services.link();
  const progress = async () => linkProgress(services.db, services.clock, ENVIRONMENT, token);
  const setOut = async () => (await services.go(token)).searchParams.get('state') ?? '';
  const allow = async () => services.back({ state: await setOut(), code: 'code-1' });
  return { services, token, progress, setOut, allow };
}

const verify = async (
  { verification }: Awaited<ReturnType<typeof consentServices>>,
  redirectTo: string | null,
  identifier: string,
) => {
  const auth_request_id = new URL(redirectTo ?? '').searchParams.get('auth_request_id') ?? '';
  return verification.verify(machine, { auth_request_id, identifier });
};

it('shows the link as open until a browser starts the flow, and again when that takes too long', async () => {
  const { services, progress, setOut } = await oneLink();
  expect(await progress()).toEqual({ state: 'open' });
  await setOut();
  expect(await progress()).toEqual({ state: 'away' });
  services.clock.advance(600_000);
  expect(await progress()).toEqual({ state: 'open' });
});

it('tells a browser that came back without access from one whose answer is being handed in', async () => {
  const { services, progress, setOut } = await oneLink();
  await expect(services.back({ state: await setOut(), error: 'access_denied' })).rejects.toThrow('denied');
  expect(await progress()).toEqual({ state: 'away' });
  services.clock.advance(3_000);
  expect(await progress()).toEqual({ state: 'returned' });
  await setOut();
  expect(await progress()).toEqual({ state: 'away' });
});

it('waits for the app to confirm, and shows the account as connected then', async () => {
  const { services, progress, allow } = await oneLink();
  const { redirectTo } = await allow();
  expect(await progress()).toEqual({ state: 'verifying' });
  await verify(services, redirectTo, 'u1');
  const { id } = await services.account();
  expect(await progress()).toEqual({
    state: 'connected',
    account: { id, identifier: 'u1', status: 'ACTIVE' },
  });
});

it('shows the account as connected at once where nobody has to confirm', async () => {
  const { progress, allow } = await oneLink({
    environment: { userVerification: 'none', userVerifyUrl: undefined },
  });
  expect(await allow()).toMatchObject({ redirectTo: null });
  expect(await progress()).toMatchObject({ state: 'connected', account: { status: 'ACTIVE' } });
});

it('ends the progress with the time of the link', async () => {
  const { services, progress, setOut } = await oneLink();
  services.clock.advance(3_599_999);
  await setOut();
  services.clock.advance(1);
  expect(await progress()).toEqual({ state: 'ended', why: 'link_expired' });
});

it('ends the progress with the time of its verification, whether or not that was noticed', async () => {
  const { services, progress, allow } = await oneLink();
  await allow();
  services.clock.advance(600_000);
  expect(await progress()).toEqual({ state: 'ended', why: 'expired' });
  await services.links.open(ENVIRONMENT, await services.link(), BROWSER);
  expect((await services.account()).status).toBe('PENDING_AUTH');
  expect(await progress()).toEqual({ state: 'ended', why: 'expired' });
});

it('ends the progress with five wrong identifiers', async () => {
  const { services, progress, allow } = await oneLink();
  const { redirectTo } = await allow();
  for (let wrong = 1; wrong <= 5; wrong += 1) {
    expect(await progress()).toEqual({ state: 'verifying' });
    await expect(verify(services, redirectTo, 'somebody else')).rejects.toMatchObject({
      code: 'IDENTIFIER_MISMATCH',
    });
  }
  expect(await progress()).toEqual({ state: 'ended', why: 'wrong_identifiers' });
});

it('ends the progress when another link of the account is finished later', async () => {
  const { services, progress, allow } = await oneLink();
  await allow();
  const state = (await services.go(await services.link())).searchParams.get('state') ?? '';
  await services.back({ state, code: 'code-2' });
  expect(await progress()).toEqual({ state: 'ended', why: 'superseded' });
});

it('ends the progress with its account, and knows no link of another environment', async () => {
  const { services, token, progress } = await oneLink();
  expect(await linkProgress(services.db, services.clock, 'env_other', token)).toEqual({
    state: 'ended',
    why: 'deleted',
  });
  const { id } = await services.account();
  await services.db.transaction(async (tx) => rows(tx, 'accounts').delete(ENVIRONMENT, id));
  expect(await progress()).toEqual({ state: 'ended', why: 'deleted' });
});
