/** `serve --watch`: the operator's catalog files are taken over while the real program runs. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelope, modern, type RpcAnswer } from '../mcp/fixtures.ts';
import { textOf, toolsOf } from '../mcp/messages.ts';
import { serve, type Served } from '../mcp/real-processes.ts';
import { makeShelfProject, shelfTool, type ShelfProject } from '../mcp/shelf-project.ts';

interface LogLine {
  event: string;
  path?: string;
  message?: string;
  count?: number;
}

let project: ShelfProject;
let served: Served;
let log: LogLines;

/** The lines of the server's log, each read once. */
class LogLines {
  readonly #lines: LogLine[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor({ child }: Served) {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      this.#lines.push(JSON.parse(line) as LogLine);
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  /** Takes the lines up to the first of the event. */
  async until(event: string): Promise<LogLine[]> {
    for (;;) {
      const index = this.#lines.findIndex((line) => line.event === event);
      if (index >= 0) return this.#lines.splice(0, index + 1);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async message(event: string): Promise<string | undefined> {
    return (await this.until(event)).at(-1)?.message;
  }
}

beforeAll(async () => {
  project = await makeShelfProject();
  served = await serve(project, ['--watch', '--connectors', 'shelf']);
  log = new LogLines(served);
});

afterAll(async () => {
  await served.stop();
  await project.close();
});

const headers = (): Record<string, string> => ({
  authorization: `Bearer ${served.token}`,
  'gatehouse-user-id': 'ada',
});

async function ask(method: string, params: Record<string, unknown> = {}): Promise<RpcAnswer['body']> {
  return (await modern(served.mcpUrl, method, params, { headers: headers() })).body;
}

const call = async (name: string, query: string): Promise<string> =>
  textOf(await ask('tools/call', { name, arguments: { query } }));

const titles = async (): Promise<string[]> =>
  toolsOf(await ask('tools/list')).map(
    (tool) => `${tool.name}: ${(tool as { title?: string }).title ?? 'as its name'}`,
  );

/** A path that the server does not watch, from or to which a whole folder goes in one step. */
const beside = (name: string): string => join(project.dir, name);

describe('process gatehouse serve --watch', () => {
  it('loads a changed catalog file, for lists and calls', async () => {
    expect(await titles()).toEqual(['shelf_find: as its name']);
    project.replaceFile('shelf/find.yaml', shelfTool('shelf', 'shelf_find', 'Find things'));
    expect(await log.message('catalog_reloaded')).toBe('Changed shelf_find.');
    expect(await titles()).toEqual(['shelf_find: Find things']);
    expect(await call('shelf_find', 'cats')).toContain('asked cats');
  });

  it('keeps the loaded catalog while a file is invalid, and reports every mistake with file and line', async () => {
    const broken = shelfTool('shelf', 'shelf_find', 'Find').replace('effect: read', 'effect: reed');
    project.replaceFile('shelf/find.yaml', broken.replace('method: POST', 'method: TELL'));
    const lines = await log.until('catalog_not_reloaded');
    const told = lines.filter(({ event }) => event?.startsWith('catalog_'));
    expect(told.map(({ event, path, message }) => [event, path?.replace(project.dir, ''), message])).toEqual([
      [
        'catalog_problem',
        '/catalog/shelf/find.yaml:6',
        'shelf_find: effect: must be one of read, create, update, delete',
      ],
      ['catalog_problem', '/catalog/shelf/find.yaml:16', expect.stringContaining('request.method')],
      ['catalog_not_reloaded', undefined, 'The previous catalog stays in use until the files are valid.'],
    ]);
    expect(await call('shelf_find', 'dogs')).toContain('asked dogs');
    project.replaceFile('shelf/find.yaml', shelfTool('shelf', 'shelf_find', 'Find things'));
    expect(await log.message('catalog_reloaded')).toBe('The files are valid again; nothing changed.');
  });

  it('finishes a running call when its tool disappears', async () => {
    const release = project.hold();
    const before = project.requests();
    const running = call('shelf_find', 'birds');
    await expect.poll(() => project.requests(), { interval: 10 }).toBe(before + 1);
    project.replaceFile('shelf/find.yaml', shelfTool('shelf', 'shelf_seek', 'Seek'));
    expect(await log.message('catalog_reloaded')).toBe('Added shelf_seek; removed shelf_find.');
    release();
    expect(await running).toContain('asked birds');
    expect((await ask('tools/call', { name: 'shelf_find' })).error?.message).toBe('Unknown tool: shelf_find');
    expect(await call('shelf_seek', 'fish')).toContain('asked fish');
  });

  it('loads a connector in a new folder, with a connection where it needs nothing from the operator', async () => {
    mkdirSync(project.file('later/deeper'), { recursive: true });
    writeFileSync(project.file('later/deeper/connector.yaml'), project.connector('later'));
    writeFileSync(project.file('later/deeper/find.yaml'), shelfTool('later', 'later_find', 'Find'));
    const seen: string[] = [];
    while (!seen.join(' ').includes('later_find')) seen.push((await log.message('catalog_reloaded')) ?? '');
    const answer = await fetch(`${served.baseUrl}/api/v1/connections`, { headers: headers() });
    const { connections } = (await answer.json()) as { connections: { name: string }[] };
    expect(connections.map(({ name }) => name)).toContain('later');
    // Out of the catalog in one step: file by file it may be seen half gone.
    renameSync(project.file('later'), beside('later'));
    rmSync(beside('later'), { recursive: true });
    expect(await log.message('catalog_reloaded')).toBe('Removed later_find, the connector later.');
  });

  it('refuses a catalog without the tools that the server selection names', async () => {
    mkdirSync(beside('books'));
    writeFileSync(join(beside('books'), 'connector.yaml'), project.connector('books'));
    writeFileSync(join(beside('books'), 'find.yaml'), shelfTool('books', 'books_find', 'Find'));
    renameSync(beside('books'), project.file('books'));
    expect(await log.message('catalog_reloaded')).toBe('Added books_find, the connector books.');
    renameSync(project.file('shelf'), beside('shelf'));
    expect(await log.message('catalog_not_reloaded')).toBe(
      'The settings do not fit it. connectors: There is no connector "shelf". There are: books, crm, mail, video, warehouse, websearch. The previous catalog stays in use until the files are valid.',
    );
    expect(await titles()).toEqual(['shelf_seek: as its name']);
    renameSync(beside('shelf'), project.file('shelf'));
    await log.until('catalog_reloaded');
  });

  it('notifies subscribed clients of a changed list', async () => {
    const response = await fetch(served.mcpUrl, {
      method: 'POST',
      headers: {
        ...headers(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: envelope() },
      }),
    });
    expect(response.status).toBe(200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader.read();
    expect(first.value).toContain('subscriptions/acknowledged');
    project.replaceFile('shelf/find.yaml', shelfTool('shelf', 'shelf_seek', 'Seek things'));
    expect((await reader.read()).value).toContain('notifications/tools/list_changed');
    await reader.cancel();
  });

  it('tells no client to cache a list', async () => {
    const { result } = await ask('tools/list');
    expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });
});
