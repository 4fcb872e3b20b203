import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { invalidField, ServiceError } from '../../../src/core/errors.ts';
import { PageFailure } from '../../../src/core/page-failure.ts';
import { openDesk, policyOf } from '../support.ts';

const GO = '/connect/token-1/go';
const CALLBACK = '/sso/v1/oauth/conn_1/callback';
const known = { cookie: 'gatehouse_browser=known' };

describe('link page: GET /connect/:token/go', () => {
  it('sends a browser that has seen the page to the provider', async () => {
    const started = 'https://app.provider.example.test/authorize?client_id=c&state=s';
    const desk = openDesk({ started });
    const response = await desk.app.request(GO, { headers: { ...known, 'sec-fetch-site': 'same-origin' } });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(started);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await response.text()).toBe('');
    expect(desk.starts).toEqual([{ environmentId: 'env_1', token: 'token-1', browser: 'known' }]);
  });

  it.each([
    ['without our cookie', {}],
    ['from a page of somebody else', { ...known, 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same domain', { ...known, 'sec-fetch-site': 'same-site' }],
    ['from an address that was typed or mailed', { ...known, 'sec-fetch-site': 'none' }],
  ])('shows the page first to a browser that comes %s', async (_case, headers) => {
    const desk = openDesk();
    const response = await desk.app.request(GO, { headers });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('http://127.0.0.1:3000/connect/token-1');
    expect(desk.starts).toEqual([]);
  });

  it('redirects to the public name, not to a host of the request', async () => {
    const desk = openDesk();
    const response = await desk.app.request('http://localhost:3000/connect/%2F%2Fevil.test%2F..%3Fx/go', {
      headers: known,
    });
    expect(response.headers.get('location')).toBe('http://127.0.0.1:3000/connect/%2F%2Fevil.test%2F..%3Fx');
    expect(desk.starts).toEqual([]);
  });

  it('says that the browser keeps no cookies, instead of showing the page again and again', async () => {
    const desk = openDesk();
    const response = await desk.app.request(GO, { headers: { 'sec-fetch-site': 'same-origin' } });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('<h1>This browser does not keep cookies</h1>');
    expect(desk.starts).toEqual([]);
  });

  it('refuses a cookie that another host could have set, where the public address is https', async () => {
    const desk = openDesk({ baseUrl: 'https://gate.example.test' });
    await desk.app.request(GO, { headers: known });
    await desk.app.request(GO, { headers: { cookie: '__Host-gatehouse_browser=ours' } });
    expect(desk.starts.map(({ browser }) => browser)).toEqual(['ours']);
  });

  it('starts no flow for HEAD', async () => {
    const desk = openDesk();
    const response = await desk.app.request(GO, { method: 'HEAD', headers: known });
    expect(response.status).toBe(200);
    expect(response.headers.get('location')).toBeNull();
    expect(desk.starts).toEqual([]);
  });

  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
  ])('starts no flow for a browser that prefetches (%s: %s)', async (name, value) => {
    const desk = openDesk();
    const headers = { ...known, 'sec-fetch-site': 'same-origin', [name]: value };
    const response = await desk.app.request(GO, { headers });
    expect(response.status).toBe(503);
    expect(desk.starts).toEqual([]);
  });

  it.each(['POST', 'PUT', 'DELETE'])('answers 404 to the method %s', async (method) => {
    const desk = openDesk();
    expect((await desk.app.request(GO, { method, headers: known })).status).toBe(404);
    expect(desk.starts).toEqual([]);
  });

  it.each([
    ['unknown', 404],
    ['expired', 410],
    ['used', 410],
  ] as const)('explains a link that is %s', async (kind, status) => {
    const response = await openDesk({ started: new PageFailure('link', kind) }).app.request(GO, {
      headers: known,
    });
    expect(response.status).toBe(status);
    expect(policyOf(response)['form-action']).toBe("'none'");
  });

  it('names what the operator has not finished', async () => {
    const started = invalidField('connector', 'The connection crm has no client_id <b>.', 'incomplete');
    const response = await openDesk({ started }).app.request(GO, { headers: known });
    const page = await response.text();
    expect(response.status).toBe(503);
    expect(page).toContain('<h1>This app is not set up yet</h1>');
    expect(page).toContain('The connection crm has no client_id &lt;b&gt;.');
    expect(page).toContain('Tell the operator of this Gatehouse.');
  });

  it('asks for patience when the database does not answer', async () => {
    const started = new ServiceError('UNAVAILABLE', 'inside words', { retryAfterSeconds: 3 });
    const response = await openDesk({ started }).app.request(GO, { headers: known });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3']);
  });
});

