/**
 * The commands of docs/tutorial.md, run as they stand there, in one shell and an empty home folder. What is not the same
 * for the reader are the ports.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../mcp/real-processes.ts';
import { page } from '../support/documentation.ts';
import { PROGRAM } from '../support/deployment/server-process.ts';
import { freePort } from '../support/free-port.ts';

const ROOT = join(import.meta.dirname, '../..');

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gatehouse-tutorial-'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`;
  writeFileSync(join(home, 'gatehouse'), command, { mode: 0o755 });
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

/** Every command of a page, with other ports than those it names. */
async function commandsOf(name: string, ports: readonly number[]): Promise<string> {
  const blocks = [...page(name).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);
  let script = blocks.join('\n');
  for (const port of ports) script = script.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:{${port}}`);
  script = script.replaceAll('listen(8080,', 'listen({8080},');
  for (const port of ports) {
    const free = String(await freePort());
    script = script.replaceAll(`{${port}}`, free);
    if (port === 3000) script = `export GATEHOUSE_PORT=${free}\n${script}`;
    if (port === 4400) script = script.replaceAll('gatehouse sandbox', `gatehouse sandbox --port ${free}`);
  }
  return script;
}

describe('documented commands of the tutorial', () => {
  it('lead from nothing to a tool call for a verified account', async () => {
    const script = await commandsOf('tutorial.md', [3000, 4400, 8080]);
    const env = {
      PATH: `${home}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      HOME: home,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    };
    const shell = spawn('bash', ['-c', `set -emo pipefail\ntrap 'kill $(jobs -p)' EXIT\n${script}`], {
      cwd: home,
      env,
    });
    const { code, stdout, stderr } = await collect(shell);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    expect(stdout).toContain('"error_code":"CONNECTED_ACCOUNT_NOT_ACTIVE"');
    expect(stdout).toContain('<h1>Exa web search is connected</h1>');
    expect(stdout).toMatch(/^\{"data":\{.*"execution_id":"exe_\w{26}"\}$/m);
    expect(stdout).toMatch(/^exe_\w+ .* ok /m);
  });
});
