/**
 * The conformance suite's `authorization` scenarios against the real program: the metadata of the authorization
 * server, and the authorization-code grant with a person who signs in and allows the client. All of them apply, so
 * there is no baseline; the suite's `auth/` scenarios are about clients. SDK clients: process/remote-agents.test.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedBrowser } from '../authorization-server/scripted-browser.ts';
import { makeProject, run, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { freePort } from '../support/free-port.ts';

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

let project: Project;
let served: Served;
let log: Interface;

beforeAll(async () => {
  project = await makeProject();
  served = await serve(project);
  log = createInterface({ input: served.child.stderr! });
  await run(project, ['users', 'create', '--email', 'ann@example.test']);
});

afterAll(async () => {
  log.close();
  await served.stop();
  await project.close();
});

async function register(redirectUri: string): Promise<string> {
  const answer = await fetch(`${served.baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'The suite',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { client_id: string }).client_id;
}

/** What a person does in a browser: signs in with the code of the log, and allows the client. */
async function allow(authorizationUrl: string): Promise<void> {
  const browser = new ScriptedBrowser(served.baseUrl);
  const code = nextMatch(log, /\b(\d{8})\b.*"sign_in_code"/);
  const asked = await browser.submit(await browser.goTo(authorizationUrl), { email: 'ann@example.test' });
  const consent = await browser.submit(asked, { code: await code });
  const left = await browser.submit(consent, { answer: 'allow' });
  await fetch(left.url);
}

/** Settles with what the pattern names in the first line from now on that it fits. */
async function nextMatch(lines: Interface, pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    lines.on('line', (line) => {
      const found = pattern.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}

describe('authorization scenarios of the MCP conformance suite', () => {
  it('pass without any exception in the baseline', async () => {
    const port = await freePort();
    const clientId = await register(`http://127.0.0.1:${port}/callback`);
    const target = ['--url', served.baseUrl, '--resource', served.mcpUrl];
    const client = ['--client-id', clientId, '--port', String(port)];
    const child = spawn(process.execPath, [SUITE, 'authorization', ...target, ...client], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => (output += `${line}\n`));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const closed = once(child, 'close');
    try {
      await allow(await nextMatch(lines, /^(http:\S+\/oauth\/authorize\?.*)$/));
      await closed;
    } finally {
      child.kill();
    }
    expect({ code: child.exitCode, output: child.exitCode === 0 ? '' : output }).toEqual({
      code: 0,
      output: '',
    });
    expect(output).toContain('authorization-server-metadata-endpoint: 2 passed, 0 failed');
    expect(output).toContain('authorization-code-grant: 1 passed, 0 failed');
  });
});
