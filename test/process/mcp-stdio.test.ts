/** A desktop client's day with the real program: not connected, link, form, connected; and the end of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProject, type Project } from '../mcp/real-processes.ts';
import { StdioSession } from '../mcp/stdio-session.ts';

let project: Project;
beforeEach(async () => {
  project = await makeProject();
});
afterEach(() => project.close());

/** Opens the link and fills in the form, as the user's browser does. */
async function submitForm(link: string, apiKey: string): Promise<string> {
  const page = await fetch(link);
  const html = await page.text();
  const cookies = page.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const fields = new URLSearchParams({ api_key: apiKey });
  for (const [, attributes = ''] of html.matchAll(/<input([^>]*)>/g)) {
    const name = /name="([^"]*)"/.exec(attributes)?.[1];
    const value = /value="([^"]*)"/.exec(attributes)?.[1];
    if (name !== undefined && value !== undefined && name !== 'api_key') fields.set(name, value);
  }
  const done = await fetch(link, {
    method: 'POST',
    headers: { cookie: cookies.join('; '), origin: new URL(link).origin },
    body: fields,
  });
  return done.text();
}

describe('process gatehouse mcp over stdio', () => {
  it('answers an unconnected call with a link, works after the form, and ends with its client', async () => {
    const session = new StdioSession(project);
    await session.open();

    const refused = await session.search('cats');
    expect(refused.isError).toBe(true);
    const { link, status } = JSON.parse(refused.content[1]!.text) as { link: string; status: string };
    expect(status).toBe('PENDING_AUTH');
    expect(refused.content[0]!.text).toContain(link);

    await submitForm(link, 'key-of-form');

    const found = await session.search('cats');
    expect(found.content[0]!.text).toContain('form asked cats');
    expect(project.requests()).toBe(1);

    expect(await session.leave()).toBe(0);
    // The answers to opening and to both searches, and nothing else.
    expect(session.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { jsonrpc: '2.0', id: 1 },
      { jsonrpc: '2.0', id: 2 },
      { jsonrpc: '2.0', id: 3 },
    ]);
  });

  it('runs twice on the same data, and ends with its client even while a link is open', async () => {
    const [one, two] = [new StdioSession(project), new StdioSession(project)];
    await Promise.all([one.open(), two.open()]);
    const answers = await Promise.all([one.search('cats'), two.search('dogs')]);
    for (const answer of answers) expect(answer.content[0]!.text).toContain('/connect/');
    expect(await Promise.all([one.leave(), two.leave()])).toEqual([0, 0]);
  });
});
