/** The page before a consent whose address has to be asked for, and the way on from its form. */
import { describe, expect, it } from 'vitest';
import { InvalidForm } from '../../../src/links/link-rules.ts';
import { CONSENT_PAGE, openDesk, policyOf, type DeskOptions } from '../support.ts';

const known = { cookie: 'gatehouse_browser=known' };
const PAGE: DeskOptions['page'] = {
  ...CONSENT_PAGE,
  fields: [
    { name: 'domain', label: 'Account address', hint: 'Ends in .example.', input: 'text', required: true },
  ],
  consent: { ...CONSENT_PAGE.consent, providerHost: null, providerOrigin: null },
};

describe('link page before a consent, with fields', () => {
  it('shows the permissions and a form, which may lead to the provider, and no link', async () => {
    const response = await openDesk({ page: PAGE }).app.request('/connect/token-1');
    const text = await response.text();
    expect(text).toContain('<form method="post">');
    expect(text).toContain('Account address');
    expect(text).toContain('Ends in .example.');
    expect(text).toContain('task:read-write');
    expect(text).toMatch(/<button type="submit">\s*Continue to Attio\s*<\/button>/);
    expect(text).not.toContain('/go"');
    expect(text).not.toContain('null');
    expect(policyOf(response)['form-action']).toBe("'self' http://127.0.0.1:3000 https:");
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
  });

  it('names the host where it is known already', async () => {
    const page = { ...PAGE, consent: CONSENT_PAGE.consent };
    const response = await openDesk({ page }).app.request('/connect/token-1');
    expect(await response.text()).toContain('Continue to <bdi>app.provider.example.test</bdi>');
    expect(policyOf(response)['form-action']).toBe("'self' https://app.provider.example.test https:");
  });
});

describe('link page before a consent: its form', () => {
  it('redirects to the provider with the entered values', async () => {
    const started = 'https://acme.example/authorize?state=s';
    const desk = openDesk({ page: PAGE, submitted: null, started });
    const response = await desk.post({ csrf: 'c', domain: 'acme.example' }, known);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(started);
    expect(desk.starts).toEqual([
      {
        environmentId: 'env_1',
        token: 'token-1',
        browser: 'known',
        entered: { csrf: 'c', domain: 'acme.example' },
      },
    ]);
  });

  it('shows the form again with what is wrong', async () => {
    const violations = [{ field: 'domain', description: 'That is no address.', constraint: 'pattern' }];
    const desk = openDesk({ page: PAGE, submitted: null, started: new InvalidForm(violations) });
    const response = await desk.post({ csrf: 'c', domain: '"><script>' }, known);
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain('That is no address.');
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(text).not.toContain('<script');
  });

  it.each([
    ['from another site', { origin: 'https://evil.example' }, 403],
    ['without origin', { origin: '' }, 403],
    ['as JSON', { 'content-type': 'application/json' }, 415],
  ])('refuses a form %s (CSRF)', async (_case, headers, status) => {
    const desk = openDesk({ page: PAGE, submitted: null });
    expect((await desk.post({ csrf: 'c', domain: 'acme.example' }, { ...known, ...headers })).status).toBe(
      status,
    );
    expect(desk.starts).toEqual([]);
  });
});

it('leads the link onwards back to the page while something has to be asked for', async () => {
  const violations = [{ field: 'domain', description: 'Is required.', constraint: 'required' }];
  const desk = openDesk({ started: new InvalidForm(violations) });
  const response = await desk.app.request('/connect/token-1/go', {
    headers: { ...known, 'sec-fetch-site': 'same-origin' },
  });
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('http://127.0.0.1:3000/connect/token-1');
});
