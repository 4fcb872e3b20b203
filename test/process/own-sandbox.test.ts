/** `gatehouse sandbox` with a Gatehouse that uses the connections it prints. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DemoVisitor } from '../../src/app/demo/demo-visitor.ts';
import { freePort } from '../support/free-port.ts';
import { PROGRAM } from '../support/program.ts';

const CREDENTIAL = { client_id: 'own', client_secret: 'a-secret-of-the-test-that-is-long-enough-0123456789' };

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-own-'));
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a command, and resolves when its output matches. */
async function start(
  args: readonly string[],
  ready: RegExp,
): Promise<{ child: ChildProcess; stdout: string }> {
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    HOME: folder,
  };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env });
  children.push(child);
  const said = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  const ended = once(child, 'close').then(() => {
    throw new Error(`${args.join(' ')} ended: ${said.stderr}`);
  });
  while (!ready.test(said.stdout)) await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  return { child, stdout: said.stdout };
}

/** Sends a request. @returns the JSON of its answer */
async function json<Answer>(url: string, body: object, token?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

describe('process gatehouse sandbox', () => {
  it('serves a Gatehouse of its user with the connections it prints, and names a port that is taken and the option for another', async () => {
    const port = await freePort();
    const sandbox = await start(['sandbox', '--port', String(port)], /Ctrl-C stops it/);
    await expect(start(['sandbox', '--port', String(port)], /Ctrl-C stops it/)).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is taken. Choose another one with --port.`,
    );
    expect(sandbox.stdout).toContain('# The secrets below are public');
    expect(sandbox.stdout).toContain(`# Listening at http://127.0.0.1:${port} `);
    const printed = parse(sandbox.stdout) as Record<string, unknown>;
    expect(printed).toMatchObject({
      outbound: { allow_private_hosts: [`127.0.0.1:${port}`] },
      connections: ['crm', 'mail', 'video', 'warehouse', 'websearch'].map((connector) => ({
        name: connector,
        connector,
      })),
    });
    const settings = { ...printed, ...CREDENTIAL, data_dir: 'data', port: 0, user_verification: 'none' };
    writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify(settings));
    const { stdout } = await start(['serve'], /\n/);
    const { base_url: base } = JSON.parse(stdout) as { base_url: string };
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...CREDENTIAL });
    const answered = await fetch(`${base}/oauth/token`, { method: 'POST', body: form });
    const { access_token: token } = (await answered.json()) as { access_token: string };
    const api = async <Answer>(path: string, body: object): Promise<Answer> =>
      json<Answer>(`${base}/api/v1/${path}`, body, token);

    const listed = await fetch(`${base}/api/v1/connections`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { connections } = (await listed.json()) as { connections: { name: string; warnings: string[] }[] };
    expect(connections.filter(({ warnings }) => warnings.length > 0)).toEqual([]);

    const account = (api_key: string) => ({
      connector: 'websearch',
      identifier: 'ada',
      user_id: 'ada',
      check: true,
      connected_account: { authorization_details: { static_auth: { details: { api_key } } } },
    });
    expect(JSON.stringify(await api('connected_accounts', account('wrong')))).toContain(
      'does not accept this',
    );
    const key = /This one is accepted: (\S+)/.exec(sandbox.stdout)?.[1] ?? '';
    expect(await api('connected_accounts', account(key))).toMatchObject({
      connected_account: { status: 'ACTIVE' },
      warnings: [],
    });

    const owner = { connector: 'crm', user_id: 'ada' };
    const { link } = await api<{ link: string }>('connected_accounts/magic_link', owner);
    const visitor = new DemoVisitor();
    await visitor.open(link);
    await visitor.follow('Continue to');
    expect(await visitor.submit([], 'Allow')).toMatchObject({
      heading: expect.stringContaining(' is connected'),
    });
    const call = { tool_name: 'crm_list_companies', user_id: 'ada', tool_input: { limit: 1 } };
    expect(JSON.stringify(await api('execute_tool', call))).toContain('marrowlight.example');

    const [, url = '', name] = /gatehouse upstreams add (\S+) --name (\w+)/.exec(sandbox.stdout) ?? [];
    const issuer = url.replace(/\/mcp$/, '');
    const seen = { authorization_type: 'MCP_OAUTH', issuer, origins: [new URL(url).origin] };
    expect(await api('upstreams', { url, name, confirm: true, seen })).toMatchObject({
      upstream: seen,
    });

    sandbox.child.kill('SIGTERM');
    expect(await once(sandbox.child, 'exit')).toEqual([0, null]);
  });
});
