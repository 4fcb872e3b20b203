import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { InvalidForm } from '../../../src/links/link-rules.ts';
import { BROWSER, LINK_PAGE, openDesk, policyOf, tagsOf } from '../support.ts';

describe('link page: GET /connect/:token', () => {
  it('says who asks, for which app and which account', async () => {
    const response = await openDesk().app.request('/connect/token-1');
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=UTF-8');
    expect(page).toContain('<title>Connect Exa · Gatehouse</title>');
    expect(page).toContain('An AI agent wants to use Exa for you.');
    expect(page).toContain('<bdi>ada@example.test</bdi>');
    expect(page).toContain('stored encrypted at <bdi>127.0.0.1:3000</bdi>.');
  });

  it.each([
    ['en', 'Sales desk', null, '<bdi>Sales desk</bdi> wants to use Exa for you.'],
    ['de', 'Sales desk', null, '<bdi>Sales desk</bdi> möchte Exa für Sie benutzen.'],
    [
      'en',
      null,
      'Assistant',
      'An AI agent that calls itself <bdi>Assistant</bdi> wants to use Exa for you.|Nobody has checked this name.',
    ],
    [
      'de',
      null,
      'Assistant',
      'Ein KI-Agent, der sich <bdi>Assistant</bdi> nennt, möchte Exa für Sie benutzen.|Niemand hat diesen Namen geprüft.',
    ],
    [
      'en',
      'Sales desk',
      'Assistant',
      'An AI agent that calls itself <bdi>Assistant</bdi> wants to use Exa for you.|The request comes from <bdi>Sales desk</bdi>; nobody has checked the other name.',
    ],
  ])(
    'tells a given name from a claimed one (%s, %s, %s)',
    async (language, requester, requestedBy, words) => {
      const response = await openDesk({ page: { requester, requestedBy } }).app.request('/connect/token-1', {
        headers: { 'accept-language': language },
      });
      const page = (await response.text()).replaceAll(/\s+/g, ' ');
      for (const sentence of words.split('|')) expect(page).toContain(sentence);
    },
  );

  it.each([
    ['en', 'Your agents will be able to use Exa for you. They see the answers'],
    ['de', 'Ihre Agenten können danach Exa für Sie benutzen. Sie sehen die Antworten'],
  ])('names no requester if the reader made the link (%s)', async (language, words) => {
    // SHA-256 of token-1, as the page of one's own accounts leaves it.
    const cookie = `gatehouse_own_link=${createHash('sha256').update('token-1').digest('base64url').slice(0, 22)}`;
    const show = async (path: string): Promise<string> => {
      const headers = { cookie, 'accept-language': language };
      const response = await openDesk().app.request(path, { headers });
      return (await response.text()).replaceAll(/\s+/g, ' ');
    };
    const [own, other] = [await show('/connect/token-1'), await show('/connect/token-2')];
    expect(own).toContain(words);
    expect(own).not.toMatch(/Did you ask|Haben Sie darum gebeten/);
    expect(other).toMatch(/Did you ask|Haben Sie darum gebeten/);
  });

  it('names the person before the account', async () => {
    const desk = openDesk({ page: { ownerName: 'Ada Lovelace' } });
    const page = await (await desk.app.request('/connect/token-1')).text();
    expect(page).toContain('<bdi>Ada Lovelace</bdi><small><bdi>ada@example.test</bdi></small>');
  });

  it('says how long the link works', async () => {
    const page = await (await openDesk().app.request('/connect/token-1')).text();
    expect(page).toContain('<time datetime="2026-11-20T12:58:30.000Z">12:58 UTC</time>');
    expect(page).toContain('(58 minutes left)');
  });

  it.each([
    [30_000, 'less than a minute left'],
    [60_000, '1 minute left'],
    [119 * 60_000, '119 minutes left'],
    [3 * 3_600_000 + 1, '3 hours left'],
  ])('writes the time of %i ms as %s', async (leftMs, words) => {
    const expiresAt = Date.UTC(2026, 10, 20, 12) + leftMs;
    const page = await (await openDesk({ page: { expiresAt } }).app.request('/connect/token-1')).text();
    expect(page).toContain(`(${words})`);
  });

  it('asks for exactly the declared fields', async () => {
    const fields = [
      { name: 'user', label: 'User name', input: 'text', required: true },
      { name: 'password', label: 'Password', input: 'password', hint: 'Your API password.', required: false },
    ] as const;
    const page = await (await openDesk({ page: { fields } }).app.request('/connect/token-1')).text();
    const inputs = [...page.matchAll(/<input[^>]*name="([^"]*)"[^>]*type="([^"]*)"/g)].map((match) =>
      match.slice(1),
    );
    expect(inputs).toEqual([
      ['user', 'text'],
      ['password', 'password'],
    ]);
    expect(page.match(/<input/g)).toHaveLength(4);
    expect(page).toContain('<input type="hidden" name="csrf" value="csrf-value" />');
    expect(page).toContain('<label for="field-0">User name</label>');
    expect(page).toContain('<label for="field-1">Password <span>(optional)</span></label>');
    expect(page).toContain('<p class="hint" id="field-1-hint">Your API password.</p>');
    expect(page).toContain('aria-describedby="field-1-hint"');
    expect(page.match(/autocomplete="off"/g)).toHaveLength(2);
    expect(page.match(/\brequired\b/g)).toHaveLength(1);
  });

  it.each([
    ['ACTIVE', 'This account is already connected.'],
    ['EXPIRED', 'The credentials stored for this account no longer work.'],
    ['DISCONNECTED', 'This account was disconnected.'],
    ['PENDING_VERIFICATION', 'Credentials for this account are waiting to be confirmed.'],
  ])('explains the request for an account that is %s', async (status, words) => {
    const page = await (await openDesk({ page: { status } }).app.request('/connect/token-1')).text();
    expect(page).toContain(words);
  });

  it('names the destination after the form', async () => {
    const desk = openDesk({ page: { submitOrigin: 'https://app.example.test:8443' } });
    const page = await (await desk.app.request('/connect/token-1')).text();
    expect(page).toContain('After that you go to <bdi>app.example.test:8443</bdi>');
  });

  it.each([
    ['text', false],
    ['password', true],
    ['multiline', true],
  ] as const)('has a script, allowed by its hash, only for a masked field: %s', async (input, isScripted) => {
    const fields = [{ name: 'key', label: 'Key', input, required: true }];
    const response = await openDesk({ page: { fields } }).app.request('/connect/token-1');
    const page = await response.text();
    const [, script] = /<script>([^]*?)<\/script>/.exec(page) ?? [];
    const hash = script && createHash('sha256').update(script).digest('base64');
    expect(/script-src ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1]).toBe(
      isScripted ? `'sha256-${hash}'` : undefined,
    );
    expect(tagsOf(page).includes('script')).toBe(isScripted);
  });

  it('loads nothing from another site', async () => {
    const page = await (await openDesk().app.request('/connect/token-1')).text();
    expect(page).not.toMatch(/\bsrc=/);
    expect(page.match(/\baction="[^"]*"/g)).toEqual(['action="?decline"']);
  });

  it('gives the browser a cookie that scripts and other sites cannot use', async () => {
    const response = await openDesk().app.request('/connect/token-1');
    expect(response.headers.get('set-cookie')).toBe(
      `gatehouse_browser=${BROWSER}; Path=/; HttpOnly; SameSite=Lax`,
    );
  });

  it('marks the cookie secure where the public address is https', async () => {
    const response = await openDesk({ baseUrl: 'https://gate.example.test' }).app.request('/connect/token-1');
    expect(response.headers.get('set-cookie')).toBe(
      `__Host-gatehouse_browser=${BROWSER}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    );
  });

  it('recognizes the browser by its cookie', async () => {
    const desk = openDesk();
    await desk.app.request('/connect/token-1', { headers: { cookie: 'gatehouse_browser=known; other=1' } });
    expect(desk.opened).toEqual([{ token: 'token-1', browser: 'known' }]);
  });

  it('accepts only the cookie that no other host can set, where the public address is https', async () => {
    const desk = openDesk({ baseUrl: 'https://gate.example.test' });
    for (const name of ['gatehouse_browser', '__Secure-gatehouse_browser', '__Host-gatehouse_browser'])
      await desk.app.request('/connect/token-1', { headers: { cookie: `${name}=of-${name}` } });
    expect(desk.opened.map((open) => open.browser)).toEqual([
      undefined,
      undefined,
      'of-__Host-gatehouse_browser',
    ]);
  });

  it('leaves the link unopened for HEAD', async () => {
    const desk = openDesk();
    const response = await desk.app.request('/connect/token-1', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(desk.opened).toEqual([]);
  });

  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
  ])('leaves the link unopened for a browser that prefetches (%s: %s)', async (name, value) => {
    const desk = openDesk();
    const response = await desk.app.request('/connect/token-1', { headers: { [name]: value } });
    expect(response.status).toBe(503);
    expect(desk.opened).toEqual([]);
  });
});

describe('link page: security headers (CSP)', () => {
  it('keeps the page out of frames, caches and search and lets only its own script run', async () => {
    const response = await openDesk().app.request('/connect/token-1');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(policyOf(response)).toEqual({
      'default-src': "'none'",
      'style-src': expect.stringMatching(/^'sha256-[A-Za-z0-9+/]{43}='$/),
      'script-src': expect.stringMatching(/^'sha256-[A-Za-z0-9+/]{43}='$/),
      'img-src': 'data:',
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
    });
  });

  it.each([
    ['a page of ours', 'http://127.0.0.1:3000', 303],
    ['the app', 'https://app.example.test', 200],
    ['nowhere', null, 200],
  ])(
    'redirects to the public address only if its form ends there: %s',
    async (_where, submitOrigin, status) => {
      const desk = openDesk({ page: { submitOrigin } });
      const response = await desk.app.request('http://localhost:3000/connect/token-1');
      expect(response.status).toBe(status);
      if (status === 303)
        expect(response.headers.get('location')).toBe('http://127.0.0.1:3000/connect/token-1');
    },
  );

  it.each([
    ['https://app.example.test', "'self' https://app.example.test http://127.0.0.1:3000 https:"],
    ['http://localhost:4000', "'self' http://localhost:4000 http://127.0.0.1:3000 https:"],
    ['http://[::1]:4000', "'self' http: http://127.0.0.1:3000 https:"],
    ['https://a;script-src.example.test', "'self' https: http://127.0.0.1:3000"],
    ['https://a,b.example.test', "'self' https: http://127.0.0.1:3000"],
    ["https://'unsafe-inline'.example.test", "'self' https: http://127.0.0.1:3000"],
  ])('allows the form to lead to %s', async (submitOrigin, sources) => {
    const response = await openDesk({ page: { submitOrigin } }).app.request('/connect/token-1');
    expect(policyOf(response)['form-action']).toBe(sources);
    expect(Object.keys(policyOf(response))).toHaveLength(7);
  });
});

describe('link page: POST /connect/:token', () => {
  it('passes the form on with the cookie of the browser', async () => {
    const desk = openDesk();
    await desk.post({ csrf: 'csrf-value', api_key: 'k ey&=ü' }, { cookie: 'gatehouse_browser=known' });
    expect(desk.submissions).toEqual([
      { token: 'token-1', browser: 'known', form: { csrf: 'csrf-value', api_key: 'k ey&=ü' } },
    ]);
  });

  it('redirects to the page that says it is done', async () => {
    const response = await openDesk().post({ csrf: 'csrf-value', api_key: 'key' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/connect/done');
    expect(response.headers.get('set-cookie')).toBe(
      'gatehouse_done=1; Max-Age=600; Path=/; HttpOnly; SameSite=Lax',
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await response.text()).toBe('');
  });

  it('tells on the last page that the credential could not be tried', async () => {
    const untried = { redirectTo: null, connectorTitle: 'Exa', isUntried: true };
    const posted = await openDesk({ submitted: untried }).post({ csrf: 'csrf-value', api_key: 'key' });
    const cookies = posted.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
    expect(cookies).toEqual(['gatehouse_untried=1', 'gatehouse_done=1']);
    const last = await openDesk().app.request('/connect/done', { headers: { cookie: cookies.join('; ') } });
    expect(await last.text()).toContain('could not be tried');
    const again = await openDesk().post({ csrf: 'csrf-value' }, { cookie: 'gatehouse_untried=1' });
    expect(again.headers.getSetCookie()[0]).toMatch(/^gatehouse_untried=; Max-Age=0/);
  });

  it('redirects to the app of the customer when it verifies its users', async () => {
    const redirectTo = 'https://app.example.test/verify?auth_request_id=abc&state=s';
    const response = await openDesk({ submitted: { redirectTo, connectorTitle: 'Exa' } }).post({
      csrf: 'csrf-value',
    });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(redirectTo);
  });

  it('says nothing is connected that its owner has to confirm first', async () => {
    const redirectTo = 'http://127.0.0.1:3000/connect/confirm?auth_request_id=abc';
    const response = await openDesk({ submitted: { redirectTo, connectorTitle: 'Exa' } }).post({
      csrf: 'csrf-value',
    });
    expect(response.headers.get('location')).toBe(redirectTo);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it('calls nothing connected when the form is refused', async () => {
    const violations = [{ field: 'api_key', description: 'API key is required.', constraint: 'required' }];
    const response = await openDesk({ submitted: new InvalidForm(violations) }).post({ csrf: 'csrf-value' });
    expect(response.headers.get('set-cookie')).not.toContain('gatehouse_done');
  });

  it.each(['next', 'redirect', 'return_to', 'url', 'user_verify_url'])(
    'takes no redirect target from the request (%s)',
    async (name) => {
      const desk = openDesk();
      const response = await desk.app.request(`/connect/token-1?${name}=https://evil.example.test`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `csrf=csrf-value&${name}=https%3A%2F%2Fevil.example.test`,
      });
      expect(response.headers.get('location')).toBe('/connect/done');
    },
  );

  it('shows a wrong form again, each field with its problem and the entered values, but no secret', async () => {
    const desk = openDesk({
      page: {
        fields: [
          { name: 'domain', label: 'Domain', input: 'text', hint: 'Without https.', required: true },
          { name: 'api_key', label: 'API key', input: 'password', required: true },
        ],
      },
      submitted: new InvalidForm([
        { field: 'domain', description: 'Domain does not look right.', constraint: 'pattern' },
        { field: 'api_key', description: 'API key is too long.', constraint: 'max_length' },
      ]),
    });
    const response = await desk.post({ csrf: 'csrf-value', domain: 'a "b" <c>', api_key: 'hush-hush' });
    const page = await response.text();
    expect(response.status).toBe(400);
    expect(page).toContain('<title>Error: Connect Exa · Gatehouse</title>');
    expect(page).toContain('<h2 tabindex="-1" autofocus>Nothing was stored. Please correct this:</h2>');
    expect(page).toContain('<a href="#field-0">Domain does not look right.</a>');
    expect(page).toContain('<a href="#field-1">API key is too long.</a>');
    expect(page).toContain('value="a &quot;b&quot; &lt;c&gt;"');
    expect(page).toContain('aria-describedby="field-0-hint field-0-error"');
    expect(page.match(/aria-invalid="true"/g)).toHaveLength(2);
    expect(page).not.toContain('hush-hush');
    expect(policyOf(response)['form-action']).toBe("'self'");
  });

  it('refuses a field that is given twice', async () => {
    const desk = openDesk();
    const response = await desk.app.request('/connect/token-1', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'csrf=csrf-value&api_key=first&api_key=second',
    });
    const page = await response.text();
    expect(response.status).toBe(400);
    expect(page).toContain('Each field must be sent once.');
    expect(page).not.toContain('second');
    expect(desk.submissions).toEqual([]);
  });

  it('answers very many fields shortly, whatever their names', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => i.toString(36)).join('=&');
    const page = await (
      await openDesk().app.request('/connect/token-1', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `${names}=&0=`,
      })
    ).text();
    expect(page.match(/Each field must be sent once\./g)).toHaveLength(1);
  });

  it('shows a problem that belongs to no field', async () => {
    const desk = openDesk({
      submitted: new InvalidForm([
        { field: 'other', description: 'There is no field other.', constraint: 'unknown' },
      ]),
    });
    const page = await (await desk.post({ csrf: 'csrf-value' })).text();
    expect(page).toContain('There is no field other.');
    expect(page).not.toContain('aria-invalid="true"');
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'shows nothing inherited in a field named %s',
    async (name) => {
      const desk = openDesk({
        page: { fields: [{ name, label: 'Odd', input: 'text', required: true }] },
        submitted: new InvalidForm([
          { field: name, description: 'Odd is required.', constraint: 'required' },
        ]),
      });
      const page = await (await desk.post({ csrf: 'csrf-value' })).text();
      expect(page).toMatch(/type="text"\s+value=""/);
    },
  );

  it.each([
    ['https://evil.example.test'],
    ['null'],
    ['http://127.0.0.1:3001'],
    ['https://127.0.0.1:3000'],
    ['http://127.0.0.1:3000.evil.example.test'],
    ['not an origin'],
  ])('answers 403 to a form from the origin %s (CSRF)', async (origin) => {
    const desk = openDesk();
    const response = await desk.post({ csrf: 'csrf-value', api_key: 'key' }, { origin });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('This form came from another site');
    expect(desk.submissions).toEqual([]);
  });

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
    'accepts a form from %s, a name of this machine',
    async (origin) => {
      expect((await openDesk().post({ csrf: 'csrf-value' }, { origin })).status).toBe(303);
    },
  );

  it('accepts no form from loopback pages where the public address is elsewhere', async () => {
    const desk = openDesk({ baseUrl: 'https://gate.example.test' });
    expect((await desk.post({ csrf: 'csrf-value' }, { origin: 'https://localhost' })).status).toBe(403);
    expect((await desk.post({ csrf: 'csrf-value' }, { origin: 'https://gate.example.test' })).status).toBe(
      303,
    );
  });

  it.each([
    'application/json',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/x-www-form-urlencodedx',
    '',
  ])('refuses content of type "%s"', async (contentType) => {
    const desk = openDesk();
    const response = await desk.post({ csrf: 'csrf-value' }, { 'content-type': contentType });
    expect(response.status).toBe(415);
    expect(desk.submissions).toEqual([]);
  });

  it('refuses a form of more than 64 kB', async () => {
    const desk = openDesk();
    const response = await desk.post({ csrf: 'csrf-value', api_key: 'k'.repeat(65_536) });
    expect(response.status).toBe(413);
    expect(desk.submissions).toEqual([]);
  });

  /** A form that comes a byte at a time, without an announced length. */
  const piecewise = (text: string): RequestInit => {
    const bytes = Buffer.from(text);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        if (at === bytes.length) stream.close();
        else stream.enqueue(bytes.subarray(at, ++at));
      },
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { method: 'POST', headers, body, duplex: 'half' };
  };

  it('accepts a form that comes a byte at a time', async () => {
    const desk = openDesk();
    const response = await desk.app.request(
      '/connect/token-1',
      piecewise('csrf=csrf-value&api_key=schl%C3%BCssel-ü'),
    );
    expect(response.status).toBe(303);
    expect(desk.submissions[0]?.form).toEqual({ csrf: 'csrf-value', api_key: 'schlüssel-ü' });
  });

  it('refuses a form that goes beyond 64 kB, whatever it announced', async () => {
    const desk = openDesk();
    const whole = await desk.app.request('/connect/token-1', piecewise('a'.repeat(65_536)));
    expect(whole.status).toBe(303);
    const response = await desk.app.request('/connect/token-1', piecewise('a'.repeat(65_537)));
    expect(response.status).toBe(413);
    expect(desk.submissions).toHaveLength(1);
  });

  it('survives text that is not well-formed', async () => {
    const desk = openDesk();
    const response = await desk.app.request('/connect/token-1', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'csrf=%FF%00&%&api_key=%ED%A0%80&__proto__=x',
    });
    expect(response.status).toBe(303);
    expect(Object.keys(desk.submissions[0]?.form ?? {})).toEqual(['csrf', '%', 'api_key', '__proto__']);
  });
});