describe('OAuth callback: GET /sso/v1/oauth/:connectionId/callback', () => {
  it('passes on everything the provider sent, as it was sent, with the cookie of the browser', async () => {
    const desk = openDesk();
    await desk.app.request(
      `${CALLBACK}?code=a%2Bb+c&state=s&state=t&iss=https%3A%2F%2Fp.test&empty=&%C3%A4`,
      {
        headers: { ...known, 'sec-fetch-site': 'cross-site' },
      },
    );
    expect(desk.callbacks).toEqual([
      {
        environmentId: 'env_1',
        connectionId: 'conn_1',
        query: [
          ['code', 'a+b c'],
          ['state', 's'],
          ['state', 't'],
          ['iss', 'https://p.test'],
          ['empty', ''],
          ['ä', ''],
        ],
        browser: 'known',
      },
    ]);
  });

  it('lets the rules decide about a browser without cookie', async () => {
    const desk = openDesk();
    await desk.app.request(`${CALLBACK}?state=s&code=c`);
    expect(desk.callbacks[0]?.browser).toBeUndefined();
  });

  it('redirects to the app of the customer, out of every cache and without referrer', async () => {
    const finished = 'https://app.example.test/verify?auth_request_id=abc&state=s';
    const response = await openDesk({ finished }).app.request(`${CALLBACK}?state=s&code=c`);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(finished);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await response.text()).toBe('');
  });

  it('redirects to the page that says it is done where nobody has to confirm', async () => {
    const response = await openDesk({ finished: null }).app.request(`${CALLBACK}?state=s&code=c`);
    expect([response.status, response.headers.get('location')]).toEqual([302, '/connect/done']);
    expect(response.headers.get('set-cookie')).toContain('gatehouse_done=1;');
  });

  it.each(['next', 'redirect_uri', 'return_to', 'url', 'user_verify_url'])(
    'takes no redirect target from the request (%s)',
    async (name) => {
      const response = await openDesk().app.request(
        `${CALLBACK}?state=s&code=c&${name}=https%3A%2F%2Fevil.example.test`,
      );
      expect(response.headers.get('location')).toBe('/connect/done');
    },
  );

  it.each([
    ['HEAD', { method: 'HEAD' }, 200],
    ['a prefetch', { headers: { 'sec-purpose': 'prefetch' } }, 503],
  ])('does not spend the state for %s', async (_case, init, status) => {
    const desk = openDesk();
    const response = await desk.app.request(`${CALLBACK}?state=s&code=c`, init);
    expect([response.status, desk.callbacks]).toEqual([status, []]);
  });

  it.each([
    ['bytes that are no UTF-8', '?state=s&code=%FF'],
    ['half a character', '?state=s&code=%ED%A0%80'],
    ['a percent sign alone', '?state=s&code=100%'],
    ['more than 8 kB', `?state=s&code=${'c'.repeat(8_192)}`],
  ])('refuses a query with %s', async (_case, query) => {
    const desk = openDesk();
    const response = await desk.app.request(CALLBACK + query);
    const page = await response.text();
    expect(response.status).toBe(400);
    expect(page).toContain('<h1>We cannot read this answer</h1>');
    expect(page).not.toContain('ccc');
    expect(desk.callbacks).toEqual([]);
  });

  it('reads a query of 8 kB', async () => {
    const desk = openDesk();
    await desk.app.request(`${CALLBACK}?state=s&code=${'c'.repeat(8_192 - '?state=s&code='.length)}`);
    expect(desk.callbacks).toHaveLength(1);
  });

  it.each(['PUT', 'PATCH', 'DELETE'])(
    'answers no method except GET and the post of its page: %s',
    async (method) => {
      const desk = openDesk();
      expect((await desk.app.request(`${CALLBACK}?state=s&code=c`, { method })).status).toBe(404);
      expect(desk.callbacks).toEqual([]);
    },
  );

  it('shows a page that reads the fragment where the answer is in there', async () => {
    const desk = openDesk({ awaited: { connectorTitle: 'Boards <b>', submitOrigin: null } });
    const response = await desk.app.request(`${CALLBACK}?state=s`, { headers: known });
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('<h1>One more step</h1>');
    expect(page).toContain('Boards &lt;b&gt; has sent you back');
    expect(desk.callbacks).toEqual([]);
    expect(policyOf(response)).toMatchObject({
      'default-src': "'none'",
      'script-src': expect.stringMatching(/^'sha256-[A-Za-z0-9+/]{43}='$/),
      'form-action': "'self'",
      'frame-ancestors': "'none'",
    });
    const [script = ''] = /(?<=<script>).*(?=<\/script>)/s.exec(page) ?? [];
    expect(policyOf(response)['script-src']).toBe(
      `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
  });

  it('lets that page post on to the app of the customer', async () => {
    const awaited = { connectorTitle: 'Boards', submitOrigin: 'https://app.example.test' };
    const response = await openDesk({ awaited }).app.request(`${CALLBACK}?state=s`);
    expect(policyOf(response)['form-action']).toContain('https://app.example.test');
  });

  const post = async (desk: ReturnType<typeof openDesk>, body: string, headers = {}) =>
    desk.app.request(`${CALLBACK}?state=s`, {
      method: 'POST',
      headers: { ...known, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });

  it('passes on what that page posts, and redirects', async () => {
    const desk = openDesk({ finished: 'https://app.example.test/verify' });
    const response = await post(desk, 'token=t+1&error=', { origin: 'http://127.0.0.1:3000' });
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      'https://app.example.test/verify',
    ]);
    expect(desk.fragments).toEqual([
      {
        environmentId: 'env_1',
        connectionId: 'conn_1',
        query: [['state', 's']],
        posted: [
          ['token', 't 1'],
          ['error', ''],
        ],
        browser: 'known',
      },
    ]);
  });

  it.each([
    ['another site', 'token=t', { origin: 'https://evil.example.test' }],
    ['a page without an origin', 'token=t', { origin: 'null' }],
    ['something that is no form', 'token=t', { 'content-type': 'text/plain' }],
    ['far too much', `token=${'t'.repeat(17_000)}`, {}],
  ])('refuses a post from %s', async (_case, body, headers) => {
    const desk = openDesk();
    const response = await post(desk, body, headers);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('<h1>We cannot read this answer</h1>');
    expect(desk.fragments).toEqual([]);
  });

  it('explains a link that somebody else has completed meanwhile', async () => {
    const response = await openDesk({ finished: new PageFailure('link', 'used') }).app.request(
      `${CALLBACK}?state=s`,
    );
    expect(response.status).toBe(410);
    expect(await response.text()).toContain('<h1>This link has been used</h1>');
  });
});
