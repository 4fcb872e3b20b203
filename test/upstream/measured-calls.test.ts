/** What the metrics say of calls and lists of remote MCP servers of both eras. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../src/catalog/model/types.ts';
import { silentLog } from '../../src/core/log.ts';
import type { UsableCredential } from '../../src/credentials/usable-credential.ts';
import { AddressPolicy } from '../../src/outbound/address-policy.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { rows } from '../../src/store/engine/rows.ts';
import { openDatabase } from '../../src/store/open.ts';
import { UpstreamClient, type ToolCall } from '../../src/upstream/calls/upstream-client.ts';
import { measuring } from '../support/measured.ts';
import { ENVIRONMENT_ID, testServices } from '../support/services.ts';
import { recordSpans } from '../support/span-recorder.ts';
import { noteTool, startNotesServer, type NotesServer } from './notes-server.ts';

const OUTPUT = {
  type: 'object',
  properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['title'],
} as const;

describe.each(['modern', 'legacy'] as const)('metrics of an MCP server of the %s era', (era) => {
  let notes: NotesServer;
  let db: Database;
  let outbound: Outbound;
  let client: UpstreamClient;
  let connectionId: string;

  beforeEach(async () => {
    notes = await startNotesServer(era);
    ({ db } = await testServices({ db: await openDatabase({ url: 'sqlite::memory:' }) }));
    const [connection] = await rows(db.read, 'connections').list(ENVIRONMENT_ID, {
      where: { name: 'notes' },
    });
    connectionId = connection?.id ?? '';
    outbound = new Outbound({
      policy: new AddressPolicy({ allowPrivateHosts: ['127.0.0.1'] }),
      connectTimeoutMs: 5_000,
      headersTimeoutMs: 5_000,
      totalTimeoutMs: 5_000,
      maxResponseBytes: 1_000,
    });
    const clock = { now: () => Date.now() };
    client = new UpstreamClient({ outbound, db, clock, log: silentLog, changed: () => {} });
  });
  afterEach(async () => {
    await client.close();
    await outbound.close();
    await notes.close();
    await db.close();
  });

  function call(change: Partial<ToolCall> = {}): ToolCall {
    return {
      connector: { name: 'notes', title: 'Notes', hosts: [], mcp: {} } as unknown as Connector,
      url: new URL(notes.url),
      credential: {
        headers: { 'x-api-key': 'key-of-ada' },
        query: [],
        secrets: [],
        account: {
          id: 'ca_1',
          environmentId: ENVIRONMENT_ID,
          connection: { id: connectionId, environmentId: ENVIRONMENT_ID, connector: 'notes' },
        },
      } as unknown as UsableCredential,
      executionId: 'exe_1',
      deadline: Date.now() + 5_000,
      tool: 'search',
      definition: noteTool('search'),
      input: { text: 'milk' },
      effect: 'create',
      isIdempotent: false,
      maxResultBytes: 32_000,
      ...change,
    };
  }

  it('count calls by outcome, and lists with their size', async () => {
    const series = measuring();
    notes.tools['*'] = [noteTool('search')];
    await client.call(call());
    notes.handlers['search'] = () => ({ content: [{ type: 'text', text: 'no room' }], isError: true });
    await expect(client.call(call())).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    await client.list(call());
    const labels = (method: string, outcome: string) =>
      `gatehouse_upstream_requests_total{connector="notes",method="${method}",era="${era}",outcome="${outcome}"} 1`;
    expect(await series('gatehouse_upstream_requests_total')).toEqual([
      labels('tools/call', 'ok'),
      labels('tools/call', 'tool_error'),
      labels('tools/list', 'ok'),
    ]);
    expect(await series('gatehouse_upstream_request_duration_seconds_count')).toEqual([
      'gatehouse_upstream_request_duration_seconds_count{connector="notes",method="tools/call"} 2',
      'gatehouse_upstream_request_duration_seconds_count{connector="notes",method="tools/list"} 1',
    ]);
    expect(await series('gatehouse_upstream_list_bytes_bucket{le="4096"')).toEqual([
      'gatehouse_upstream_list_bytes_bucket{le="4096",connector="notes"} 1',
    ]);
    const [sum = ''] = await series('gatehouse_upstream_list_bytes_sum');
    expect(Number(sum.split(' ')[1])).toBeGreaterThan(JSON.stringify(notes.tools['*']).length);
  });

  it('count structured results that do not fit, and pass them', async () => {
    const series = measuring();
    const answers = [{ title: 'Milk', more: 1 }, { title: 7 }, { tags: [] }, { title: 'Milk', tags: [7] }];
    for (const structuredContent of answers) {
      notes.handlers['search'] = () => ({ content: [], structuredContent });
      expect(await client.call(call({ outputSchema: OUTPUT }))).toMatchObject({ structuredContent });
    }
    notes.handlers['search'] = () => ({ content: [{ type: 'text', text: 'only words' }] });
    await client.call(call({ outputSchema: OUTPUT }));
    await client.call(call());
    expect(await series('gatehouse_upstream_schema_violations_total')).toEqual([
      'gatehouse_upstream_schema_violations_total{connector="notes"} 4',
    ]);
  });

  it('show open sessions, which servers of the modern era do not have', async () => {
    expect(client.use).toEqual({ sessions: 0, sparedServers: 0 });
    await client.call(call());
    expect(client.use).toEqual({ sessions: era === 'legacy' ? 1 : 0, sparedServers: 0 });
  });

  it('count each attempt of a read that is repeated, and servers that are spared after some failures', async () => {
    const series = measuring();
    await client.call(call());
    notes.fails = true;
    for (let i = 0; i < 3; i++)
      await expect(client.call(call({ effect: 'read' }))).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    expect(await series('gatehouse_upstream_requests_total')).toEqual([
      `gatehouse_upstream_requests_total{connector="notes",method="tools/call",era="${era}",outcome="ok"} 1`,
      `gatehouse_upstream_requests_total{connector="notes",method="tools/call",era="${era}",outcome="failed"} 5`,
      `gatehouse_upstream_requests_total{connector="notes",method="tools/call",era="${era}",outcome="spared"} 1`,
    ]);
    expect(client.use.sparedServers).toBe(1);
  });

  it('come with spans of a trace, without any text of the server', async () => {
    const spans = recordSpans();
    await client.call(call());
    notes.handlers['search'] = () => ({ content: [{ type: 'text', text: 'no room' }], isError: true });
    await expect(client.call(call())).rejects.toMatchObject({ code: 'TOOL_ERROR' });
    const span = {
      name: 'tools/call notes',
      attributes: {
        'gatehouse.connector': 'notes',
        'mcp.method.name': 'tools/call',
        'server.address': new URL(notes.url).host,
      },
    };
    expect(spans.filter(({ name }) => name.startsWith('tools/'))).toMatchObject([
      span,
      { ...span, error: 'tool_error' },
    ]);
  });
});
