import { Hono } from 'hono';
import { html } from 'hono/html';
import { beforeEach, describe, expect, it } from 'vitest';
import { dashboardDependencies } from '../../src/app/serve/pages/dashboard-handler.ts';
import { invalidField } from '../../src/core/errors.ts';
import type { DashboardDependencies } from '../../src/dashboard/access/dependencies.ts';
import { requireFresh } from '../../src/dashboard/access/fresh.ts';
import { attempt } from '../../src/dashboard/access/posted-forms.ts';
import { viewerOf } from '../../src/dashboard/access/viewer.ts';
import { confirmPage, wrongName } from '../../src/dashboard/components/confirm.ts';
import { buttons, field, form, problems } from '../../src/dashboard/components/form.ts';
import { secretOnce } from '../../src/dashboard/components/secret-once.ts';
import { failurePage } from '../../src/dashboard/failure-page.ts';
import type { DashboardEnv } from '../../src/dashboard/frame/dashboard-context.ts';
import { showPage } from '../../src/dashboard/frame/respond.ts';
import { Retention } from '../../src/operations/retention.ts';
import { silentLog } from '../../src/core/log.ts';
import { DeskBrowser } from '../pages/people-desk.ts';
import { BASE_URL, openSite, submitTo, type Site } from './dashboard-site.ts';

const LABELS = { name: 'Name', key: 'Key' };

/** A page with a form, made as every page is, and what was done by it. */
function formPages(deps: DashboardDependencies, site: Site, done: string[]) {
  const app = new Hono<DashboardEnv>();
  app.use(async (c, next) => {
    c.set('environment', { ...site.environment, baseUrl: BASE_URL });
    c.set('visitor', { ip: '192.0.2.9', userAgent: '', region: '', city: '' });
    const person = await deps.signedIn.requireSignedIn(c, '/dashboard/things');
    if (person instanceof Response) return person;
    const viewer = viewerOf(person, '', site.clock.now());
    if (viewer === undefined) throw new Error('nobody may enter');
    c.set('viewer', viewer);
    c.set('csrf', deps.forms.open(c).csrf);
    c.set('shownAt', site.clock.now());
    c.set('navigation', []);
    c.set('environments', []);
    c.set('flash', deps.flashes.take(c));
    return next();
  });
  const page = (
    c: Parameters<typeof form>[0],
    typed: Readonly<Record<string, string>> = {},
    wrong: Parameters<typeof problems>[0] = [],
  ) => ({
    title: 'Things',
    hasProblems: wrong.length > 0,
    content: html`${problems(wrong, LABELS)}
    ${form(
      c,
      '/dashboard/things',
      html`${field({ name: 'name', label: LABELS.name, value: typed['name'] ?? '' }, wrong)}
      ${field({ name: 'key', label: LABELS.key, input: { kind: 'secret' } }, wrong)} ${buttons('Save')}`,
    )}`,
  });
  app.get('/dashboard/things', (c) => showPage(c, page(c)));
  app.post('/dashboard/things', async (c) => {
    const posted = await deps.posted.read(c);
    const { problems: wrong } = await attempt(async () => {
      if (posted.text('name') === '') throw invalidField('name', 'Must not be empty.', 'required');
      done.push(posted.text('name'));
    });
    if (wrong !== undefined) return showPage(c, page(c, posted.values, wrong));
    const link = { href: '/dashboard/things/1', label: 'Open it' };
    return deps.flashes.goTo(c, '/dashboard/things', 'The thing <i> was made.', link);
  });
  app.get('/dashboard/things/secret', (c) => {
    requireFresh(c);
    return c.text('shown');
  });
  app.get('/dashboard/things/once', (c) =>
    showPage(c, {
      title: 'Made',
      content: secretOnce({ title: 'Secret', value: 's3cret', variable: 'KEY', next: '/dashboard/things' }),
    }),
  );
  app.get('/dashboard/things/delete', (c) => showPage(c, confirmPage(c, QUESTION)));
  app.post('/dashboard/things/delete', async (c) => {
    const { values } = await deps.posted.read(c);
    const wrong = wrongName(values, QUESTION.name);
    if (wrong.length > 0) return showPage(c, confirmPage(c, QUESTION, wrong));
    done.push('deleted');
    return deps.flashes.goTo(c, '/dashboard/things', 'Deleted.');
  });
  app.onError((error, c) => failurePage(c, error, silentLog));
  return app;
}

const QUESTION = {
  title: 'Delete things',
  goes: ['The thing'],
  name: 'things',
  button: 'Delete',
  action: '/dashboard/things/delete',
  cancel: '/dashboard/things',
};

