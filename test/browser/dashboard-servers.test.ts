import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inFullRounds } from '../support/rounds.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { serveSite, type ServedSite } from './dashboard-browser.ts';

describe.skipIf(isWithoutBrowser)('dashboard: MCP servers and the audit log in a browser', () => {
  let browser: Browser;
  let site: ServedSite;
  let server: string;

  beforeAll(async () => {
    [browser, site] = await Promise.all([connectBrowser(), serveSite()]);
    const { services, pages, local } = site;
    await services.connections.create(local, {
      connector: 'crm',
      client_id: 'app-1',
      client_secret: 'secret-1',
    });
    const made = await pages.mcpServers.create(local, {
      name: 'support-of-the-harbour-almanac',
      connections: ['crm', 'websearch'],
      toolsets: ['crm.tasks'],
      tools: ['websearch_search'],
      readOnly: true,
    });
    server = made.id;
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), site?.close()]);
  });

  it.each([
    ['servers', '/servers'],
    ['server', '/servers/:id'],
    ['server-new', '/servers/new'],
    ['audit', '/audit'],
    ...inFullRounds(
      ['server-edit', '/servers/:id/edit'],
      ['server-delete', '/servers/:id/delete'],
      ['audit-filtered', '/audit?action=user.&from=2026-11-01T00:00'],
    ),
  ] as const)(
    'has no fault that axe-core, the console or the policy names on the page %s',
    async (name, path) => {
      expect(
        await site.faultsAt(browser, {
          who: 'operator',
          path: `/dashboard${path.replace(':id', server)}`,
          name,
        }),
      ).toEqual([]);
    },
  );

  it('counts the tokens of what is ticked and makes the server, without a script', async () => {
    const { page, heard } = await site.open(browser, 'operator', '/dashboard/servers/new', {
      javaScriptEnabled: false,
    });
    await page.getByLabel('Name', { exact: true }).fill('research');
    await page.getByRole('checkbox', { name: 'websearch Exa web search' }).check();
    await page.getByRole('checkbox', { name: /^crm Attio CRM/ }).check();
    await page.getByRole('checkbox', { name: /^Everyday tools of these apps/ }).uncheck();
    await page.getByText('Single tools of Exa web search').click();
    await page.getByRole('checkbox', { name: /^websearch_search / }).check();
    await page.getByRole('checkbox', { name: /^websearch_answer / }).check();
    await page.getByRole('button', { name: 'Count again' }).click();
    expect(await page.getByRole('status').first().textContent()).toMatch(/2 tools, about [1-9][\d,]* tokens/);
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('research');
    expect(heard).toEqual([]);
  });
});
