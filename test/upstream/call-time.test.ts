/** How long a call of a remote MCP server may take: by `mcp.timeout` where its caller asked for progress. */
import { afterEach, expect, it } from 'vitest';
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
