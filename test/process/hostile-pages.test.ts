/** What a person's browser is shown and where it is sent, with hostile values everywhere (docs/security.md#pages). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authRequestIn } from '../support/deployment/browser.ts';
import { BASE_URL, Deployment, VERIFY_URL } from '../support/deployment/deployment.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';
import type { OAuthProvider } from '../support/oauth-provider/provider.ts';

let deployment: Deployment;
let provider: OAuthProvider;
let server: ServerProcess;

beforeAll(async () => {
  deployment = await Deployment.open({
    site: [
      `base_url: ${BASE_URL}`,
      `user_verify_url: ${VERIFY_URL}`,
      `user_verify_urls: ["${VERIFY_URL}", "https://other.example.test/apps"]`,
    ],
  });
  provider = deployment.provider;
  server = await deployment.serve();
});
beforeEach(() => provider.reset());
afterAll(() => deployment?.close());

describe('redirect URL after a link (open redirect)', () => {
  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example/verified',
    '/verified',
    'http://app.example.test/verified',
    'https://app.example.test@evil.example/verified',
    'https://user:password@app.example.test/verified',
    'https://app.example.test.evil.example/verified',
    'https://app.example.test:8443/verified',
    'https://app.example.test\\@evil.example/verified',
    'https://app.example.test/verified/../admin',
    'https://app.example.test/verified%2f..%2f..%2fadmin/../../other',
    'https://app.example.test/verifiedness',
    'https://other.example.test/',
    'https://evil.example/?https://app.example.test/verified',
    ' https://app.example.test/verified',
    'https://app.example.test/verified\r\nset-cookie: a=b',
    'https://\u0430pp.example.test/verified',
  ])('refuses the redirect to %j', async (user_verify_url) => {
    const { status, body } = await server.api('POST', '/connected_accounts/magic_link', {
      connector: 'ledger',
      user_id: 'redirects',
      user_verify_url,
    });
    expect([status, body.link]).toEqual([400, undefined]);
    expect(body.details?.[0]?.field_violations?.map(({ field }) => field)).toEqual(['user_verify_url']);
  });

  it("keeps the query of the link's URL and adds nothing of the callback", async () => {
    const user = 'sent-on';
    const user_verify_url = 'https://other.example.test/apps/1?lang=de&auth_request_id=forged&x=%26';
    const link = await server.magicLink(user, { user_verify_url, state: 'a&b="<' });
    const browser = deployment.browser(server);
    const callback = await browser.consent(link);
    const page = await browser.get(
      `${callback}&user_verify_url=https%3A%2F%2Fevil.example&next=//evil.example`,
    );
    const { origin, pathname, searchParams } = new URL(page.location);
    expect(origin + pathname).toBe('https://other.example.test/apps/1');
    expect([...searchParams.keys()].toSorted()).toEqual(['auth_request_id', 'lang', 'state', 'x']);
    expect(searchParams.get('state')).toBe('a&b="<');
    expect((await server.verify(authRequestIn(page), user)).body).toEqual({
      post_user_verify_redirect_url: `${BASE_URL}/connect/done`,
    });
  });
});

describe('markup in pages (XSS)', () => {
  const MARKUP = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

  it('escapes markup wherever a page repeats it', async () => {
    const browser = deployment.browser(server);
    const encoded = encodeURIComponent(MARKUP);
    const pages = [];
    const link = await server.magicLink('markup', { identifier: MARKUP, state: MARKUP });
    pages.push(await browser.get(link));
    provider.set({ authorize: { mode: 'deny', description: MARKUP } });
    pages.push(await browser.connect(link));
    provider.set({
      authorize: { mode: 'error', description: MARKUP, extra: [['error_uri', 'javascript:alert(1)']] },
    });
    pages.push(await browser.connect(link));
    provider.reset({ authorize: { iss: MARKUP } });
    pages.push(await browser.connect(link));
    provider.reset();
    provider.queue({
      target: 'token',
      answer: {
        status: 400,
        json: { error: MARKUP, error_description: MARKUP, error_uri: 'javascript:alert(1)' },
      },
    });
    pages.push(await browser.connect(link));
    for (const path of [
      `/connect/${encoded}`,
      `/connect/${encoded}/go`,
      `/connect/done?x=${encoded}`,
      `/sso/v1/oauth/${encoded}/callback?code=x&state=${encoded}`,
      `/sso/v1/oauth/conn_ledger/callback?error=${encoded}&error_description=${encoded}&state=${encoded}`,
    ])
      pages.push(await browser.get(`${BASE_URL}${path}`));
    for (const { text, status, headers } of pages) {
      expect(status).toBeLessThan(503);
      expect(status).not.toBe(500);
      expect(text).toContain('<h1>');
      expect(text.replaceAll(/<style>.*?<\/style>/gs, '')).not.toMatch(/<script|<img|onerror='|javascript:/);
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    }
    expect(pages[1]?.text).toContain('&lt;script&gt;');
  });
});
