import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PageFailure, type PageFailureKind } from '../../../src/core/page-failure.ts';
import { openDesk, type DeskOptions } from '../support.ts';

const TOKEN = 't'.repeat(43);
const CALLBACK = '/sso/v1/oauth/conn_1/callback';
const failure = (kind: PageFailureKind<'callback'>): PageFailure<'callback'> =>
  new PageFailure('callback', kind, { connectorTitle: 'Attio' });

/** A browser that was sent to the provider with the state `s` and comes back; its cookies, and how to load again. */
async function comingBack(options: DeskOptions, query = 'state=s&error=access_denied', language = 'en') {
  const cookies = new Map([['gatehouse_browser', 'known']]);
  const keep = (response: Response): void => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
  };
  const load = async (desk: ReturnType<typeof openDesk>, path: string) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await desk.app.request(path, {
      headers: { cookie, 'accept-language': language, 'sec-fetch-site': 'same-origin' },
    });
    keep(response);
    return response;
  };
  const gone = await load(openDesk(options), `/connect/${TOKEN}/go`);
  const first = await load(openDesk(options), `${CALLBACK}?${query}`);
  const reload = async () => load(openDesk({ finished: failure('state') }), `${CALLBACK}?${query}`);
  return { gone, first, reload, cookies, load };
}

describe('retry after a failed OAuth callback', () => {
  it('remembers the link for ten minutes in a cookie that scripts cannot read', async () => {
    const { gone } = await comingBack({ finished: failure('denied') });
    expect(gone.headers.get('set-cookie')).toMatch(
      new RegExp(`^gatehouse_flow=${TOKEN}\\.[\\w-]{22}; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax$`),
    );
  });

  it.each([
    ['en', 'Try again', 'choose “Try again”'],
    ['de', 'Noch einmal versuchen', 'wählen Sie „Noch einmal versuchen“'],
  ])('offers the link again (%s)', async (language, label, words) => {
    const { first } = await comingBack({ finished: failure('denied') }, undefined, language);
    const page = await first.text();
    expect(page).toMatch(
      new RegExp(`<a class="button" href="/connect/again\\?flow=[\\w-]{22}">${label}</a>`),
    );
    expect(page).toContain(words);
  });

  it.each(['connection', 'browser', 'client_refused', 'state'] as const)(
    'offers nothing where it would not help: %s',
    async (kind) => {
      const { first } = await comingBack({ finished: failure(kind) });
      expect(await first.text()).not.toContain('class="button"');
    },
  );

  it('offers nothing to a callback of another visit', async () => {
    const visit = await comingBack({ finished: failure('denied') });
    const other = await visit.load(
      openDesk({ finished: failure('denied') }),
      `${CALLBACK}?state=other&error=x`,
    );
    expect(await other.text()).not.toContain('class="button"');
  });

  it('leads to the link that the browser remembers, and asks to open it again where none is', async () => {
    const { load, first } = await comingBack({ finished: failure('denied') });
    const [again = ''] = /\/connect\/again\?flow=[\w-]+/.exec(await first.text()) ?? [];
    const known = await load(openDesk({}), again);
    expect([known.status, known.headers.get('location')]).toEqual([303, `/connect/${TOKEN}`]);
    const other = await openDesk({}).app.request(again);
    expect([other.status, other.headers.get('location')]).toEqual([410, null]);
    expect(await other.text()).toContain('Open the link you were given again');
  });

  it('offers the link again where the provider did not even let the browser in', async () => {
    const { gone } = await comingBack({ started: failure('start_failed') });
    expect(gone.status).toBe(502);
    expect(await gone.text()).toContain(`href="?">Try again</a>`);
  });
});

describe('reload of an OAuth callback', () => {
  it.each([
    ['denied', 403, 'Access was not allowed'],
    ['provider_error', 502, 'Attio could not continue'],
    ['unreachable', 502, 'Attio does not answer'],
  ] as const)('shows the last outcome again: %s', async (kind, status, title) => {
    const error = kind === 'provider_error' ? 'server_error' : 'access_denied';
    const { reload } = await comingBack({ finished: failure(kind) }, `state=s&error=${error}`);
    for (const again of [await reload(), await reload()]) {
      expect(again.status).toBe(status);
      expect(await again.text()).toContain(`<h1>${title}</h1>`);
    }
  });

  it('leads to the final page after an account was connected', async () => {
    const { first, reload } = await comingBack({ finished: null }, 'state=s&code=c');
    expect(first.status).toBe(302);
    const again = await reload();
    expect([again.status, again.headers.get('location')]).toEqual([303, '/connect/done']);
  });

  it.each(['x.y', `${TOKEN}.${'m'.repeat(22)}.denied`, `${TOKEN}..<script>`])(
    'believes no cookie of another form or visit: %s',
    async (cookie) => {
      const response = await openDesk({ finished: failure('state') }).app.request(`${CALLBACK}?state=s`, {
        headers: { cookie: `gatehouse_browser=known; gatehouse_flow=${cookie}` },
      });
      expect(await response.text()).toContain('<h1>We did not expect this answer</h1>');
    },
  );
});

describe('button to decline on the link page', () => {
  it.each([
    ['en', 'Do not connect'],
    ['de', 'Nicht verbinden'],
  ])('posts the CSRF token of the page (%s)', async (language, label) => {
    const response = await openDesk().app.request('/connect/token-1', {
      headers: { 'accept-language': language },
    });
    const page = await response.text();
    expect(page).toContain('action="?decline"');
    expect(page).toContain(`<button class="quiet" type="submit">${label}</button>`);
  });

  const post = (desk: ReturnType<typeof openDesk>, headers: Record<string, string> = {}) =>
    desk.app.request('/connect/token-1?decline', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: 'gatehouse_browser=known',
        ...headers,
      },
      body: 'csrf=csrf-value',
    });

  it('ends the link and shows its page, which says so', async () => {
    const desk = openDesk();
    const response = await post(desk);
    expect([response.status, response.headers.get('location')]).toEqual([303, '/connect/token-1']);
    expect(desk.declined).toEqual([{ token: 'token-1', browser: 'known', csrf: 'csrf-value' }]);
    const after = await openDesk({ openFails: new PageFailure('link', 'declined') }).app.request(
      '/connect/token-1',
    );
    expect(after.status).toBe(410);
    const page = await after.text();
    expect(page).toContain('<h1>You did not connect the account</h1>');
    expect(page).toContain('tell the person or the company that runs the agent');
  });

  it('names no asking agent to somebody who made the link themselves, and leads back to the accounts', async () => {
    const mark = createHash('sha256').update('token-1').digest('base64url').slice(0, 22);
    const desk = openDesk({ openFails: new PageFailure('link', 'declined') });
    const after = await desk.app.request('/connect/token-1', {
      headers: { cookie: `gatehouse_own_link=${mark}` },
    });
    const page = await after.text();
    expect([after.status, page.includes('runs the agent')]).toEqual([410, false]);
    expect(page).toContain('<a href="/accounts">your accounts</a>');
  });

  it('does nothing for a form of another site, or another content type', async () => {
    const desk = openDesk();
    expect((await post(desk, { origin: 'https://evil.test' })).status).toBe(403);
    expect((await post(desk, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(desk.declined).toEqual([]);
  });
});
