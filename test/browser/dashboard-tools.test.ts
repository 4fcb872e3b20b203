import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startToolProvider, type ToolProvider } from '../dashboard/tool-provider.ts';
import { inFullRounds } from '../support/rounds.ts';
import { faultsOf } from './accessibility.ts';
import { isWithoutBrowser, connectBrowser } from './chromium.ts';
import { serveSite, type ServedSite } from './dashboard-browser.ts';

const LIST = '/dashboard/tools/library_list_books';
const ADD = '/dashboard/tools/library_add_book';

describe.skipIf(isWithoutBrowser)('dashboard: tools in a browser', () => {
  let browser: Browser;
  let site: ServedSite;
  let provider: ToolProvider;

  beforeAll(async () => {
    provider = await startToolProvider();
    [browser, site] = await Promise.all([connectBrowser(), serveSite({ env: provider.env })]);
    for (const [identifier, user] of [
      ['ada@library.example', await site.userOf('operator')],
      ['robin@library.example', 'usr_somebody'],
    ])
      await site.services.accounts.create(site.local, {
        connector: 'library',
        identifier: identifier ?? '',
        user_id: user,
        connected_account: {
          authorization_details: { static_auth: { details: { api_key: `key-of-${identifier}` } } },
        },
      });
  });

  beforeEach(() => {
    provider.seen.splice(0);
    provider.answers.splice(0);
  });

  afterAll(async () => {
    await Promise.all([browser?.close(), site?.close()]);
    provider.close();
  });

  async function pressed(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name, exact: true }).click();
  }

  it.each([
    ['tools', '/dashboard/tools'],
    ['tools-of-an-app', '/dashboard/tools?app=library'],
    ['tool-form', LIST],
    ['tool-schema', `${LIST}?tab=schema`],
    ...inFullRounds(
      ['tools-none', '/dashboard/tools?q=nothing-like-this'],
      ['tool-users', `${LIST}?tab=users`],
    ),
  ] as const)('have no fault that axe-core, the console or the policy names: %s', async (name, path) => {
    expect(await site.faultsAt(browser, { who: 'operator', path, name })).toEqual([]);
  });

  it('run a read, and show the answer in four views', async () => {
    const { page, heard } = await site.open(browser, 'operator', LIST);
    await page.getByLabel('shelf').fill('sea');
    await pressed(page, 'Run');
    await page.getByText('Answered').waitFor();
    expect(new URL(page.url()).pathname).toBe(LIST);
    expect(await page.getByRole('cell', { name: 'Harbour <b>Almanac</b>' }).isVisible()).toBe(true);
    expect(await faultsOf(page, 'tool-answered', heard)).toEqual([]);
    await page.getByText('Agent', { exact: true }).click();
    expect(await page.getByRole('group', { name: 'Text 1 for the agent' }).textContent()).toContain(
      '"entries"',
    );
    await page.getByText('Request', { exact: true }).click();
    expect(await page.getByRole('group', { name: 'Request' }).textContent()).toContain('/books?shelf=sea');
    await page.getByText('Python', { exact: true }).click();
    expect(await page.getByRole('group', { name: 'Python' }).isVisible()).toBe(true);
    expect(await page.getByLabel('shelf').inputValue()).toBe('sea');
    expect(await faultsOf(page, 'tool-request', heard)).toEqual([]);
  });

  it('ask before a write, whose dry run sends nothing', async () => {
    const { page, heard } = await site.open(browser, 'operator', ADD);
    await page.getByLabel('title').fill('Tides');
    await pressed(page, 'Dry run');
    await page.getByText('Nothing was sent.').waitFor();
    expect(await faultsOf(page, 'tool-dry-run', heard)).toEqual([]);
    await pressed(page, 'Run');
    await page.getByRole('heading', { name: 'Run it for real?' }).waitFor();
    expect(await faultsOf(page, 'tool-asked', heard)).toEqual([]);
    expect(provider.seen).toEqual([]);
    await pressed(page, 'Yes, run it');
    await page.getByText('Answered').waitFor();
    expect(provider.seen.map(({ method }) => method)).toEqual(['POST']);
    expect(await page.getByLabel('title').inputValue()).toBe('Tides');
  });

  it.each([true, false])('add and remove rows of a list of objects, with script: %s', async (hasScript) => {
    const { page, heard } = await site.open(browser, 'operator', ADD, { javaScriptEnabled: hasScript });
    await page.getByLabel('title').fill('Tides');
    await pressed(page, 'Add a row to authors');
    await page.getByRole('group', { name: 'authors, row 1' }).getByLabel('name').fill('Ada');
    await pressed(page, 'Add a row to authors');
    const second = page.getByRole('group', { name: 'authors, row 2' });
    await second.waitFor();
    await expect
      .poll(async () => page.evaluate<string>('document.activeElement.name'))
      .toBe('in.authors[1].name');
    await second.getByLabel('name').fill('Robin');
    await second.getByLabel('born').fill('soon');
    await pressed(page, 'Dry run');
    await page.getByText('authors, row 2, born: ').waitFor();
    if (hasScript) {
      heard.splice(0);
      expect(await faultsOf(page, 'tool-rows', heard)).toEqual([]);
    }
    await second.getByLabel('born').fill('1815');
    await pressed(page, 'Remove row 1 of authors');
    await page.getByRole('button', { name: 'Remove row 2 of authors' }).waitFor({ state: 'detached' });
    await second.waitFor({ state: 'detached' });
    await page.getByLabel('born').press('Enter');
    await page.getByText('Nothing was sent.').waitFor();
    expect(await page.getByRole('group', { name: 'Request' }).textContent()).toContain('Robin');
    expect(await page.getByLabel('title').inputValue()).toBe('Tides');
  });

  it('show problems and refusals without a fault that axe-core names', async () => {
    const { page, heard } = await site.open(browser, 'operator', LIST);
    await page.getByLabel('shelf').fill('sea');
    await page.getByLabel('limit').fill('many');
    await pressed(page, 'Run');
    await page.getByRole('heading', { name: 'Please correct this' }).waitFor();
    // The browser moves the focus when it draws the page.
    await expect
      .poll(async () => page.evaluate<string>('document.activeElement.textContent'))
      .toBe('Please correct this');
    // The browser itself notes every answer 400.
    const said = heard.splice(0);
    expect(said.every((text) => text.includes('400'))).toBe(true);
    expect(await faultsOf(page, 'tool-problems', heard)).toEqual([]);
    provider.answers.push({ status: 409, body: { error: { message: 'The shelf is full', code: 'full' } } });
    await page.getByLabel('limit').fill('5');
    await pressed(page, 'Run');
    await page.getByText('TOOL_ERROR').first().waitFor();
    expect(await faultsOf(page, 'tool-refused', heard)).toEqual([]);
  });

  it('work without a script, from the form to JSON and to the answer', async () => {
    const { page } = await site.open(browser, 'operator', LIST, { javaScriptEnabled: false });
    await page.getByLabel('shelf').fill('sea');
    await pressed(page, 'JSON');
    expect(await page.getByLabel('Input as JSON').inputValue()).toContain('"shelf": "sea"');
    await page.getByLabel('Input as JSON').fill('{"shelf": "old", "limit": 2}');
    await pressed(page, 'Run');
    expect(await page.getByText('Answered').isVisible()).toBe(true);
    await page.getByText('JSON', { exact: true }).last().click();
    expect(await page.getByRole('group', { name: 'JSON', exact: true }).isVisible()).toBe(true);
    await pressed(page, 'Form');
    expect(await page.getByLabel('limit').inputValue()).toBe('2');
    expect(provider.seen.map(({ path }) => path)).toEqual(['/books?shelf=old&limit=2']);
  });
});
