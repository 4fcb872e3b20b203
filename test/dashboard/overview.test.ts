import { beforeAll, describe, expect, it } from 'vitest';
import { openSite, submitTo, type Site } from './dashboard-site.ts';
import { expireAccount, seedAccount, seedCalls } from './seeded-calls.ts';

const HOUR_MS = 3_600_000;

/** Text of a page without its markup. */
function textOf(html: string): string {
  return html
    .replaceAll('<wbr />', '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('dashboard: overview of a new installation', () => {
  it('lists first steps that tick themselves, and hides them on request', async () => {
    const site = await openSite();
    const operator = await site.signedIn('operator');
    const before = await operator.get('/dashboard');
    expect(before.html.match(/<li class="tick (done)?/g)).toEqual([
      '<li class="tick done',
      '<li class="tick ',
      '<li class="tick ',
      '<li class="tick ',
      '<li class="tick ',
      '<li class="tick done',
    ]);
    expect(before.html).toContain('href="/accounts/connect"');
    expect(before.html).toContain('claude mcp add --transport http gatehouse http://127.0.0.1:3000/mcp');

    await seedAccount(site, { user_id: 'u1' }, 'ada@example.test');
    const after = await operator.get('/dashboard');
    expect(after.html.match(/<li class="tick done/g)).toHaveLength(4);
    expect(textOf(after.html)).toContain('✓ Connect an account done');

    const hidden = await submitTo(operator, '/dashboard/first-steps');
    expect(hidden).toMatchObject({ status: 303, location: '/dashboard' });
    const page = await operator.get('/dashboard');
    expect(page.html).toContain('The first steps are hidden.');
    expect(page.html).not.toContain('class="tick');
    expect((await operator.get('/dashboard')).html).not.toContain('The first steps are hidden.');
  });
});

describe('dashboard: overview of calls', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite();
    const account = await seedAccount(site, { user_id: 'u1' }, 'ada@example.test');
    const of = { connected_account_id: account.id, user_id: 'u1', organization_id: '' };
    const at = site.clock.now();
    await seedCalls(site, [
      ...Array.from({ length: 17 }, (_, i) => ({
        id: `exe_ok${i}`,
        ...of,
        at: at - HOUR_MS,
        duration_ms: 200,
      })),
      { id: 'exe_b1', ...of, status: 'error', error_code: 'TOOL_ERROR' },
      { id: 'exe_b2', ...of, status: 'error', error_code: 'TOOL_ERROR' },
      { id: 'exe_w1', ...of, status: 'error', error_code: 'CONNECTED_ACCOUNT_NOT_ACTIVE' },
      { id: 'exe_old', ...of, at: at - 30 * HOUR_MS },
    ]);
  });

  it('counts calls and failures of the last day, and those that wait for a person apart', async () => {
    const { html } = await (await site.signedIn('operator')).get('/dashboard');
    const text = textOf(html);
    expect(text).toContain('All agents, apps and people, since 2026-11-19 13:00 UTC.');
    expect(text).toContain('Tool calls 20');
    expect(text).toContain('Failed 10.0 %');
    expect(text).toContain('TOOL_ERROR The provider refused or failed 2 100 %');
    expect(html).toContain('href="/dashboard/calls?error_code=TOOL_ERROR&amp;from=2026-11-19T13%3A00"');
    expect(text).toContain('1 call waited for a person, who was given a link.');
    expect(html).toContain('<title>2026-11-20 11:00 – 17 answered, 1 waited for a person, 2 failed</title>');
  });

  it('looks at another period, which is in the address', async () => {
    const { html } = await (await site.signedIn('operator')).get('/dashboard?period=7d');
    expect(textOf(html)).toContain('Tool calls 21');
    expect(html).toMatch(/<a href="\/dashboard\?period=7d" aria-current="true"\s*>7 d<\/a\s*>/);
  });

  it('renews itself while somebody watches, and answers with its cards alone', async () => {
    const operator = await site.signedIn('operator');
    const page = await operator.get('/dashboard?period=7d');
    expect(page.html).toContain('href="/dashboard?period=7d&amp;live=1"');
    expect(page.html).not.toContain('data-live');
    const live = await operator.get('/dashboard?period=7d&live=1');
    expect(live.html).toContain('hx-get="/dashboard?period=7d&amp;live=1"');
    expect(live.html).toContain('href="/dashboard?period=1h&amp;live=1"');
    const part = await operator.get('/dashboard?period=7d&live=1', { 'hx-request': 'true' });
    expect(textOf(part.html)).toMatch(/^Tool calls 21/);
  });

  it('shows each connection with its accounts, calls and health', async () => {
    const text = textOf((await (await site.signedIn('operator')).get('/dashboard')).html);
    expect(text).toMatch(/websearch websearch · API_KEY 1 of 1 active 20 15\.0 % \d+ ms Working/);
  });

  it('names accounts that have lost their access, with the page to act on', async () => {
    const own = await openSite();
    const account = await seedAccount(own, { user_id: 'u1' }, 'ada@example.test');
    await seedCalls(own, [{ id: 'exe_1', connected_account_id: account.id, user_id: 'u1' }]);
    await expireAccount(own, account.id, Date.UTC(2026, 10, 19, 8, 5));
    const { html } = await (await own.signedIn('operator')).get('/dashboard');
    expect(textOf(html)).toMatch(/0 of 1 active 1 0\.0 % \d+ ms No active account/);
    expect(textOf(html)).toContain('1 account of websearch has lost its access');
    expect(textOf(html)).toMatch(/until then calls answer with a link\. Since 2026-11-19 08:05 UTC ?\./);
    expect(html).toContain('href="/dashboard/accounts?connector=websearch&amp;status=EXPIRED"');
  });

  it('shows owners and admins the accounts and calls of their organization only', async () => {
    const theirs = await seedAccount(site, { organization_id: site.organization.id }, 'acme');
    await seedCalls(site, [
      {
        id: 'exe_acme',
        connected_account_id: theirs.id,
        organization_id: site.organization.id,
        user_id: '',
        tool_name: 'websearch_answer',
      },
    ]);
    const { html } = await (await site.signedIn('owner')).get('/dashboard');
    expect(textOf(html)).toContain('Active accounts 1 of 1');
    expect(textOf(html)).toContain('websearch_answer');
    expect(textOf(html)).not.toContain('websearch_search');
    expect(textOf(html)).toContain('Tool calls in 24 hours 1 Not answered in 24 hours 0');
  });
});
