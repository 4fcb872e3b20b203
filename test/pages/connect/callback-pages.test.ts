import { describe, expect, it } from 'vitest';
import { openDesk, policyOf, tagsOf } from '../support.ts';
import { PageFailure, type PageFailureKind } from '../../../src/core/page-failure.ts';

const CALLBACK = '/sso/v1/oauth/conn_1/callback';
const AGAIN = 'pen the link you were given again: it still works';

const fail = (kind: PageFailureKind<'callback'>, more: ConstructorParameters<typeof PageFailure>[2] = {}) =>
  openDesk({ finished: new PageFailure('callback', kind, more) });

describe('OAuth callback page: failure', () => {
  it.each([
    ['state', 400, 'We did not expect this answer', AGAIN],
    ['expired', 410, 'That took too long', AGAIN],
    ['connection', 400, 'This answer came back to the wrong place', AGAIN],
    ['browser', 403, 'This did not start in this browser', 'open it again and stay in one browser'],
    ['malformed', 400, 'We cannot read this answer', AGAIN],
    ['issuer', 400, 'This answer comes from somebody else', AGAIN],
    ['denied', 403, 'Access was not allowed', AGAIN],
    ['provider_error', 502, 'Attio could not continue', AGAIN],
    ['code_refused', 502, 'The last step failed', AGAIN],
    ['client_refused', 502, 'Attio does not know this Gatehouse', 'Tell the operator of this Gatehouse'],
    ['unreachable', 502, 'Attio does not answer', AGAIN],
    ['bad_answer', 502, 'The last step failed', AGAIN],
    ['start_failed', 502, 'Attio does not let you in', AGAIN],
    ['start_refused', 502, 'Attio does not know this Gatehouse', 'Tell the operator of this Gatehouse'],
  ] as const)('explains the failure in words: %s', async (kind, status, title, next) => {
    const response = await fail(kind, { connectorTitle: 'Attio' }).app.request(`${CALLBACK}?state=s&code=c`);
    const page = await response.text();
    expect(response.status).toBe(status);
    expect(page).toContain(`<h1>${title}</h1>`);
    expect(page).toContain(`<title>${title} · Gatehouse</title>`);
    expect(page).toContain(next);
    expect(page).toMatch(/Nothing was (stored|changed)|nothing was stored/);
    for (const tag of ['form', 'script', 'a', 'img']) expect(tagsOf(page)).not.toContain(tag);
    expect(policyOf(response)).toMatchObject({ 'form-action': "'none'", 'frame-ancestors': "'none'" });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it.each([
    ['provider_error', 'The provider could not continue'],
    ['client_refused', 'The provider does not know this Gatehouse'],
    ['unreachable', 'The provider does not answer'],
  ] as const)('explains the failure where the provider is not known: %s', async (kind, title) => {
    const page = await (await fail(kind).app.request(`${CALLBACK}?state=s`)).text();
    expect(page).toContain(`<h1>${title}</h1>`);
  });

  it('shows the words of the provider as its own', async () => {
    const providerText = 'access_denied: Your administrator has not approved this app.';
    const desk = fail('denied', { connectorTitle: 'Attio', providerText });
    const page = await (await desk.app.request(`${CALLBACK}?state=s&error=access_denied`)).text();
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      `<figcaption>In the words of Attio, not of Gatehouse:</figcaption> <blockquote><bdi>${providerText}</bdi></blockquote>`,
    );
  });

  it('adds no markup from the provider or the request', async () => {
    const hostile = `"'><script>alert(1)</script></title></bdi></blockquote><a href=//evil.test>Sign in</a>`;
    const more = (text: string) => ({ connectorTitle: text, providerText: text });
    const shown = async (text: string) =>
      (await fail('provider_error', more(text)).app.request(`${CALLBACK}?state=s`)).text();
    const page = await shown(hostile);
    expect(page.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThan(3);
    expect(tagsOf(page)).toEqual(tagsOf(await shown('harmless')));
  });

  it.each(['state', 'denied', 'malformed', 'provider_error'] as const)(
    'repeats nothing of the request: %s',
    async (kind) => {
      const query = 'state=my-state&code=my-code&error=my-error&error_description=Call%20555&iss=my-iss';
      const response = await fail(kind).app.request(
        `/sso/v1/oauth/%3Cscript%3Ealert(1)%3C%2Fscript%3E/callback?${query}`,
      );
      const page = await response.text();
      expect(page).not.toMatch(/my-|555|alert/);
      expect(response.headers.get('location')).toBeNull();
    },
  );

  it.each([
    'client_refused',
    'unreachable',
    'bad_answer',
    'start_failed',
    'start_refused',
    'code_refused',
    'provider_error',
    'issuer',
  ] as const)('logs a failure that the operator has to look at: %s', async (kind) => {
    const cause = new Error('the token endpoint answered 503');
    const desk = fail(kind, { connectorTitle: 'Attio', providerText: 'said', cause });
    await desk.app.request(`${CALLBACK}?state=my-state&code=my-code`, {
      headers: { cookie: 'gatehouse_browser=known' },
    });
    expect(desk.logged).toEqual([
      {
        event: 'callback_failed',
        fields: { environment_id: 'env_1', error_code: kind, connection_id: 'conn_1', err: cause },
      },
    ]);
  });

  it('names no connection in the log that came from the request alone', async () => {
    const desk = fail('connection');
    await desk.app.request('/sso/v1/oauth/anything/callback?state=s&code=c');
    expect(desk.logged).toEqual([
      { event: 'callback_failed', fields: { environment_id: 'env_1', error_code: 'connection' } },
    ]);
  });

  it.each(['state', 'expired', 'browser', 'malformed', 'denied'] as const)(
    "logs nothing when the failure is the person's: %s",
    async (kind) => {
      const desk = fail(kind);
      await desk.app.request(`${CALLBACK}?state=s&code=c`);
      expect(desk.logged).toEqual([]);
    },
  );
});
