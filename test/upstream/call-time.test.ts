/** How long a call of a remote MCP server may take: by `mcp.timeout` where its caller asked for progress. */
import { afterEach, expect, it } from 'vitest';
import { operatorIn } from '../../src/app/commands/admin.ts';
import type { ServiceError } from '../../src/core/errors.ts';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ADA_KEY, startNotesConnector, type NotesConnector } from './notes-connector.ts';
import { noteTool } from './notes-server.ts';

let site: NotesConnector | undefined;
afterEach(async () => site?.close());

it.each(['modern', 'legacy'] as const)(
  'ends a call of the %s era by the timeout of its connector only where its caller sees progress',
  async (era) => {
    site = await startNotesConnector(era, { timeout: '1s' });
    const { notes, shop } = site;
    notes.tools['*'] = [noteTool('search')];
    notes.handlers['search'] = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return { content: [{ type: 'text', text: 'found' }] };
    };
    await site.refresh(await site.connect('ada', ADA_KEY));
    await site.approveAll();
    const client = new Client({ name: 'agent', version: '1' });
    const headers = { authorization: `Bearer ${shop.token}`, 'gatehouse-user-id': 'ada' };
    const url = new URL(`${shop.baseUrl}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const call = { name: 'notes_search', arguments: { text: 'milk' } };
    const waited = await client.callTool(call, { onprogress: () => {} });
    expect(JSON.stringify(waited)).toContain('PROVIDER_TIMEOUT');
    expect(JSON.stringify(await client.callTool(call))).toContain('found');
    await client.close();
  },
);

it('forgets writes that wait for the session when their callers leave, and sends none of them', async () => {
  site = await startNotesConnector('legacy');
  const { notes, shop, environmentId } = site;
  notes.tools['*'] = [noteTool('addNote', { annotations: { destructiveHint: false } })];
  const gate = Promise.withResolvers<void>();
  let sent = 0;
  notes.handlers['addNote'] = async () => {
    sent += 1;
    await gate.promise;
    return { content: [{ type: 'text', text: 'added' }] };
  };
  const id = await site.connect('ada', ADA_KEY);
  await site.refresh(id);
  await site.approveAll();
  const caller = operatorIn(environmentId);
  const add = async (signal: AbortSignal) =>
    shop.services.executor.execute({
      caller,
      toolName: 'notes_add_note',
      input: { text: 'milk' },
      account: { id },
      signal,
    });
  const staying = new AbortController();
  const leaving = new AbortController();
  const running = Array.from({ length: 4 }, async () => add(staying.signal));
  await expect.poll(() => sent).toBe(4);
  // Four more than the 32 places of the line: when those are refused, the line is full.
  const refused: string[] = [];
  const full = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 36 }, async () => {
    try {
      await add(leaving.signal);
    } catch (error) {
      refused.push((error as ServiceError).code);
      if (refused.length === 4) full.resolve();
    }
  });
  await full.promise;
  leaving.abort();
  await Promise.all(waiting);
  expect(refused.slice(0, 5)).toEqual([...Array.from({ length: 4 }, () => 'RATE_LIMITED'), 'TOOL_ERROR']);
  const next = add(staying.signal);
  gate.resolve();
  for (const { data } of await Promise.all([...running, next]))
    expect(JSON.stringify(data)).toContain('added');
  expect(sent).toBe(5);
});
