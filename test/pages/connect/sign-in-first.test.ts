import { describe, expect, it } from 'vitest';
import { InvalidForm } from '../../../src/links/link-rules.ts';
import { CONSENT_PAGE, openDesk } from '../support.ts';

describe('a link whose person has to sign in', () => {
  it.each([
    ['a form', {}],
    ['a consent', CONSENT_PAGE],
  ])('asks to sign in before %s, and for nothing else', async (_what, page) => {
    const desk = openDesk({ page: { ...page, needsSignIn: true } });
    const shown = await (await desk.app.request('/connect/token-1')).text();
    expect(shown).toContain('Sign in to continue');
    expect(shown).not.toMatch(/api_key|\/connect\/token-1\/go/);
    expect(shown).toContain('Do not connect');
  });

  it.each([
    ['somebody is signed in', { page: { needsSignIn: true }, isSignedIn: true }],
    ['nobody has to', { page: { needsSignIn: false } }],
  ])('asks for the key where %s', async (_case, options) => {
    const shown = await (await openDesk(options).app.request('/connect/token-1')).text();
    expect(shown).toContain('name="api_key"');
    expect(shown).not.toContain('Sign in to continue');
  });

  it('leads to the sign-in, and from there back to the link without naming it in an address', async () => {
    const desk = openDesk({ page: { needsSignIn: true } });
    const sent = await desk.app.request('/connect/token-1?sign_in', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'http://127.0.0.1:3000',
        cookie: 'gatehouse_browser=known',
      },
    });
    expect(sent.status).toBe(303);
    expect(sent.headers.get('location')).toBe('/sign-in?next=%2Fconnect%2Fagain');
    const cookie = sent.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    expect(desk.submissions).toEqual([]);
    const back = await desk.app.request('/connect/again', { headers: { cookie } });
    expect(back.headers.get('location')).toBe('/connect/token-1');
  });

  it('shows a wrong form again to somebody who has sent it without signing in', async () => {
    const violations = [{ field: 'api_key', description: 'API key is required.', constraint: 'required' }];
    const desk = openDesk({ page: { needsSignIn: true }, submitted: new InvalidForm(violations) });
    expect(await (await desk.post({ csrf: 'csrf-value' })).text()).toContain('name="api_key"');
  });
});
