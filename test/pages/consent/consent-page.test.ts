import { describe, expect, it } from 'vitest';
import type { LinkPage } from '../../../src/links/links.ts';
import { BROWSER, CONSENT_PAGE, openDesk, policyOf, tagsOf } from '../support.ts';

const { consent } = CONSENT_PAGE;

const show = async (page: Partial<LinkPage> = {}): Promise<string> =>
  (await openDesk({ page: { ...CONSENT_PAGE, ...page } }).app.request('/connect/token-1')).text();

/** The page as people read it. */
const wordsOf = (page: string): string =>
  page
    .replaceAll(/<style>.*?<\/style>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('link page before a consent', () => {
  it('says who asks, for which app and account, and where it goes', async () => {
    const page = await show();
    expect(page).toContain('<h1>Connect Attio</h1>');
    expect(page).toContain('An AI agent wants to use Attio for you.');
    expect(page).toContain('<bdi>ada@example.test</bdi>');
    expect(wordsOf(page)).toContain('Continues at app.provider.example.test compare it with the address bar');
    expect(wordsOf(page)).toContain(
      'You allow this at app.provider.example.test : your password stays there.',
    );
    expect(wordsOf(page)).toContain('Did you ask for this?');
  });

  it('groups permissions by what they allow, and folds their names away', async () => {
    const page = wordsOf(await show());
    expect(page).toContain(
      'What it may do Read note:read Add and change See and change tasks. ' +
        'Both permissions, by name See and change tasks. task:read-write note:read ' +
        'app.provider.example.test will ask you for exactly these permissions. Did you ask',
    );
  });

  it('leaves out of the groups what another permission includes', async () => {
    const scopes = [
      { name: 'note:read', meaning: 'Read notes.', power: 'read', isIncluded: true },
      { name: 'note:write', meaning: 'Read, create and delete notes.', power: 'delete', isIncluded: false },
      { name: 'offline', meaning: 'Keep the access.', power: 'other', isIncluded: false },
    ] as const;
    const page = wordsOf(await show({ consent: { ...consent, scopes } }));
    expect(page).toContain(
      'What it may do Delete Read, create and delete notes. Also Keep the access. ' +
        'All 3 permissions, by name Read notes. note:read',
    );
  });

  it.each([
    [
      { isChosenByApp: true },
      'task:read-write note:read app.provider.example.test may show more or fewer: what counts is what is ticked in the app registered with Attio.',
    ],
    [
      { isChosenByApp: true, scopes: [] },
      'The permissions are those ticked in the app registered with Attio. Read what app.provider.example.test shows before you agree. Did you ask',
    ],
    [
      { scopes: [] },
      'No particular permissions are requested. Read what app.provider.example.test shows before you agree. Did you ask',
    ],
  ])('promises no more than the provider keeps: %j', async (change, words) => {
    expect(wordsOf(await show({ consent: { ...consent, ...change } }))).toContain(words);
  });

  it('leads to the provider by a plain link, without script or a request of its own', async () => {
    const page = await show();
    expect(page).toMatch(
      /<a class="button" href="\/connect\/token-1\/go" rel="nofollow noreferrer"\s*>Continue to <bdi\s*>app\.provider\.example\.test<\/bdi\s*><\/a\s*>/,
    );
    for (const tag of ['script', 'img', 'iframe']) expect(tagsOf(page)).not.toContain(tag);
    expect(page.match(/<form[^>]*>/g)).toEqual(['<form class="decline" method="post" action="?decline">']);
    expect(page.match(/href="[^"]*"/g)?.filter((href) => !href.includes('data:'))).toHaveLength(1);
  });

  it('can post to nobody else and keeps the address from the provider', async () => {
    const response = await openDesk({ page: CONSENT_PAGE }).app.request('/connect/token-1');
    expect(policyOf(response)['form-action']).toBe("'self'");
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('set-cookie')).toBe(
      `gatehouse_browser=${BROWSER}; Path=/; HttpOnly; SameSite=Lax`,
    );
  });

  it('writes the link in its path as it was', async () => {
    const page = await (
      await openDesk({ page: CONSENT_PAGE }).app.request('/connect/a%22%3E%3Cscript%3E%2F..')
    ).text();
    expect(page).toContain('href="/connect/a%22%3E%3Cscript%3E%2F../go"');
  });

  it.each([
    ['ACTIVE', 'This account is already connected. What you allow now replaces what is stored.'],
    ['EXPIRED', 'The connection of this account has expired. Allow access again to continue.'],
    ['DISCONNECTED', 'This account was disconnected. Allow access to connect it again.'],
    [
      'PENDING_VERIFICATION',
      'Access to this account is waiting to be confirmed. What you allow now replaces it.',
    ],
  ])('explains the request for an account that is %s', async (status, words) => {
    expect(await show({ status })).toContain(words);
  });

  it('says who confirms afterwards, and how long the page works', async () => {
    const page = wordsOf(await show({ submitOrigin: 'https://app.example.test:8443' }));
    expect(page).toContain(
      'What Attio grants is stored encrypted at 127.0.0.1:3000 . The agent never sees it. ' +
        'After that you go to app.example.test:8443 to confirm that it is you. ' +
        'This page works until 12:58 UTC (58 minutes left).',
    );
  });

  it('redirects to the public name, so that the cookie comes along with the callback', async () => {
    const desk = openDesk({ page: CONSENT_PAGE });
    for (const host of ['localhost:3000', '[::1]:3000']) {
      const response = await desk.app.request(`http://${host}/connect/token-1`);
      expect(response.status).toBe(303);
      expect(response.headers.get('location')).toBe('http://127.0.0.1:3000/connect/token-1');
      expect(response.headers.get('set-cookie')).toBeNull();
    }
    expect((await desk.app.request('http://127.0.0.1:3000/connect/token-1')).status).toBe(200);
  });

  it.each([
    ['https://gate.example.test', 'http://127.0.0.1:3000'],
    ['http://localhost:8080', 'http://127.0.0.1:3000'],
    ['https://localhost:3000', 'http://127.0.0.1:3000'],
  ])('makes no redirect loop for %s behind a proxy that asks %s', async (baseUrl, asked) => {
    const desk = openDesk({ page: CONSENT_PAGE, baseUrl });
    expect((await desk.app.request(`${asked}/connect/token-1`)).status).toBe(200);
  });
});

describe('link page before a consent: escaping of hostile values', () => {
  const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(2)></bdi></title><style>*{}</style>&lt;b&gt;`;

  it.each(['connectorTitle', 'identifier', 'ownerName', 'requester', 'requestedBy'] as const)(
    'adds no markup from the value of %s',
    async (member) => {
      const page = await show({ [member]: HOSTILE });
      expect(page).toContain('&lt;script&gt;alert(1)');
      expect(tagsOf(page)).toEqual(tagsOf(await show({ [member]: 'harmless' })));
    },
  );

  it.each([
    { consent: { ...consent, providerHost: HOSTILE } },
    { consent: { ...consent, scopes: consent.scopes.map((scope) => ({ ...scope, name: HOSTILE })) } },
    {
      consent: {
        ...consent,
        scopes: consent.scopes.map((scope) => ({ ...scope, meaning: scope.meaning && HOSTILE })),
      },
    },
  ])('adds no markup from host, name and meaning of a permission (%#)', async (change) => {
    const page = await show(change);
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(tagsOf(page)).toEqual(tagsOf(await show()));
  });
});
