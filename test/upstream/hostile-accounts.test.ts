/** What the remote MCP server of one account sends, and how it never comes to the caller of another one. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rows } from '../../src/store/engine/rows.ts';
import { ROUNDS } from '../support/rounds.ts';
import { ADA_KEY, BOB_KEY, startNotesConnector, type NotesConnector } from './notes-connector.ts';
import { ERAS, events, GOOD, replyOf } from './hostile-server.ts';
import { noteTool, startNotesServer, type NotesServer } from './notes-server.ts';

describe.each(ERAS)('accounts at a remote MCP server of the %s era', (era) => {
  let site: NotesConnector;
  let notes: NotesServer;
  let bob: string;

  beforeEach(async () => {
    site = await startNotesConnector(era);
    ({ notes } = site);
    notes.tools['*'] = [noteTool('search-notes')];
    notes.handlers['search-notes'] = ({ text }, key) => ({
      content: [{ type: 'text', text: `${String(text)} by the ${key === ADA_KEY ? 'first' : 'second'}` }],
    });
    await site.refresh(await site.connect('ada', ADA_KEY));
    bob = await site.connect('bob', BOB_KEY);
    await site.refresh(bob);
    await site.approveAll();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await site.close();
  });

  const textOf = async (user: string, text: string): Promise<unknown> => {
    const result = await site.called(user, 'notes_search_notes', { text });
    return (result['content'] as { text: string }[] | undefined)?.[0]?.text;
  };
  const requestsWith = (key: string): string[] => notes.seen.filter((line) => line === `tools/call ${key}`);

  it('get the answers of their own server, also if both send the same request at the same time', async () => {
    const users = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'ada' : 'bob'));
    const texts = await Promise.all(users.map(async (user) => textOf(user, 'milk')));
    expect(texts).toEqual(users.map((user) => `milk by the ${user === 'ada' ? 'first' : 'second'}`));
    expect([requestsWith(ADA_KEY), requestsWith(BOB_KEY)].map(({ length }) => length)).toEqual([10, 10]);
    expect(notes.sessions.size).toBe(era === 'legacy' ? 2 : 0);
  });

  it('fail separately, and the reason of one is not shown to the other', async () => {
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

  it('lose their credentials separately', async () => {
    notes.keys.add(BOB_KEY);
    notes.forgetSessions();
    for (let i = 0; i < 3; i++) await site.called('ada', 'notes_search_notes', { text: 'x' });
    expect(await textOf('bob', 'milk')).toBe('milk by the second');
    const before = requestsWith(ADA_KEY).length;
    const refused = await site.called('ada', 'notes_search_notes', { text: 'x' });
    expect(JSON.stringify(refused)).toContain('/connect/');
    expect(requestsWith(ADA_KEY)).toHaveLength(before);
  });

  it('begin a new session with other credentials, which may belong to somebody else', async () => {
    await textOf('ada', 'milk');
    await site.reconnect('ada', BOB_KEY);
    expect(await textOf('ada', 'milk')).toBe('milk by the second');
    const [before, after] = notes.calledIn;
    expect(before === after).toBe(era === 'modern');
  });

  describe('of which one has a tool more', () => {
    const NAME = 'notes_find_secret_of_bob';
    beforeEach(async () => {
      notes.tools[BOB_KEY] = [noteTool('search-notes'), noteTool('find-secret-of-bob')];
      await site.refresh(bob);
      await site.approveAll();
    });

    const asked = async (user: string, name: string, input: object): Promise<string> =>
      JSON.stringify(await site.called(user, name, input, '?discovery=1'));

    it.each([{}, { query: 'secret of bob' }, { query: NAME }])(
      'find it in discovery mode only for that one: %j',
      async (input) => {
        expect(await asked('bob', 'search_tools', input)).toContain(NAME);
        expect(await asked('ada', 'search_tools', input)).not.toContain('find_secret_of_bob');
      },
    );

    it('describe and call it in discovery mode only for that one', async () => {
      const call = { name: NAME, arguments: { text: 'x' } };
      expect(await asked('bob', 'describe_tool', { name: NAME })).toContain('Does find secret of bob.');
      expect(await asked('bob', 'call_tool', call)).toContain('find-secret-of-bob by');
      const before = notes.seen.length;
      const texts = [
        await asked('ada', 'describe_tool', { name: NAME }),
        await asked('ada', 'describe_tool', { names: ['notes_search_notes', NAME] }),
        await asked('ada', 'call_tool', call),
        await asked('ada', 'call_tool', { name: NAME, arguments: {} }),
        await asked('ada', 'call_read_tool', call),
      ];
      for (const text of texts) expect(text).toContain('There is no such tool.');
      expect(notes.seen).toHaveLength(before);
    });

    it('have their list read again by a call of it, so that the next call works once it is offered to both', async () => {
      notes.tools[ADA_KEY] = notes.tools[BOB_KEY]!;
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
      const { upstreams } = site.shop.services;
      expect(JSON.stringify(await site.called('ada', NAME, { text: 'x' }))).toContain('by its last list');
      await upstreams.settled();
      expect(JSON.stringify(await site.called('ada', NAME, { text: 'x' }))).toContain(
        'find-secret-of-bob by',
      );
    });

    it('show its name and its input only to that one, in every way to ask', async () => {
      const almost = 'notes_secret_of_bob';
      const wrong = async (user: string): Promise<string[]> => [
        await asked(user, 'call_tool', { name: almost }),
        JSON.stringify(await site.called(user, almost, { text: 'x' })),
        JSON.stringify(await site.called(user, NAME, { words: 'x' })),
      ];
      const [advised, named, corrected] = await wrong('bob');
      expect([advised, named]).toEqual(
        Array.from({ length: 2 }, () => expect.stringContaining(`mean ${NAME}?`)),
      );
      expect(corrected).toContain('Parameters: text.');
      for (const text of await wrong('ada'))
        expect(text).not.toMatch(/find_secret_of_bob\?|Parameters|- text/);
    });
  });

  it('read their list once in five minutes, however often their server announces changes', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    notes.instead = (message, response) => {
      if (message.method !== 'tools/call') return false;
      events(response, ...Array.from({ length: 900 }, () => note), replyOf(era, message, GOOD));
      response.end();
      return true;
    };
    const { upstreams } = site.shop.services;
    const listsAfterCalls = async (): Promise<number> => {
      const lists = (): number => notes.seen.filter((line) => line === `tools/list ${ADA_KEY}`).length;
      const before = lists();
      for (let i = 0; i < 5; i++) expect(await textOf('ada', 'x')).toBe('good');
      await upstreams.settled();
      return lists() - before;
    };
    await upstreams.settled();
    expect(await listsAfterCalls()).toBe(0);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
    expect(await listsAfterCalls()).toBe(1);
  });

  // The full rounds connect 2,000 accounts and make 8,000 calls.
  it(
    'stay connected while their server fails, and accounts at another server still work',
    { timeout: 900_000 },
    async () => {
      const other = await startNotesServer(era);
      other.tools['*'] = [noteTool('list')];
      await site.addTrusted('memos', other.url);
      await site.refresh(await site.connect('ada', ADA_KEY, 'memos'));
      const users = Array.from({ length: ROUNDS.full ? 2_000 : 20 }, (_, i) => `user-${i}`);
      for (const user of users) await site.connect(user, `key-of-${user}-0123456789`);
      await site.shop.services.upstreams.settled();
      /** A call of each user, and after each one a call at the other server. @returns what the calls took there, in order */
      const called = async (): Promise<number[]> => {
        const tookMs: number[] = [];
        for (const user of users) {
          const result = await site.called(user, 'notes_search_notes', { text: 'x' });
          expect(result['isError']).toBe(notes.fails ? true : undefined);
          const startedAt = performance.now();
          expect(await site.called('ada', 'memos_list', { text: 'x' })).not.toHaveProperty('isError');
          tookMs.push(performance.now() - startedAt);
        }
        return tookMs.toSorted((a, b) => a - b);
      };
      const p95 = (sorted: readonly number[]): number => sorted[Math.floor(0.95 * sorted.length)]!;
      const undisturbed = await called();
      notes.fails = true;
      const before = notes.seen.length;
      const during = await called();
      // A few calls say nothing about how long most of them take.
      expect(p95(during)).toBeLessThan(ROUNDS.full ? 3 * p95(undisturbed) : 60_000);
      // Five failures in a row, each of a read that is repeated once, and now and then a trial.
      expect(notes.seen.length - before).toBeLessThan(users.length);
      const stored = await rows(site.shop.services.db.read, 'accounts').list(site.environmentId);
      expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(['ACTIVE']));
      await other.close();
    },
  );
});
