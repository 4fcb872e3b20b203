import { describe, expect, it } from 'vitest';
import { InvalidForm } from '../../../src/links/link-rules.ts';
import { CONSENT_PAGE, openDesk } from '../support.ts';

const ADA = { id: 'usr_ada', email: 'ada@example.test' };

/** Presses the button of a link that leads to the sign-in. */
async function signInFor(
  desk: ReturnType<typeof openDesk>,
  token: string,
  cookie: string,
): Promise<Response> {
  return desk.app.request(`/connect/${token}?sign_in`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://127.0.0.1:3000',
      cookie,
    },
  });
}

/** Where the sign-in leads that a response leads to. */
function nextOf(sent: Response): string {
  return new URL(sent.headers.get('location') ?? '', 'http://127.0.0.1:3000').searchParams.get('next') ?? '';
}

function cookiesOf(sent: Response): string {
  return sent.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

describe('link whose person has to sign in', () => {
  it.each([
    ['a form', {}],
    ['a consent', CONSENT_PAGE],
  ])('asks to sign in before %s, and for nothing else', async (_what, page) => {
    const desk = openDesk({ page: { ...page, confirmedBy: 'usr_ada' } });
    const shown = await (await desk.app.request('/connect/token-1')).text();
    expect(shown).toContain('Sign in to continue');
    expect(shown).not.toMatch(/api_key|\/connect\/token-1\/go/);
    expect(shown).toContain('Do not connect');
  });

  it.each([
    ['its person is signed in', { page: { confirmedBy: 'usr_ada' }, signedIn: ADA }],
    ['nobody has to', { page: { confirmedBy: null } }],
  ])('asks for the key where %s', async (_case, options) => {
    const shown = await (await openDesk(options).app.request('/connect/token-1')).text();
    expect(shown).toContain('name="api_key"');
    expect(shown).not.toContain('Sign in to continue');
  });

  it('leads to the sign-in, and from there back to the link without naming it in an address', async () => {
    const desk = openDesk({ page: { confirmedBy: 'usr_ada' } });
    const sent = await signInFor(desk, 'token-1', 'gatehouse_browser=known');
    expect(sent.status).toBe(303);
    expect(desk.submissions).toEqual([]);
    const next = nextOf(sent);
    expect(next).toMatch(/^\/connect\/again\?flow=[\w-]{22}$/);
    const back = await desk.app.request(next, { headers: { cookie: cookiesOf(sent) } });
    expect(back.headers.get('location')).toBe('/connect/token-1');
  });

  it('leads each of two tabs back to its own link', async () => {
    const desk = openDesk({ page: { confirmedBy: 'usr_ada' } });
    const first = await signInFor(desk, 'token-1', 'gatehouse_browser=known');
    const second = await signInFor(desk, 'token-2', cookiesOf(first));
    const headers = { cookie: cookiesOf(second) };
    const back = [
      await desk.app.request(nextOf(first), { headers }),
      await desk.app.request(nextOf(second), { headers }),
    ];
    expect(back.map((response) => response.headers.get('location'))).toEqual([
      '/connect/token-1',
      '/connect/token-2',
    ]);
  });

  it('forgets the oldest of seven links that wait for a sign-in', async () => {
    const desk = openDesk({ page: { confirmedBy: 'usr_ada' } });
    const nexts: string[] = [];
    let cookie = 'gatehouse_browser=known';
    for (const token of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      const sent = await signInFor(desk, token, cookie);
      cookie = cookiesOf(sent);
      nexts.push(nextOf(sent));
    }
    const places = await Promise.all(
      nexts.map(async (next) =>
        (await desk.app.request(next, { headers: { cookie } })).headers.get('location'),
      ),
    );
    expect(places).toEqual([
      null,
      '/connect/b',
      '/connect/c',
      '/connect/d',
      '/connect/e',
      '/connect/f',
      '/connect/g',
    ]);
    const forgotten = await desk.app.request(nexts[0] ?? '', { headers: { cookie } });
    expect([forgotten.status, await forgotten.text()]).toEqual([
      410,
      expect.stringContaining('Open the link you were given again') as string,
    ]);
  });

  it.each([
    ['a form', {}],
    ['a consent', CONSENT_PAGE],
  ])('says to somebody else who it is for, and shows them nothing of %s', async (_what, page) => {
    const desk = openDesk({
      page: { ...page, confirmedBy: 'usr_ada', ownerName: 'Ada <Lovelace>' },
      signedIn: { id: 'usr_mallory', email: 'mallory@example.test' },
    });
    const response = await desk.app.request('/connect/token-1');
    expect(response.status).toBe(403);
    const shown = (await response.text()).replaceAll('<wbr />', '');
    expect(shown).toContain('<h1>This link is for somebody else</h1>');
    expect(shown).toContain('<bdi>Ada &lt;Lovelace&gt;</bdi>');
    expect(shown).toContain('<bdi>mallory@example.test</bdi>');
    expect(shown).not.toMatch(/api_key|token-1|csrf|\?decline/);
  });

  it('lets somebody else sign in with another address and come back', async () => {
    const desk = openDesk({
      page: { confirmedBy: 'usr_ada' },
      signedIn: { id: 'usr_mallory', email: 'mallory@example.test' },
    });
    const sent = await signInFor(desk, 'token-1', 'gatehouse_browser=known');
    expect(sent.headers.get('location')).toMatch(/^\/sign-in\?next=[^&]+&again=1$/);
    const back = await desk.app.request(nextOf(sent), { headers: { cookie: cookiesOf(sent) } });
    expect(back.headers.get('location')).toBe('/connect/token-1');
  });

  it('shows a wrong form again to somebody who has sent it without signing in', async () => {
    const violations = [{ field: 'api_key', description: 'API key is required.', constraint: 'required' }];
    const desk = openDesk({ page: { confirmedBy: 'usr_ada' }, submitted: new InvalidForm(violations) });
    expect(await (await desk.post({ csrf: 'csrf-value' })).text()).toContain('name="api_key"');
  });
});
