import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { PageFailure } from '../../../src/core/page-failure.ts';
import { openDesk, policyOf, tagsOf } from '../support.ts';

describe('page for a link that cannot be used', () => {
  it.each([
    ['unknown', 404, 'We cannot find this link', 'it will give you a new one'],
    ['expired', 410, 'This link has expired', 'it will give you a new one'],
    ['used', 410, 'This link has been used', 'If that was you, there is nothing left to do.'],
    ['csrf', 403, 'This form is no longer valid', 'Open the link again in this browser'],
  ] as const)('explains the problem with the link: %s', async (kind, status, what, next) => {
    for (const response of [
      await openDesk({ openFails: new PageFailure('link', kind) }).app.request('/connect/token-1'),
      await openDesk({ submitted: new PageFailure('link', kind) }).post({ csrf: 'csrf-value' }),
    ]) {
      const page = await response.text();
      expect(response.status).toBe(status);
      expect(page).toContain(`<h1>${what}</h1>`);
      expect(page).toContain(next);
      expect(tagsOf(page)).not.toContain('form');
      expect(policyOf(response)['form-action']).toBe("'none'");
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  it('does not repeat the link in the page', async () => {
    const desk = openDesk({ openFails: new PageFailure('link', 'unknown') });
    const page = await (
      await desk.app.request('/connect/%3Cscript%3Ealert(1)%3C%2Fscript%3E?x=%3Cb%3E')
    ).text();
    expect(page).not.toContain('alert(1)');
    expect(page).not.toContain('%3Cscript');
  });

  it('shows the problem when a wrong form is sent again', async () => {
    const desk = openDesk({
      openFails: new PageFailure('link', 'expired'),
      submitted: new PageFailure('link', 'expired'),
    });
    expect((await desk.post({ csrf: 'csrf-value' })).status).toBe(410);
  });
});

describe('page of a link that fails', () => {
  it('explains a failure in plain words, shows nothing of the cause and logs it', async () => {
    const cause = new Error('secret cause <b>');
    const desk = openDesk({ openFails: cause });
    const response = await desk.app.request('/connect/token-1');
    const page = await response.text();
    expect(response.status).toBe(500);
    expect(page).toContain('Something went wrong here');
    expect(page).not.toContain('secret cause');
    expect(policyOf(response)['default-src']).toBe("'none'");
    expect(desk.logged).toEqual([{ event: 'page_failed', fields: { environment_id: 'env_1', err: cause } }]);
  });

  it.each([
    ['UNAVAILABLE', 503, ['page_unavailable']],
    ['RATE_LIMITED', 429, []],
  ] as const)('asks the visitor to wait when the service is %s', async (code, status, events) => {
    const cause = new ServiceError(code, 'inside words', { retryAfterSeconds: 7 });
    const desk = openDesk({ submitted: cause });
    const response = await desk.post({ csrf: 'csrf-value' });
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('7');
    const page = await response.text();
    expect(page).toContain('Wait a few seconds');
    expect(page).toContain('tell the operator of this Gatehouse');
    expect(page).not.toContain('inside words');
    expect(desk.logged).toEqual(
      events.map((event) => ({ event, fields: { environment_id: 'env_1', err: cause } })),
    );
  });
});

describe('pages without a link', () => {
  it.each([
    ['gatehouse_done=1', '<h1>Connected</h1>', 'If an agent asked for this, go back and ask it again'],
    ['gatehouse_browser=b', '<h1>There is nothing left to do here</h1>', 'Go back to your agent'],
  ])(
    'sends people back to their agent from GET /connect/done, with the cookie %s',
    async (cookie, heading, next) => {
      const desk = openDesk();
      const response = await desk.app.request('/connect/done?message=%3Cscript%3E&title=evil', {
        headers: { cookie },
      });
      const page = await response.text();
      expect(response.status).toBe(200);
      expect(page).toContain(heading);
      expect(page).toContain(next);
      expect(page).not.toContain('evil');
      expect(desk.opened).toEqual([]);
    },
  );

  it('tells nobody at GET /connect/done that an account is connected who just opens it', async () => {
    const page = await (await openDesk().app.request('/connect/done')).text();
    expect(page).not.toContain('Connected');
    expect(page).not.toContain('The account is connected');
    expect(page).toContain('If you connected an account before you came here, it is connected.');
  });

  it('says at GET / where programs find the service', async () => {
    const answer = await openDesk({ baseUrl: 'https://gate.example.test' }).app.request('/');
    // Long addresses may break after their dots and slashes.
    const page = (await answer.text()).replaceAll('<wbr />', '');
    expect(page).toContain('<code>https://gate.example.test/mcp</code>');
    expect(page).toContain('<code>https://gate.example.test/api/v1</code');
  });

  it('leads people to sign in and operators to the dashboard at GET /', async () => {
    const page = await (await openDesk().app.request('/')).text();
    expect(page).toMatch(/<a href="\/sign-in">Sign in<\/a\s*>/);
    expect(page).toMatch(/<a href="\/dashboard">Dashboard<\/a\s*>/);
  });

  it.each([
    ['/favicon.ico', 'image/svg+xml', '<svg '],
    ['/robots.txt', 'text/plain; charset=UTF-8', 'User-agent: *\nDisallow: /\n'],
  ])('serves the file that browsers and crawlers request: %s', async (path, type, begin) => {
    const answer = await openDesk().app.request(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect((await answer.text()).startsWith(begin)).toBe(true);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['GET', '/connect/'],
    ['GET', '/connect/token-1/more'],
    ['GET', '/connect/%FF%00/x'],
    ['POST', '/connect/token-1/more'],
    ['PUT', '/connect/token-1'],
    ['POST', '/dashboard'],
  ])('answers 404 to every other page: %s %s', async (method, path) => {
    const desk = openDesk();
    const response = await desk.app.request(path, { method });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('There is no page here');
    expect(policyOf(response)['default-src']).toBe("'none'");
    expect([...desk.opened, ...desk.submissions]).toEqual([]);
  });

  it.each(['/', '/connect/done'])('keeps %s out of frames and lets it post nothing', async (path) => {
    const response = await openDesk().app.request(path);
    expect(policyOf(response)).toMatchObject({ 'frame-ancestors': "'none'", 'form-action': "'none'" });
    expect(response.headers.get('x-frame-options')).toBe('DENY');
  });
});
