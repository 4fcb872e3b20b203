/** Remote MCP servers on the dashboard: what is known of them, and what waits for a person. */
import { beforeAll, describe, expect, it } from 'vitest';
import { noteTool } from '../../upstream/notes-server.ts';
import { openSite, submitTo } from '../dashboard-site.ts';
import { openNotesSite, type NotesSite } from '../notes-site.ts';

const PAGES = '/dashboard/upstreams';
const MEMOS = `${PAGES}/server/memos`;

/** Text of a page without its tags. */
function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('dashboard: remote MCP servers', () => {
  let site: NotesSite;

  beforeAll(async () => {
    site = await openNotesSite('first');
  });

  const page = async (path: string) => (await site.signedIn('operator')).get(path);

  it('lists servers with their state and a link to each', async () => {
    const { html } = await page(PAGES);
    const row = textOf(html.slice(html.indexOf('<tbody>'), html.indexOf('</tbody>')));
    expect(row).toMatch(/^ M memos http:\/\/127\.0\.0\.1:\d+\/mcp Ready 2 0 1 API_KEY 2026-/);
    expect(html).toContain(`href="${MEMOS}"`);
    expect(html).toContain('aria-current="page"');
  });

  it('shows one server with its address, connection, accounts, and who approved which form', async () => {
    const { html } = await page(MEMOS);
    const text = textOf(html);
    expect(html).toContain(`href="/dashboard/connections/${site.connection.id}"`);
    expect(html).toContain('href="/dashboard/accounts?connector=memos"');
    expect(text).toContain('Protocol Without sessions (2026-07-28)');
    expect(text).toContain('Who approves tools The first list is published; later changes wait for a person');
    expect(text).toContain('2 published, 0 waiting');
    const [form] = await site.services.upstreams.operators.tools(site.environment.id, 'memos');
    expect(html).toContain(`title="${form?.hash}"`);
    expect(text).toContain('by approval: first');
    expect(html).toContain('href="/dashboard/tools/memos_search_notes"');
    expect(text).not.toContain('Held back');
  });

  it('answers 404 for an unknown server', async () => {
    expect((await page(`${PAGES}/server/nothing`)).status).toBe(404);
  });

  it.each(['owner', 'admin'] as const)('answers 403 to a person with the role %s', async (who) => {
    const person = await site.signedIn(who);
    for (const path of [PAGES, MEMOS]) {
      const shown = await person.get(path);
      expect(shown.status).toBe(403);
      expect(shown.html).not.toContain('memos');
    }
  });

  it('says that there are no servers', async () => {
    const empty = await openSite();
    expect((await (await empty.signedIn('operator')).get(PAGES)).html).toContain(
      'There is no remote MCP server.',
    );
  });
});

describe('dashboard: tools that a remote MCP server has changed', () => {
  let site: NotesSite;

  beforeAll(async () => {
    site = await openNotesSite('first');
  });

  /** The page after the server lists these tools. */
  async function after(...tools: ReturnType<typeof noteTool>[]): Promise<string> {
    site.notes.tools['*'] = tools;
    await site.refresh();
    const operator = await site.signedIn('operator');
    return (await operator.get(MEMOS)).html;
  }

  it('show the approved text next to the new one, with the differences marked', async () => {
    const html = await after(
      noteTool('search-notes', { description: 'Does search all notes.' }),
      noteTool('addNote', { annotations: {} }),
    );
    expect(textOf(html)).toContain('Held back memos_search_notes reads only');
    expect(html).toMatch(/<small>Approved<\/small\s*><del><code class="foreign"\s*>Does search notes\.</);
    expect(html).toMatch(
      /<small>Now<\/small\s*><ins><code class="foreign"\s*>Does search <mark>all <\/mark>notes\./,
    );
    expect(textOf(html)).toContain('2 published, 1 waiting');
  });

  it('appear on the overview too, with a link to their server', async () => {
    const operator = await site.signedIn('operator');
    await operator.get('/dashboard');
    await submitTo(operator, '/dashboard/first-steps');
    const { html } = await operator.get('/dashboard');
    expect(html).toContain('1 tool of Memos waits for approval');
    expect(html).toMatch(new RegExp(`href="${MEMOS}"\\s*>Open the server`));
  });

  it('have no effect: markup is text, invisible characters are code points, long texts are folded', async () => {
    const poison = '<script>alert(1)</script>\u202egnp.exe\u200b\r<img src=x onerror=alert(2)>';
    const html = await after(
      noteTool('search-notes', { description: `${poison}${'long '.repeat(2_000)}` }),
      noteTool('addNote', { annotations: {}, title: '"><b>bold</b>' }),
    );
    expect(html).not.toMatch(/<script>alert|<img|<b>bold/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]gnp.exe[U+200B][U+000D]&lt;img');
    expect(html).toContain('&quot;&gt;&lt;b&gt;bold&lt;/b&gt;');
    expect(html).not.toMatch(/[\u202e\u200b\r]/);
    expect(html).toMatch(/<summary>\s*All 10,0\d\d characters/);
    const folded = html.slice(0, html.search(/<summary>\s*All 10,0/));
    expect(folded.match(/long /g)?.length).toBeLessThan(100);
    expect(html).toMatch(/\[2,0\d\d more characters, which &quot;gatehouse upstreams diff&quot; prints\]/);
    expect(textOf(html)).toContain('Characters that nobody sees in description');
  });

  it('show why they cannot be published', async () => {
    const html = await after(
      noteTool('search-notes'),
      noteTool('addNote', { annotations: {} }),
      noteTool('search_n\u043etes'),
    );
    expect(textOf(html)).toContain(
      'It cannot be published: its name cannot be made one of ours, or another tool has it',
    );
  });
});