describe('forms of the dashboard', () => {
  let site: Site;
  let done: string[];
  let browser: DeskBrowser;

  beforeEach(async () => {
    site = await openSite();
    done = [];
    const app = formPages(await dashboardDependencies(site.services, site.identity), site, done);
    browser = new DeskBrowser(BASE_URL, async (url, init) => app.request(url, init));
    browser.cookies.set('gatehouse_session', await site.cookieOf('operator'));
    await browser.get('/dashboard/things');
  });

  /** Sends the form of the page. */
  const send = (entered: Record<string, string>, from = browser) =>
    submitTo(from, '/dashboard/things', entered);

  it('redirect after a change to a page that shows one sentence, once and as text', async () => {
    expect(await send({ name: 'One' })).toMatchObject({ status: 303, location: '/dashboard/things' });
    const shown = await browser.get('/dashboard/things');
    expect(shown.html).toContain('The thing &lt;i&gt; was made.');
    expect(shown.html).toContain('<a class="link" href="/dashboard/things/1">Open it</a>');
    expect((await browser.get('/dashboard/things')).html).not.toContain('was made');
    expect(done).toEqual(['One']);
  });

  it('reappear with the problem at its field and the entered text, but never a secret', async () => {
    const page = await send({ name: '  ', key: 's3cret' });
    expect(page.status).toBe(400);
    expect(page.html).toContain('<title>Error: Things · development · Gatehouse</title>');
    expect(page.html).toContain('<a href="#f-name">Name: Must not be empty.</a>');
    expect(page.html).toMatch(
      /id="f-name"\s+name="name"\s+aria-invalid="true"\s+aria-describedby="f-name-wrong"/,
    );
    expect(page.html).not.toContain('s3cret');
    expect((await send({ name: 'Two' })).status).toBe(303);
    expect(done).toEqual(['Two']);
  });

  it.each([
    ['a double click', 0, 409, 'This form arrived before and is not carried out again.'],
    [
      'a reload after an hour and a run of retention',
      3_600_000,
      409,
      'This form arrived before and is not carried out again.',
    ],
    ['a reload after longer than anybody stays signed in', 12 * 3_600_000, 403, 'no longer valid'],
  ])('do nothing twice for %s', async (_, later, status, sentence) => {
    const form = browser.shown;
    await send({ name: 'One' });
    const { db, rates, settings } = site.services;
    const retention = new Retention(db, rates, site.clock, settings.retention);
    site.clock.advance(later);
    await retention.run();
    browser.cookies.set('gatehouse_session', await site.cookieOf('operator'));
    browser.shown = form;
    const again = await send({ name: 'One' });
    expect(again.status).toBe(status);
    expect(again.html).toContain(sentence);
    expect(done).toEqual(['One']);
  });

  it.each([
    ['five minutes', 300_000, 303],
    ['more than five minutes', 300_001, 403],
  ])('work with a process whose clock is behind by %s', async (_, behind, status) => {
    site.clock.advance(-behind);
    expect((await send({ name: 'One' })).status).toBe(status);
  });

  it('do nothing twice in several posts at once', async () => {
    const form = browser.shown;
    const both = await Promise.all([send({ name: 'One' }), ((browser.shown = form), send({ name: 'One' }))]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 409]);
    expect(done).toEqual(['One']);
  });

  it.each([
    ['a CSRF token of another browser', { csrf: 'x'.repeat(43) }, {}, 403, 'This form is no longer valid'],
    ['no mark against a second time', { once: '' }, {}, 403, 'This form is no longer valid'],
    ['the origin of another site', {}, { origin: 'https://evil.example' }, 403, 'sent from another site'],
    ['JSON', {}, { 'content-type': 'application/json' }, 415, 'This form is no longer valid'],
  ])('refuse a post with %s on a page of their own', async (_, change, headers, status, sentence) => {
    const hidden = Object.fromEntries(
      [...(browser.shown?.html ?? '').matchAll(/name="(csrf|once)" value="([^"]*)"/g)].map(
        ([, name, value]) => [name, value],
      ),
    );
    const page = await browser.post('/dashboard/things', { ...hidden, name: 'One', ...change }, headers);
    expect(page.status).toBe(status);
    expect(page.html).toContain(sentence);
    expect(done).toEqual([]);
  });

  it('lead to the sign-in page after the session is lost, and do nothing', async () => {
    browser.cookies.set('gatehouse_session', 'gone');
    expect(await send({ name: 'One' })).toMatchObject({
      status: 303,
      location: '/sign-in?next=%2Fdashboard%2Fthings',
    });
    expect(done).toEqual([]);
  });

  it('ignore a sentence of another session', async () => {
    await send({ name: 'One' });
    browser.cookies.set('gatehouse_session', await site.cookieOf('operator'));
    expect((await browser.get('/dashboard/things')).html).not.toContain('was made');
  });

  it('ask for a new sign-in before something dangerous after ten minutes', async () => {
    site.clock.advance(10 * 60_000 - 1);
    expect((await browser.get('/dashboard/things/secret')).html).toBe('shown');
    site.clock.advance(1);
    expect(await browser.get('/dashboard/things/secret')).toMatchObject({
      status: 303,
      location: '/sign-in?again=1&next=%2Fdashboard%2Fthings%2Fsecret',
    });
  });

  it('show a secret with a line to store, and a link that leads on', async () => {
    const page = await browser.get('/dashboard/things/once');
    expect(page.html).toContain('KEY=s3cret');
    expect(page.html).toContain('I have stored it');
  });

  it('delete only after the name is typed', async () => {
    await browser.get('/dashboard/things/delete');
    const wrong = await submitTo(browser, '/dashboard/things/delete', { typed_name: 'thing' });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('This must be exactly things.');
    expect(done).toEqual([]);
    await submitTo(browser, '/dashboard/things/delete', { typed_name: 'things' });
    expect(done).toEqual(['deleted']);
  });
});
