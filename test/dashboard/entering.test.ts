import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { Environments } from '../../src/core/environment.ts';
import { openSite, type Site } from './dashboard-site.ts';

describe('dashboard: who may enter', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite();
  });

  it('sends a browser without a session to sign in and back', async () => {
    expect(await site.browser().get('/dashboard/calls?status=error')).toMatchObject({
      status: 303,
      location: '/sign-in?next=%2Fdashboard%2Fcalls%3Fstatus%3Derror',
    });
  });

  it.each([
    ['/dashboard/credentials/new', '/sign-in?next=%2Fdashboard%2Fcredentials'],
    ['/dashboard/webhooks/whk_1/enable', '/sign-in?next=%2Fdashboard%2Fwebhooks'],
    ['/dashboard/nothing', '/sign-in'],
  ])('sends a form whose session is lost to sign in and back to the list: %s', async (path, location) => {
    expect(await site.browser().post(path, {})).toMatchObject({ status: 303, location });
  });

  it('sends a member of an organization to their own accounts', async () => {
    const member = await site.signedIn('member');
    expect(await member.get('/dashboard')).toMatchObject({ status: 303, location: '/accounts' });
  });

  it.each([
    ['operator', 'Operator'],
    ['owner', 'Owner · Acme'],
    ['admin', 'Admin · Acme'],
  ] as const)('shows a person with the role %s who they are', async (who, role) => {
    const page = await (await site.signedIn(who)).get('/dashboard');
    expect(page.status).toBe(200);
    expect(page.html).toContain(`<small>${role}</small>`);
    expect(page.html).toContain('<title>Overview · development · Gatehouse</title>');
  });

  it('ends the rights of an operator with the next request after they are taken away', async () => {
    const operator = await site.signedIn('operator');
    const id = await site.userOf('operator');
    await site.people.users.update(site.local, id, { is_operator: false });
    expect(await operator.get('/dashboard/calls')).toMatchObject({ status: 303, location: '/accounts' });
    await site.people.users.update(site.local, id, { is_operator: true });
  });

  it('answers 404 with a page for an address that does not exist', async () => {
    const page = await (await site.signedIn('operator')).get('/dashboard/nothing');
    expect(page.status).toBe(404);
    expect(page.html).toContain('<h1>This page does not exist</h1>');
  });

  it('sends every page with a policy that allows nothing inline', async () => {
    const page = await (await site.signedIn('operator')).get('/dashboard');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.html).not.toMatch(/<style|style="|<script>|\son[a-z]+="/);
  });
});

describe('dashboard: switch of environments', () => {
  it('leads operators to the other environments, each with its own sign-in, and nobody else', async () => {
    const site = await openSite();
    const production = {
      ...site.environment,
      id: 'env_2',
      name: 'production',
      baseUrl: 'https://gate.example',
    };
    const both = await openSite({
      replace: { environments: new Environments([site.environment, production]) },
    });
    const { html } = await (await both.signedIn('operator')).get('/dashboard');
    expect(html).toContain('<a href="https://gate.example/dashboard"');
    expect(html.match(/class="pip prod"/g)).toHaveLength(1);
    expect(html).toContain('you sign in there again');
    expect((await (await both.signedIn('owner')).get('/dashboard')).html).not.toContain('gate.example');
  });
});

describe('dashboard: assets', () => {
  it('weigh at most 25 kB compressed, and browsers keep them for good', async () => {
    const site = await openSite();
    const page = await (await site.signedIn('operator')).get('/dashboard');
    const paths = [...page.html.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.map((path) => path.replace(/[0-9a-f]{16}/, 'hash'))).toEqual([
      '/dashboard/assets/dashboard.hash.css',
      '/dashboard/assets/dashboard.hash.js',
    ]);
    const sizes = await Promise.all(
      paths.map(async (path) => {
        const answer = await site.app.request(path, { headers: { 'accept-encoding': 'gzip, br' } });
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(answer.headers.get('content-encoding')).toBe('gzip');
        const body = Buffer.from(await answer.arrayBuffer());
        const plain = await (await site.app.request(path)).text();
        expect(gunzipSync(body).toString()).toBe(plain);
        return body.byteLength;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(25_000);
  });

  it('answer 404 for a file of another version', async () => {
    const site = await openSite();
    expect((await site.app.request('/dashboard/assets/dashboard.0000000000000000.css')).status).toBe(404);
  });
});