describe('link page: escaping of hostile values', () => {
  const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(2)></bdi></title><style>*{}</style>&lt;b&gt;`;

  it.each(['connectorTitle', 'identifier', 'csrf'] as const)(
    'adds no markup from the value of %s',
    async (member) => {
      const harmless = await (await openDesk().app.request('/connect/token-1')).text();
      const page = await (
        await openDesk({ page: { [member]: HOSTILE } }).app.request('/connect/token-1')
      ).text();
      expect(page).toContain('&lt;script&gt;alert(1)');
      expect(page).toContain('&amp;lt;b&amp;gt;');
      expect(tagsOf(page)).toEqual(tagsOf(harmless));
    },
  );

  it.each(['name', 'label', 'hint'] as const)('adds no markup from the %s of a field', async (member) => {
    const field = { ...LINK_PAGE.fields[0]!, [member]: HOSTILE };
    const harmless = await (await openDesk().app.request('/connect/token-1')).text();
    const page = await (await openDesk({ page: { fields: [field] } }).app.request('/connect/token-1')).text();
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(tagsOf(page)).toEqual(tagsOf(harmless));
  });

  it('adds no markup from an entered value and its problem', async () => {
    const rejectedForm = (text: string) =>
      openDesk({
        page: { fields: [{ name: 'domain', label: 'Domain', input: 'text', required: true }] },
        submitted: new InvalidForm([
          { field: 'domain', description: text, constraint: 'pattern' },
          { field: 'none', description: text, constraint: 'unknown' },
        ]),
      }).post({ csrf: 'csrf-value', domain: text });
    const harmless = await (await rejectedForm('plain')).text();
    const page = await (await rejectedForm(HOSTILE)).text();
    expect(page.match(/&lt;script&gt;alert\(1\)/g)).toHaveLength(4);
    expect(tagsOf(page)).toEqual(tagsOf(harmless));
  });

  it('keeps the writing direction of a value to itself', async () => {
    const identifier = '\u202Etset.elpmaxe@ada';
    const page = await (await openDesk({ page: { identifier } }).app.request('/connect/token-1')).text();
    expect(page).toContain(`<bdi>${identifier}</bdi>`);
  });
});
