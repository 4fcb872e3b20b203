/** The real program as processes, with a stand-in for the web-search provider that says who asked what. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { API_CREDENTIAL, prepareData } from '../support/prepared-data.ts';
import { environmentOfServer, PROGRAM } from '../support/program.ts';

export { PROGRAM };

/** A folder with settings that lead web searches to the stand-in. */
export interface Project {
  dir: string;
  /** Environment of every process of the project; nothing of the machine's own settings gets in. */
  env: Record<string, string>;
  /** How many requests the provider got. */
  requests: () => number;
  /** Lets the provider answer only when the returned function is called. */
  hold: () => () => void;
  close: () => Promise<void>;
}

/** A running `gatehouse serve`. */
export interface Served {
  baseUrl: string;
  mcpUrl: string;
  token: string;
  child: ChildProcess;
  /** An ACTIVE web-search account of a user; a key `key-of-x` makes the provider answer `x asked …`. */
  connect: (userId: string, apiKey: string, identifier?: string) => Promise<void>;
  stop: () => Promise<void>;
}

export async function makeProject(): Promise<Project> {
  let requests = 0;
  let released: Promise<void> = Promise.resolve();
  const provider = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    const answer = async (): Promise<void> => {
      response.setHeader('content-type', 'application/json');
      // The look by which `gatehouse connect` tries a key.
      if (request.method === 'GET') return void response.end('{"data": []}');
      requests++;
      const { query } = JSON.parse(body) as { query: string };
      // Not the key itself: the server takes live secrets out of whatever a provider says.
      const title = `${String(request.headers['x-api-key']).replace('key-of-', '')} asked ${query}`;
      await released;
      response.end(JSON.stringify({ results: [{ id: '1', url: 'https://example.test', title }] }));
    };
    request.on('end', () => void answer());
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-'));
  writeFileSync(
    join(dir, 'gatehouse.yaml'),
    [
      'data_dir: data',
      'outbound:',
      `  allow_private_hosts: ["${address}"]`,
      'connections:',
      '  - name: websearch',
      '    connector: websearch',
      `    overrides: {base_url: "http://${address}"}`,
      '',
    ].join('\n'),
  );
  await prepareData(join(dir, 'data'));
  return {
    dir,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      HOME: dir,
      GATEHOUSE_CONFIG: join(dir, 'gatehouse.yaml'),
      GATEHOUSE_PORT: '0',
      GATEHOUSE_CLIENT_ID: API_CREDENTIAL.id,
      GATEHOUSE_CLIENT_SECRET: API_CREDENTIAL.secret,
    },
    requests: () => requests,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      return resolve;
    },
    close: async () => {
      provider.closeAllConnections();
      await new Promise((resolve) => provider.close(resolve));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export async function serve(project: Project, flags: readonly string[] = []): Promise<Served> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...flags], {
    cwd: project.dir,
    env: environmentOfServer(project.env),
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ready = await new Promise<{ base_url: string; mcp_url: string }>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) =>
      resolve(JSON.parse(line) as { base_url: string; mcp_url: string }),
    );
    child.once('exit', () => reject(new Error(`serve ended: ${errors}`)));
  });
  const baseUrl = ready.base_url;
  const token = await fetchToken(baseUrl);
  return {
    baseUrl,
    mcpUrl: ready.mcp_url,
    token,
    child,
    connect: async (userId, apiKey, identifier = userId) => {
      const response = await fetch(`${baseUrl}/api/v1/connected_accounts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          connector: 'websearch',
          identifier,
          user_id: userId,
          connected_account: {
            authorization_details: { static_auth: { details: { api_key: apiKey } } },
          },
        }),
      });
      if (response.status !== 201) throw new Error(await response.text());
    },
    stop: () => ended(child, 'SIGTERM'),
  };
}

/** Runs the program to its end. */
export async function run(
  project: Project,
  args: readonly string[],
  input = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return collect(spawn(process.execPath, [PROGRAM, ...args], { cwd: project.dir, env: project.env }), input);
}

/** Output and exit code of a child that gets `input` and ends by itself. */
export async function collect(
  child: ChildProcess,
  input = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

/** An access token of the project's credential. */
export async function fetchToken(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: API_CREDENTIAL.id,
      client_secret: API_CREDENTIAL.secret,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
