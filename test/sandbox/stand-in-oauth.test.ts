/** In what the consent and the tokens of each stand-in differ, as those of the real providers do. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { fixedClock, type FixedClock } from '../support/fixed-clock.ts';
import { standInClient } from './stand-in-client.ts';

let clock: FixedClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = fixedClock();
  sandbox = await startSandbox({ clock });
});

afterEach(async () => {
  await sandbox.close();
});

const refresh = (refresh_token: unknown) => ({
  grant_type: 'refresh_token',
  refresh_token: String(refresh_token),
});

describe('mail stand-in: OAuth', () => {
  it('shows the requested scopes on its own consent page', async () => {
    const response = await standInClient(sandbox, 'mail').authorize({
      scope: 'Calendars.Read offline_access',
    });
    const html = await response.text();
    expect(html).toContain('<h1>Gatehouse demo wants to use your calendar</h1>');
    expect(html).toContain('<header>Sandbox calendar</header>');
    expect(html).toContain('Read your calendars');
    expect(html).not.toContain('full access');
    expect(html).toContain('action="/common/oauth2/v2.0/authorize"');
  });

  it('issues a refresh token for offline_access, and another at each refresh, while the first stays valid', async () => {
    const client = standInClient(sandbox, 'mail');
    expect(await client.connect({ scope: 'Calendars.Read' })).not.toHaveProperty('refresh_token');
    const first = await client.connect({ scope: 'Calendars.Read offline_access' });
    expect(first).toEqual({
      access_token: expect.stringMatching(/^mail-access-[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      ext_expires_in: 3600,
      scope: 'Calendars.Read',
      refresh_token: expect.stringMatching(/^mail-refresh-/),
    });
    const second = await client.token(refresh(first.refresh_token));
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect((await client.token(refresh(first.refresh_token))).status).toBe(200);
    expect((await client.token(refresh(second.body.refresh_token))).status).toBe(200);
  });

  it('refuses with the error codes of the platform', async () => {
    const client = standInClient(sandbox, 'mail');
    expect(await client.token(refresh('x'))).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: expect.stringMatching(/^AADSTS700082: /),
        error_codes: [700_082],
        timestamp: '2026-11-20 12:00:00Z',
      },
    });
  });

  it.each([['Files.Read'], ['']])('redirects with invalid_scope for the scope %j', async (scope) => {
    const response = await standInClient(sandbox, 'mail').authorize({ scope });
    const back = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'invalid_scope', state: 'st' });
  });
});

describe('warehouse stand-in: OAuth', () => {
  it('issues access for ten minutes, and a refresh token that stays the same', async () => {
    const client = standInClient(sandbox, 'warehouse');
    const first = await client.connect({ scope: 'refresh_token session:role:ANALYST' });
    expect(first).toMatchObject({
      expires_in: 600,
      username: 'ROBIN',
      scope: 'refresh_token session:role:ANALYST',
      refresh_token: expect.stringMatching(/^warehouse-refresh-/),
    });
    clock.advance(600_000);
    const second = await client.token(refresh(first.refresh_token));
    expect(second.status).toBe(200);
    expect(second.body).not.toHaveProperty('refresh_token');
    expect((await client.token(refresh(first.refresh_token))).status).toBe(200);
  });

  it('issues no refresh token without its scope', async () => {
    const tokens = await standInClient(sandbox, 'warehouse').connect({ scope: 'session:role:ANALYST' });
    expect(tokens).not.toHaveProperty('refresh_token');
  });

  it.each([
    ['session:role:ACCOUNTADMIN'],
    ['session:role:ANALYST session:role:LOADER'],
    ['refresh_token everything'],
  ])('refuses the scope %s', async (scope) => {
    const response = await standInClient(sandbox, 'warehouse').authorize({ scope });
    expect(response.headers.get('location')).toContain('error=invalid_scope');
  });

  it('refuses with its own error body', async () => {
    expect((await standInClient(sandbox, 'warehouse').token(refresh('x'))).body).toEqual({
      data: null,
      message: 'This refresh is not known.',
      code: null,
      success: false,
      error: 'invalid_grant',
    });
  });
});

describe('OAuth stand-ins: isolation of tokens', () => {
  it('accept tokens of their own provider only', async () => {
    const { access_token } = await standInClient(sandbox, 'mail').connect({ scope: 'Calendars.Read' });
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(sandbox.url + path, { headers: { authorization: `Bearer ${access_token}` } })).status;
    expect(await statusOf('/v1.0/me/events')).toBe(200);
    expect(await statusOf('/api/v2/statements/00000000-0000-4000-8000-000000000000')).toBe(401);
    expect(await statusOf('/v2/objects')).toBe(401);
  });

  it('list the grants of all providers on one page, and end them one by one', async () => {
    const mail = standInClient(sandbox, 'mail');
    const first = await mail.connect({ scope: 'Calendars.Read offline_access' });
    clock.advance(1000);
    const second = await standInClient(sandbox, 'warehouse').connect({ scope: 'refresh_token' });
    const page = await (await fetch(`${sandbox.url}/apps`)).text();
    expect(page).toMatch(/uses your data warehouse, allowed by Robin Vale[^]*uses your calendar/);
    const form = { provider: 'mail', number: '1', action: 'remove' };
    const after = await fetch(`${sandbox.url}/apps`, { method: 'POST', body: new URLSearchParams(form) });
    expect(await after.text()).not.toContain('your calendar');
    expect((await mail.token(refresh(first.refresh_token))).status).toBe(400);
    const warehouse = standInClient(sandbox, 'warehouse');
    expect((await warehouse.token(refresh(second.refresh_token))).status).toBe(200);
  });
});
