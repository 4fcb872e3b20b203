import { describe, expect, it } from 'vitest';
import { openSite } from './dashboard-site.ts';

const PAGE = '/dashboard/settings';

describe('dashboard: settings and health', () => {
  it('shows settings with their source, and of a secret only that it is set', async () => {
    const site = await openSite({
      env: {
        GATEHOUSE_LIFETIMES_LINK: '5m',
        GATEHOUSE_SMTP_URL: 'smtp://mailer:planted-password@mail.example.com',
        GATEHOUSE_SMTP_FROM: 'Gate <gate@example.com>',
      },
    });
    const page = await (await site.signedIn('operator')).get(PAGE);
    expect(page.status).toBe(200);
    expect(page.html).toContain('>lifetimes.link</span');
    expect(page.html).toContain('>port</span');
    expect(page.html).toContain('<code>5m</code>');
    expect(page.html).toContain('Environment variable');
    expect(page.html).toContain('data-copy="lifetimes:\n  link: &quot;5m&quot;"');
    expect(page.html).toContain('Gate &lt;gate@example.com&gt;');
    expect(page.html).not.toContain('planted-password');
    expect(page.html).toContain('set, never shown');
  });

  it('finds settings by name and by source', async () => {
    const site = await openSite({ env: { GATEHOUSE_LIFETIMES_LINK: '5m' } });
    const operator = await site.signedIn('operator');
    const found = await operator.get(`${PAGE}?q=LIFETIMES.link&from=written`);
    expect(found.html).toContain('>lifetimes.link</span');
    expect(found.html).not.toContain('>port</span');
    const none = await operator.get(`${PAGE}?q=${encodeURIComponent('<u>x')}`);
    expect(none.html).toContain('Nothing matches these filters.');
    expect(none.html).not.toContain('<u>x');
  });

  it('shows the checks of the doctor, problems first, and the version', async () => {
    const site = await openSite({ env: { GATEHOUSE_LIFETIMES_LINK: '5m' } });
    const page = await (await site.signedIn('operator')).get(PAGE);
    const warning = page.html.indexOf('lifetimes.link is at most 10 minutes');
    expect(warning).toBeGreaterThan(0);
    expect(page.html.indexOf('schema and key check value fit')).toBeGreaterThan(warning);
    expect(page.html).toMatch(/<dt>Version<\/dt>\s*<dd>\d+\.\d+\.\d+/);
    expect(page.html).toContain('The keys were not rotated yet.');
    expect(page.html).toContain('gatehouse backup FILE copies an SQLite database while servers run');
  });

  it.each(['owner', 'admin'] as const)('shows a person with the role %s no settings', async (who) => {
    const site = await openSite();
    const page = await (await site.signedIn(who)).get(PAGE);
    expect(page.status).toBe(403);
    expect(page.html).not.toContain('lifetimes');
  });
});
