/** What a running server logs of requests, and what opens the port of metrics. */
import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { modern } from '../mcp/fixtures.ts';
import { makeProject, run, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { StdioSession } from '../mcp/stdio-session.ts';
import { freePort } from '../support/free-port.ts';

interface Line {
  level: string;
  event: string;
  [field: string]: unknown;
}

/** Collects the lines of a process that are about tool calls and requests. */
function linesOf(child: Served['child'] | StdioSession['child']): () => Line[] {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () =>
    text
      .split('\n')
      .filter((line) => /"event":"(tool_call|request)"/.test(line))
      .map((line) => JSON.parse(line) as Line);
}

let project: Project;

beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.close());

/** Sends one request of each kind; the stopped server has written all of its lines. */
async function linesAfter(requests: (served: Served) => Promise<void>): Promise<Line[]> {
  const served = await serve(project);
  const lines = linesOf(served.child);
  await requests(served);
  await served.stop();
  return lines();
}

const SECRET = 'words-that-nobody-logs';

function headersOf({ token }: Served): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

async function api(served: Served, path: string, body?: object): Promise<number> {
  const response = await fetch(`${served.baseUrl}${path}`, {
    headers: headersOf(served),
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  await response.text();
  return response.status;
}

async function mcp(served: Served, method: string, params: Record<string, unknown>): Promise<void> {
  await modern(served.mcpUrl, method, params, {
    headers: { authorization: `Bearer ${served.token}`, 'gatehouse-user-id': 'ada' },
  });
}

const SEARCH = { name: 'websearch_search', arguments: { query: SECRET } };

describe('log lines of requests', () => {
  it('tell who did what with which outcome, once for each tool call and each other request', async () => {
    const lines = await linesAfter(async (served) => {
      await served.connect('ada', 'key-of-ada');
      await mcp(served, 'tools/list', {});
      await mcp(served, 'tools/call', SEARCH);
      await api(served, '/api/v1/execute_tool', {
        tool_name: 'websearch_search',
        tool_input: { query: SECRET },
        connector: 'websearch',
        user_id: 'ada',
      });
      await fetch(`${served.baseUrl}/proxy/search`, {
        method: 'POST',
        headers: { ...headersOf(served), 'connection-name': 'websearch', 'user-id': 'ada' },
        body: JSON.stringify({ query: SECRET }),
      });
      await api(served, `/api/v1/nothing?${SECRET}`);
      await fetch(`${served.baseUrl}/api/v1/tools`, { headers: { authorization: `Bearer ${SECRET}` } });
    });
    const actor = expect.stringMatching(/^cred_/) as unknown;
    const account = expect.stringMatching(/^ca_/) as unknown;
    const call = { event: 'tool_call', level: 'info', actor, connected_account_id: account, status: 200 };
    expect(lines.slice(lines.findIndex(({ status }) => status === 201))).toMatchObject([
      {
        event: 'request',
        level: 'info',
        actor,
        method: 'POST',
        route: '/api/v1/connected_accounts',
        status: 201,
      },
      { event: 'request', actor, route: '/mcp', status: 200 },
      { ...call, tool_name: 'websearch_search' },
      { ...call, tool_name: 'websearch_search' },
      { ...call, tool_name: 'proxy' },
      { event: 'request', route: 'api', status: 404 },
      { event: 'request', route: '/api/v1/tools', status: 401 },
    ]);
    for (const line of lines) expect(line['duration_ms']).toEqual(expect.any(Number));
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  it('tell of refused calls without the input, and never the name of an unknown tool', async () => {
    const lines = await linesAfter(async (served) => {
      await mcp(served, 'tools/call', { name: 'websearch_search', arguments: { [SECRET]: SECRET } });
      await api(served, '/api/v1/execute_tool', {
        tool_name: 'ignore_all_rules',
        tool_input: {},
        connector: 'websearch',
        user_id: 'ada',
      });
      await mcp(served, 'tools/call', {
        name: 'websearch_search',
        arguments: { query: SECRET, account: 'no' },
      });
    });
    const refused = lines.filter(({ event }) => event === 'tool_call');
    expect(refused).toMatchObject([
      { tool_name: 'websearch_search', status: 400, error_code: 'INVALID_ARGUMENT' },
      { status: 404, error_code: 'RESOURCE_NOT_FOUND' },
      { tool_name: 'websearch_search', status: expect.any(Number) as unknown },
    ]);
    expect(refused[1]).not.toHaveProperty('tool_name');
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  it('count refusals of one kind after the first, also those until the server stops, and leave out what load balancers and monitoring ask', async () => {
    const lines = await linesAfter(async ({ baseUrl }) => {
      for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(`${baseUrl}${path}`);
      for (let i = 0; i < 20; i++)
        await fetch(`${baseUrl}/api/v1/tools`, { headers: { authorization: `Bearer ${SECRET}` } });
    });
    expect(lines.filter(({ route }) => /healthz|readyz|metrics/.test(String(route)))).toEqual([]);
    const refused = lines.filter(({ status }) => status === 401);
    expect(refused).toMatchObject([{ trace_id: expect.any(String) as unknown }, { count: 19 }]);
    expect(refused[1]).toMatchObject({ event: 'request', method: 'GET', route: '/api/v1/tools' });
  });

  it('stop with log_requests: false', async () => {
    project.env['GATEHOUSE_LOG_REQUESTS'] = 'false';
    const lines = await linesAfter(async (served) => {
      await mcp(served, 'tools/list', {});
      await mcp(served, 'tools/call', SEARCH);
    });
    delete project.env['GATEHOUSE_LOG_REQUESTS'];
    expect(lines).toEqual([]);
  });

  it('tell of a call over stdio too', async () => {
    const session = new StdioSession(project);
    const lines = linesOf(session.child);
    await session.open();
    await session.search(SECRET);
    await session.leave();
    expect(lines()).toMatchObject([{ event: 'tool_call', actor: 'local', tool_name: 'websearch_search' }]);
    expect(JSON.stringify(lines())).not.toContain(SECRET);
  });
});

describe('port of metrics', () => {
  let holder: Server | undefined;
  afterEach(async () => {
    delete project.env['GATEHOUSE_METRICS_PORT'];
    await new Promise((resolve) => (holder === undefined ? resolve(null) : holder.close(resolve)));
    holder = undefined;
  });

  async function takePort(): Promise<number> {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    holder = server;
    return port;
  }

  it('serves the metrics of a running server, which its own requests are not part of', async () => {
    const port = await freePort();
    project.env['GATEHOUSE_METRICS_PORT'] = String(port);
    const served = await serve(project);
    await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await served.stop();
    expect(text).toContain('gatehouse_http_requests_total{method="POST",route="oauth",status="200"} 1');
    expect(text).not.toContain('route="/metrics"');
    expect(text).toMatch(/^gatehouse_info\{version="\d[^"]+",schema_version="\d+"\} 1$/m);
    expect(text).toMatch(/^gatehouse_database_statement_duration_seconds_count\{operation="select"\} \d+$/m);
    expect(text).toMatch(/^gatehouse_sample_timestamp_seconds 1\d+/m);
  });

  it('fails the start of serve if another program has it, by the name of the setting', async () => {
    project.env['GATEHOUSE_METRICS_PORT'] = String(await takePort());
    const { code, stderr } = await run(project, ['serve']);
    expect(code).toBe(1);
    expect(stderr).toContain('of metrics.port is taken');
  });

  it('never matters to gatehouse mcp', async () => {
    project.env['GATEHOUSE_METRICS_PORT'] = String(await takePort());
    const session = new StdioSession(project);
    await session.open();
    expect((await session.search('cats')).content).not.toEqual([]);
    expect(await session.leave()).toBe(0);
  });
});
