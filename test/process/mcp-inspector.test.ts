/** The MCP Inspector's command line against the real program, with its schema lint. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, makeProject, PROGRAM, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { ROUNDS } from '../support/rounds.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

const INSPECTOR = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
  'clients/launcher/build/index.js',
);

/** Those that a client which names no toolsets sees. */
const WEBSEARCH_TOOLS = [...shippedCatalog.tools.values()]
  .filter(({ connector, unlisted }) => connector === 'websearch' && unlisted !== true)
  .map(({ name }) => name);

let project: Project;
let served: Served;

beforeAll(async () => {
  project = await makeProject();
  served = await serve(project);
  await served.connect('local', 'key-of-local');
});

afterAll(async () => {
  await served.stop();
  await project.close();
});

async function inspect(
  args: readonly string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...project.env, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  return collect(
    spawn(process.execPath, [INSPECTOR, '--cli', ...args, '--format', 'json'], { cwd: project.dir, env }),
  );
}

const overHttp = (): string[] => [
  served.mcpUrl,
  '--transport',
  'http',
  '--header',
  `Authorization: Bearer ${served.token}`,
  'gatehouse-user-id: local',
];

const targets: [string, () => string[]][] = [
  ['stdio', () => [process.execPath, PROGRAM, 'mcp']],
  ...(ROUNDS.everyClient ? ([['HTTP', overHttp]] satisfies [string, () => string[]][]) : []),
  ['HTTP, 2026-07-28', () => [...overHttp(), '--protocol-era', 'modern']],
];

describe.each(targets)('MCP Inspector over %s', (name, target) => {
  // Over stdio the reduced rounds have it below, with every connector.
  it.runIf(ROUNDS.everyClient || name !== 'stdio')('reports no problem in the schemas', async () => {
    const { code, stdout, stderr } = await inspect([...target(), '--method', 'tools/list', '--strict']);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect((JSON.parse(stdout) as { result: { tools: unknown[] } }).result.tools).toHaveLength(
      WEBSEARCH_TOOLS.length,
    );
    expect(stderr).not.toMatch(/portability|warning/i);
  });

  it('calls a tool with the Inspector', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'websearch_search', '--tool-arg', 'query=cats'];
    const { code, stdout } = await inspect([...target(), ...call]);
    expect(code).toBe(0);
    expect(stdout).toContain('local asked cats');
  });
});

describe('MCP Inspector with every connector', () => {
  it('reports no problem in the schemas of all shipped tools', async () => {
    const all = ['--connectors', [...shippedCatalog.connectors.keys()].join(',')];
    const list = ['--method', 'tools/list', '--strict'];
    const { code, stdout, stderr } = await inspect([process.execPath, PROGRAM, 'mcp', ...all, ...list]);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect((JSON.parse(stdout) as { result: { tools: unknown[] } }).result.tools).toHaveLength(
      shippedCatalog.tools.size,
    );
    expect(stderr).not.toMatch(/portability|warning/i);
  });
});

describe('MCP Inspector with an entry for the client', () => {
  it('starts the server from the file that gatehouse init has written', async () => {
    const init = [PROGRAM, 'init', '--client', 'inspector', '--write'];
    const written = await collect(spawn(process.execPath, init, { cwd: project.dir, env: project.env }));
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('.mcp-inspector/mcp.json') });
    const { code, stdout } = await inspect(['--server', 'gatehouse', '--method', 'tools/list']);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { result: { tools: unknown[] } }).result.tools).toHaveLength(
      WEBSEARCH_TOOLS.length,
    );
  });
});
