import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DemoVisitor } from '../../src/app/demo-visitor.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/gatehouse.js');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-demo-test-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the demo with settings around it that it must not read, and a temporary folder of its own. */
function startDemo(...flags: string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'demo', ...flags], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder, GATEHOUSE_PORT: 'no port', GATEHOUSE_DATA_DIR: '/dev/null/data' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return { child, output, ended: once(child, 'close') as Promise<[code: number | null]> };
}

/** Resolves when the output so far matches. */
async function waitFor(demo: ReturnType<typeof startDemo>, pattern: RegExp): Promise<void> {
  while (!pattern.test(demo.output.stdout)) await once(demo.child.stdout, 'data');
}

describe('gatehouse demo', () => {
  it('tells the whole job in numbered steps, ends by itself and leaves nothing behind', async () => {
    const demo = startDemo();
    const [code] = await demo.ended;
    const { stdout, stderr } = demo.output;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^\d\. .*$/gm)].map(([line]) => line)).toEqual([
      '1. A Gatehouse starts with an empty data folder.',
      '2. An agent connects over MCP. It works for a user called ada.',
      '3. The agent calls websearch_search, but ada has never connected that app.',
      '4. ada opens the link in a browser.',
      '5. ada enters the key and presses the button.',
      '6. The agent repeats the very same call.',
      '7. What was recorded.',
      '8. Where the key is now.',
    ]);
    expect(stdout).toContain('It is offered 10 tools');
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{43}/);
    expect(stdout).toContain('| Account: ada');
    expect(stdout).toContain(
      'How to read a tide table  <https://harbour-almanac.example/guides/reading-a-tide-table>',
    );
    expect(stdout).toMatch(
      /websearch_search {2}mcp {2}\d+ ms {2}CONNECTED_ACCOUNT_NOT_ACTIVE\n.*mcp {2}\d+ ms {2}ok\n/,
    );
    expect(stdout).toMatch(/new -> PENDING_AUTH .*\n.*PENDING_AUTH -> PENDING_VERIFICATION .*\n.*-> ACTIVE /);
    expect(stdout).toContain('it stands readable 0 times');
    expect(stdout).not.toMatch(/sandbox-[\w-]{43}/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('with --keep stays up for a client and a browser until Ctrl-C', async () => {
    const demo = startDemo('--keep');
    await waitFor(demo, /openapi\.json/);
    const story = demo.output.stdout;
    const { gatehouse } = JSON.parse(/^ {3}\{$.*?^ {3}\}$/ms.exec(story)?.[0] ?? '{}').mcpServers;
    const key = String(/sandbox-[\w-]{43}/.exec(story)?.[0]);

    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(gatehouse.url), {
      requestInit: { headers: gatehouse.headers },
    });
    await client.connect(transport);
    const call = { name: 'websearch_search', arguments: { query: 'espresso' } };
    expect(await client.callTool(call)).toMatchObject({ isError: true });

    const visitor = new DemoVisitor();
    const page = await visitor.open(String(/^ {3}(http:.*\/connect\/.*)$/m.exec(story)?.[1]));
    expect(page).toMatchObject({ heading: 'Connect Exa web search', labels: ['Exa API key'] });
    expect(await visitor.submit([key])).toMatchObject({ heading: 'Connected' });
    expect(JSON.stringify(await client.callTool(call))).toContain('slowcup.example');
    await client.close();

    demo.child.kill('SIGINT');
    expect(await demo.ended).toEqual([0, null]);
    expect(demo.output.stderr).toBe('');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('cleans up when it is interrupted', async () => {
    const demo = startDemo();
    await waitFor(demo, /^Gatehouse demo/m);
    demo.child.kill('SIGTERM');
    expect(await demo.ended).toEqual([0, null]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
