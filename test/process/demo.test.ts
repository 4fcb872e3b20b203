import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DemoVisitor } from '../../src/app/demo/demo-visitor.ts';
import { freePort } from '../support/free-port.ts';
import { PROGRAM } from '../support/program.ts';
import { namedTools } from '../../src/catalog/model/tool-selection.ts';
import { shippedCatalog } from '../tools/tool-request.ts';

/** Codes, tokens, keys and client secrets of the stand-ins. */
const SECRET = /(?:(?:crm|mail|video|warehouse|notes)-(?:code|access|refresh|secret)|sandbox)-[\w-]{43}/;

/** Starts the demo with settings around it that it must not read, and a temporary folder of its own. */
function startDemo(...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-demo-test-'));
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
  const remove = (): void => {
    // Where a test failed before it stopped its demo.
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  return { child, folder, output, ended: once(child, 'close') as Promise<[code: number | null]>, remove };
}

/** Resolves when the output so far matches. */
async function waitFor(demo: ReturnType<typeof startDemo>, pattern: RegExp): Promise<void> {
  while (!pattern.test(demo.output.stdout)) await once(demo.child.stdout, 'data');
}

describe('process gatehouse demo', () => {
  it('performs the whole job in numbered steps, ends by itself and leaves nothing behind', async () => {
    const demo = startDemo();
    onTestFinished(demo.remove);
    const [code] = await demo.ended;
    const { stdout, stderr } = demo.output;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^\d+\. .*$/gm)].map(([line]) => line)).toEqual([
      '1. A Gatehouse starts with an empty data folder.',
      '2. An agent connects over MCP. It works for a user called ada.',
      '3. The agent calls crm_list_companies, but ada has never connected that app.',
      '4. ada opens the link in a browser.',
      '5. ada goes on to the CRM and allows it there.',
      '6. The agent repeats the very same call.',
      '7. The access token expires, and the agent calls again.',
      '8. ada removes the access in the settings of the CRM, and the agent calls again.',
      '9. ada opens the new link and allows it once more.',
      '10. An app without consent: websearch_search needs a key.',
      '11. A policy of the customer decides over tokens.',
      "12. An operator adds somebody else's MCP server.",
      '13. ada connects an account of their own there, and the operator reads what its tools say.',
      '14. The agent calls notes_search_notes, a tool of that server.',
      '15. What was recorded.',
      '16. Where the tokens are now.',
    ]);
    const everyday = namedTools([...shippedCatalog.tools.values()], { toolsets: ['default'] });
    const offered = (connector: string): number =>
      everyday.filter((tool) => tool.connector === connector).length;
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `It is offered ${everyday.length + 2} tools: ${offered('crm')} for the CRM, ${offered('mail')} for calendar and mail, ${offered('video')} for YouTube, ${offered('warehouse')} for the data warehouse, ${offered('websearch')} for searching the web, 2 for accounts and links.`,
    );
    expect(stdout.match(/http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{43}/g)).toHaveLength(2);
    expect(stdout).toContain('| Attio CRM (account ada) is not connected yet.');
    expect(stdout).toContain('| For: ada');
    expect(stdout).toMatch(/It lists \d+ permissions/);
    expect(stdout).toContain('| Gatehouse demo wants to use your CRM');
    expect(stdout.match(/\| .* is connected.*\n/g)).toHaveLength(3);
    expect(stdout.match(/Coastal Energy Institute {2}<coastal-energy\.example>/g)).toHaveLength(3);
    expect(stdout).toMatch(/records\/query {2}401\n +POST \/oauth\/token {2}200\n.*records\/query {2}200\n/);
    expect(stdout).toContain('| The connection to Attio CRM (account ada) has expired');
    expect(stdout).toContain(
      'How to read a tide table  <https://harbour-almanac.example/guides/reading-a-tide-table>',
    );
    expect(stdout).toContain(
      'POST /oauth/token  400  {"error":"access_denied","error_description":"No tokens outside of office hours."}',
    );
    expect(stdout).toContain('POST /oauth/token  200  custom_claims: {"shift":"late"}');
    expect(stdout).toContain('     The tide table of May has a misprint on page 4.\n');
    expect(stdout).toContain(
      '   | - Finds notes that have a word.\n   | + Finds notes. Before use always call',
    );
    const calls = [...stdout.matchAll(/^ +(\w+) {2}mcp {2}\d+ ms {2}(\w+)$/gm)];
    expect(calls.map(([, tool, outcome]) => `${tool} ${outcome}`)).toEqual([
      'crm_list_companies CONNECTED_ACCOUNT_NOT_ACTIVE',
      'crm_list_companies ok',
      'crm_list_companies ok',
      'crm_list_companies CONNECTED_ACCOUNT_NOT_ACTIVE',
      'crm_list_companies ok',
      'websearch_search CONNECTED_ACCOUNT_NOT_ACTIVE',
      'websearch_search ok',
      'notes_search_notes ok',
    ]);
    const changes = [...stdout.matchAll(/^ +\w+ -> (\w+) {2}\(/gm)];
    expect(changes.map(([, state]) => state)).toEqual([
      'PENDING_AUTH',
      'PENDING_VERIFICATION',
      'ACTIVE',
      'EXPIRED',
      'PENDING_VERIFICATION',
      'ACTIVE',
    ]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('they stand readable 0 times.');
    expect(stdout).not.toMatch(SECRET);
    expect(readdirSync(demo.folder)).toEqual([]);
  });

  it('cleans up after an interrupt', async () => {
    const demo = startDemo();
    onTestFinished(demo.remove);
    await waitFor(demo, /^Gatehouse demo/m);
    demo.child.kill('SIGTERM');
    expect(await demo.ended).toEqual([0, null]);
    expect(readdirSync(demo.folder)).toEqual([]);
  });
});

