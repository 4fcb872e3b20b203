/** What the remote MCP server of one account sends, and how it never comes to the caller of another one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADA_KEY, BOB_KEY, startNotesConnector, type NotesConnector } from './notes-connector.ts';
import { noteTool, type NotesServer } from './notes-server.ts';
import { ERAS } from './hostile-server.ts';

describe.each(ERAS)('accounts at a remote MCP server of the %s era', (era) => {
  let site: NotesConnector;
  let notes: NotesServer;

  beforeEach(async () => {
    site = await startNotesConnector(era);
    ({ notes } = site);
    notes.tools['*'] = [noteTool('search-notes')];
    notes.handlers['search-notes'] = ({ text }, key) => ({
      content: [{ type: 'text', text: `${String(text)} by the ${key === ADA_KEY ? 'first' : 'second'}` }],
    });
    for (const [user, key] of [
      ['ada', ADA_KEY],
      ['bob', BOB_KEY],
    ] as const)
      await site.refresh(await site.connect(user, key));
    await site.approveAll();
  });
  afterEach(async () => site.close());

  const textOf = async (user: string, text: string): Promise<unknown> => {
    const result = await site.called(user, 'notes_search_notes', { text });
    return (result['content'] as { text: string }[] | undefined)?.[0]?.text;
  };
  const requestsWith = (key: string): string[] => notes.seen.filter((line) => line === `tools/call ${key}`);

  it('get what their own server says, also where both ask the same at the same time', async () => {
    const users = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'ada' : 'bob'));
    const texts = await Promise.all(users.map(async (user) => textOf(user, 'milk')));
    expect(texts).toEqual(users.map((user) => `milk by the ${user === 'ada' ? 'first' : 'second'}`));
    expect([requestsWith(ADA_KEY), requestsWith(BOB_KEY)].map(({ length }) => length)).toEqual([10, 10]);
    expect(notes.sessions.size).toBe(era === 'legacy' ? 2 : 0);
  });

  it('fail by themselves, and the reason of one is not told to the other', async () => {
    notes.handlers['search-notes'] = (_input, key) => {
      if (key === ADA_KEY) throw new Error('the diary of ada is locked');
      return { content: [{ type: 'text', text: 'fine' }] };
    };
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map(async (user) => site.called(user, 'notes_search_notes', { text: 'x' })),
    );
    expect(JSON.stringify(ada)).toContain('the diary of ada is locked');
    expect(bob).toMatchObject({ content: [{ text: 'fine' }] });
    expect(JSON.stringify(await site.called('bob', 'notes_search_notes', { text: 'x' }))).not.toContain(
      'ada',
    );
    const lists = await Promise.all(['ada', 'bob'].map(async (user) => site.listed(user)));
    expect(JSON.stringify(lists)).not.toContain('diary');
  });

  it('have keys that end by themselves', async () => {
    notes.keys.add(BOB_KEY);
    notes.forgetSessions();
    for (let i = 0; i < 3; i++) await site.called('ada', 'notes_search_notes', { text: 'x' });
    expect(await textOf('bob', 'milk')).toBe('milk by the second');
    const before = requestsWith(ADA_KEY).length;
    const refused = await site.called('ada', 'notes_search_notes', { text: 'x' });
    expect(JSON.stringify(refused)).toContain('/connect/');
    expect(requestsWith(ADA_KEY)).toHaveLength(before);
  });

  it('begin anew at the server with other credentials, which may be those of somebody else', async () => {
    await textOf('ada', 'milk');
    await site.reconnect('ada', BOB_KEY);
    expect(await textOf('ada', 'milk')).toBe('milk by the second');
    const [before, after] = notes.calledIn;
    expect(before === after).toBe(era === 'modern');
  });
});
