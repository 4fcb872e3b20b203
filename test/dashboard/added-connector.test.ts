/** A connector that was added while the program runs is on every page on which one of a file is. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openNotesSite, type NotesSite } from './notes-site.ts';
import { submitTo } from './dashboard-site.ts';

let site: NotesSite;

beforeAll(async () => {
  site = await openNotesSite('first');
});

describe('connector added while the program runs', () => {
  it.each([
    ['connections', () => '/dashboard/connections', 'Memos'],
    ['the gallery for a new connection', () => '/dashboard/connections/new', 'Memos'],
    ['its connection', () => `/dashboard/connections/${site.connection.id}`, 'Memos'],
    ['accounts', () => '/dashboard/accounts', 'Memos'],
    ['its account', () => `/dashboard/accounts/${site.accountId}`, 'Memos'],
    ['tools', () => '/dashboard/tools', 'Memos'],
    ['one of its tools', () => '/dashboard/tools/memos_search_notes', 'Does search notes.'],
    ['the results of a search', () => '/dashboard/search?q=memos_search', 'memos_search_notes'],
    ['the form of a virtual server', () => '/dashboard/servers/new', 'memos_search_notes'],
  ])('stands on the page of %s', async (_page, path, shown) => {
    const operator = await site.signedIn('operator');
    const { status, html } = await operator.get(path());
    expect([status, html.includes(shown)]).toEqual([200, true]);
  });

  it('has tools that can be tried', async () => {
    const operator = await site.signedIn('operator');
    const path = '/dashboard/tools/memos_search_notes';
    await operator.get(path);
    const { html } = await submitTo(operator, path, {
      do: 'run',
      account: site.accountId,
      'in.text': 'milk',
    });
    expect(html).toContain('search-notes by');
  });
});
