/** Servers of others that show what MCP has, without authorization: list, approval, and every kind of result. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern as mcpRequest } from '../mcp/fixtures.ts';
import { startModernServer, startPublishedServer, type EverythingServer } from './everything-servers.ts';
import { openOperatorSite, type OperatorSite } from './operator-site.ts';

/** Tools that both have. */
const COMMON = [
  'echo',
  'get-annotated-message',
  'get-resource-links',
  'get-resource-reference',
  'get-structured-content',
  'get-tiny-image',
  'trigger-long-running-operation',
];

/** Those of the published one alone. What asks the client for roots, samples or answers is not listed to us. */
const PUBLISHED = [
  'get-env',
  'get-sum',
  'gzip-file-as-resource',
  'simulate-research-query',
  'toggle-simulated-logging',
  'toggle-subscriber-updates',
];

const untrusted = (block: object): object => ({ ...block, _meta: { 'gatehouse/untrusted': true } });
const text = (words: unknown): object => untrusted({ type: 'text', text: words });

describe.each([
  {
    name: 'server-everything as published',
    start: startPublishedServer,
    era: 'legacy',
    others: PUBLISHED,
    asTask: ['simulate-research-query: it runs only as a task, which is not supported'],
  },
  { name: 'a server of the newer era', start: startModernServer, era: 'modern', others: [], asTask: [] },
])('$name as an upstream', ({ start, era, others, asTask }) => {
  let server: EverythingServer;
  let site: OperatorSite;
  let environmentId: string;
  let before: Awaited<ReturnType<OperatorSite['operators']['diff']>>;

  beforeAll(async () => {
    server = await start();
    site = await openOperatorSite({ main: server.origin, files: server.origin });
    ({ environmentId } = site.caller);
    const connector = { mcp: { approval: 'manual' } };
    await site.addLooked({ name: 'everything', url: server.url, connector });
    const account = { connector: 'everything', identifier: 'ada', user_id: 'ada' };
    expect((await site.shop.api('POST', '/connected_accounts', account)).status).toBe(201);
    await site.shop.services.upstreams.settled();
    before = await site.operators.diff(environmentId, 'everything');
    expect(await request('tools/list')).toMatchObject({ tools: [] });
    const usable = before.filter(({ obstacle }) => obstacle === null);
    await site.operators.approve(
      site.caller,
      'everything',
      usable.map(({ tool, hash }) => ({ tool, hash })),
    );
  });
  afterAll(async () => {
    await site.shop.close();
    await server.close();
  });

  async function request(
    method: string,
    params: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${site.shop.token}`, 'gatehouse-user-id': 'ada' };
    const url = `${site.shop.baseUrl}/mcp?connectors=everything`;
    const { body } = await mcpRequest(url, method, params, { headers });
    return (body.result ?? body.error) as Record<string, unknown>;
  }
  const called = async (tool: string, input: object = {}): Promise<Record<string, unknown>> =>
    request('tools/call', { name: `everything_${tool}`, arguments: input });

  it('shows its tools to an operator before anybody else, in its own era', async () => {
    expect(await site.operators.get(environmentId, 'everything')).toMatchObject({ era });
    expect(before.map(({ tool }) => tool)).toEqual([...COMMON, ...others].toSorted());
    const held = before.flatMap(({ tool, obstacle }) => (obstacle === null ? [] : [`${tool}: ${obstacle}`]));
    expect(held).toEqual(asTask);
  });

  it('has its approved tools published under its name, with cleaned schemas', async () => {
    const { tools } = (await request('tools/list')) as { tools: { name: string }[] };
    const approved = [...COMMON, ...others].filter((tool) => tool !== 'simulate-research-query');
    expect(tools.map(({ name }) => name)).toEqual(
      approved.map((tool) => `everything_${tool.replaceAll('-', '_')}`).toSorted(),
    );
    expect(tools.find(({ name }) => name === 'everything_get_structured_content')).toEqual({
      name: 'everything_get_structured_content',
      title: 'Get Structured Content Tool',
      description: 'Returns structured content along with an output schema for client data validation',
      inputSchema: {
        type: 'object',
        required: ['location'],
        properties: {
          location: {
            type: 'string',
            enum: ['New York', 'Chicago', 'Los Angeles'],
            description: 'Choose city',
          },
        },
      },
      outputSchema: {
        type: 'object',
        required: ['temperature', 'conditions', 'humidity'],
        additionalProperties: false,
        properties: {
          temperature: { type: 'number', description: 'Temperature in celsius' },
          conditions: { type: 'string', description: 'Weather conditions description' },
          humidity: { type: 'number', description: 'Humidity percentage' },
        },
      },
      annotations: { readOnlyHint: true },
    });
  });

  it('passes on texts, images, embedded resources and annotations, and links as texts', async () => {
    expect(await called('echo', { message: 'hi' })).toMatchObject({ content: [text('Echo: hi')] });
    const image = { type: 'image', data: expect.stringMatching(/^iVBORw0KGgo/), mimeType: 'image/png' };
    expect(await called('get_tiny_image')).toMatchObject({
      content: [
        text("Here's the image you requested:"),
        untrusted(image),
        text('The image above is the MCP logo.'),
      ],
    });
    expect(await called('get_annotated_message', { messageType: 'error' })).toMatchObject({
      content: [
        {
          ...text('Error: Operation failed'),
          annotations: { audience: ['user', 'assistant'], priority: 1 },
        },
      ],
    });
    expect(await called('get_resource_reference', { resourceType: 'Text', resourceId: 1 })).toMatchObject({
      content: [
        text('Returning resource reference for Resource 1:'),
        untrusted({
          type: 'resource',
          resource: {
            uri: 'demo://resource/dynamic/text/1',
            mimeType: 'text/plain',
            text: expect.stringContaining('Resource 1: This is a plaintext resource'),
          },
        }),
        text('You can access this resource using the URI: demo://resource/dynamic/text/1'),
      ],
    });
    expect(await called('get_resource_links', { count: 1 })).toMatchObject({
      content: [
        text('Here are 1 resource links to resources available in this server:'),
        text('[resource_link Blob Resource 1 demo://resource/dynamic/blob/1]'),
      ],
    });
  });

  it('passes on its structured content unchanged, in addition to its text', async () => {
    expect(await called('get_structured_content', { location: 'New York' })).toMatchObject({
      content: [text('{"temperature":33,"conditions":"Cloudy","humidity":82}')],
      structuredContent: { temperature: 33, conditions: 'Cloudy', humidity: 82 },
    });
  });

  it.each([
    ['newer', { pin: '2026-07-28' }],
    ['older', 'legacy'],
  ] as const)('passes on its progress to a client of the %s era that asks for it', async (_era, mode) => {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } });
    const headers = { authorization: `Bearer ${site.shop.token}`, 'gatehouse-user-id': 'ada' };
    const url = new URL(`${site.shop.baseUrl}/mcp?connectors=everything`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const seen: object[] = [];
    const call = {
      name: 'everything_trigger_long_running_operation',
      arguments: { duration: 0.2, steps: 2 },
    };
    const result = await client.callTool(call, { onprogress: (progress) => seen.push(progress) });
    await client.close();
    expect(result.content).toMatchObject([
      { text: 'Long running operation completed. Duration: 0.2 seconds, Steps: 2.' },
    ]);
    // One that follows within a quarter of a second is left out.
    expect(seen[0]).toEqual({ progress: 1, total: 2 });
  });

  it('passes on its error text as an error, and gets no request for invalid input', async () => {
    expect(await called('get_resource_reference', { resourceType: 'Text', resourceId: -1 })).toMatchObject({
      isError: true,
      content: [
        text('Everything answered: Invalid resourceId: -1. Must be a finite positive integer.'),
        { text: expect.stringContaining('"code":"TOOL_REPORTED"') },
      ],
    });
    expect(await called('get_structured_content', { location: 'Paris' })).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringContaining('location: Must be one of New York, Chicago, Los Angeles.') },
      ],
    });
  });
});