describe('process gatehouse demo --keep', () => {
  let port: number;
  let demo: ReturnType<typeof startDemo>;
  let story: string;

  beforeAll(async () => {
    port = await freePort();
    demo = startDemo('--keep', '--port', String(port));
    await waitFor(demo, /^ {3}10\. .*\n/m);
    story = demo.output.stdout;
  });
  afterAll(() => demo?.remove());

  it('keeps running for a client and a browser', async () => {
    const { gatehouse } = JSON.parse(/^ {3}\{$.*?^ {3}\}$/ms.exec(story)?.[0] ?? '{}').mcpServers;
    const key = String(/sandbox-[\w-]{43}/.exec(story)?.[0]);

    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(gatehouse.url), {
      requestInit: { headers: gatehouse.headers },
    });
    await client.connect(transport);
    const call = { name: 'crm_list_companies', arguments: { limit: 1 } };
    expect(await client.callTool(call)).toMatchObject({ isError: true });

    const visitor = new DemoVisitor();
    const page = await visitor.open(String(/^ {3}(http:.*\/connect\/.*)$/m.exec(story)?.[1]));
    expect(page.heading).toBe('Connect Attio CRM');
    expect((await visitor.follow('Continue to')).actions).toEqual(['Deny', 'Allow']);
    expect(await visitor.submit([], 'Allow')).toMatchObject({
      heading: expect.stringContaining(' is connected'),
    });
    expect(JSON.stringify(await client.callTool(call))).toContain('marrowlight.example');

    await visitor.open(String(/^ {3}(http:.*\/apps)$/m.exec(story)?.[1]));
    await visitor.submit([], 'Expire');
    expect(JSON.stringify(await client.callTool(call))).toContain('marrowlight.example');
    await visitor.submit([], 'Remove');
    expect(JSON.stringify(await client.callTool(call))).toContain('has expired');

    const other = await visitor.open(String(/^ {3}notes: (http:.*)$/m.exec(story)?.[1]));
    expect(other.heading).toBe('Connect Notes');
    await visitor.follow('Continue to');
    await visitor.submit([], 'Allow');
    const note = { name: 'notes_add_note', arguments: { text: 'Buy lamp oil.' } };
    expect(JSON.stringify(await client.callTool(note))).toContain('There are 4 notes.');

    const search = { name: 'websearch_search', arguments: { query: 'espresso' } };
    const asked = JSON.stringify(await client.callTool(search));
    const form = await visitor.open(String(/http:[^ ]*\/connect\/[\w-]{43}/.exec(asked)?.[0]));
    expect(form).toMatchObject({ heading: 'Connect Exa web search', labels: ['Exa API key'] });
    expect(await visitor.submit([key])).toMatchObject({ heading: expect.stringContaining(' is connected') });
    expect(JSON.stringify(await client.callTool(search))).toContain('slowcup.example');
    await client.close();
  });

  it('shares its settings with the commands of another terminal', async () => {
    const visitor = new DemoVisitor();
    await visitor.open(String(/^ {3}video: (http:.*)$/m.exec(story)?.[1]));
    await visitor.follow('Continue to');
    expect(await visitor.submit([], 'Allow')).toMatchObject({
      heading: expect.stringContaining(' is connected'),
    });

    const lent = Object.fromEntries(
      [...story.matchAll(/^ {3}export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    // What is to be copied, in a shell that finds no Node and no gatehouse of its own.
    const [definition] = /^ {3}gatehouse\(\) .*$/m.exec(story) ?? [];
    const [call] = /^ {3}gatehouse tools call .*$/m.exec(story) ?? [];
    const command = spawn('/bin/sh', ['-c', `${definition}\n${call}`], {
      cwd: demo.folder,
      env: { PATH: demo.folder, HOME: demo.folder, ...lent },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(await text(command.stdout)).toContain('How a harbour beacon works');
    // The command was not the last to leave: the log of the database is still there for the demo.
    expect(readdirSync(String(lent['GATEHOUSE_CONFIG']?.replace(/gatehouse\.yaml$/, '')))).toContain(
      'gatehouse.db-wal',
    );
  });

  it('says in ten lines what to do next, with a credential for the API and webhooks to this machine', async () => {
    const [, next = ''] = story.split('What to do next:\n');
    const steps = next.split('\n').filter((line) => line !== '');
    expect(steps.map((line) => Number(/^ {3}(\d+)\. \S/.exec(line)?.[1]))).toEqual(
      Array.from({ length: 10 }, (_, i) => i + 1),
    );
    const base = `http://127.0.0.1:${port}`;
    const form = /-d '(grant_type=[^']+)'/.exec(next)?.[1];
    const answered = await fetch(`${base}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    const { access_token: token } = (await answered.json()) as { access_token: string };
    const body = /(\{"name":"mine".*\})'/.exec(next)?.[1] ?? '';
    const made = await fetch(`${base}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    });
    expect([made.status, new URL((JSON.parse(body) as { url: string }).url).hostname]).toEqual([
      201,
      '127.0.0.1',
    ]);
  });

  it('ends at Ctrl-C and leaves nothing behind', async () => {
    demo.child.kill('SIGINT');
    expect(await demo.ended).toEqual([0, null]);
    expect(demo.output.stderr).toBe('');
    expect(readdirSync(demo.folder)).toEqual([]);
  });
});
