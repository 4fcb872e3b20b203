/** The compared servers, and how each is started. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LIST_BOOKS, openApiDescription } from './openapi-description.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = process.execPath;

/** The tool of bench/catalog, which makes the provider call. */
const BENCH_SEARCH = { name: 'bench_search', arguments: { query: 'q' } };

/** A server that can be started over both transports. */
export interface Subject {
  name: string;
  /** The tool to call, and its arguments. */
  call: { name: string; arguments: object };
  /** Environment with the default catalog, for start and idle memory. */
  env: Record<string, string>;
  /** Environment with everything the provider call needs, for load. */
  loadEnv: Record<string, string>;
  stdio: readonly string[];
  /** Starts it over HTTP. `headers` returns what a client has to send, for instance an access token. */
  http(
    env: Record<string, string>,
  ): Promise<{ url: string; headers: () => Promise<Record<string, string>>; child: ChildProcess }>;
}

/** Starts a program and resolves with the first line it prints on stdout. */
export async function startAndRead(
  command: readonly string[],
  env: Record<string, string>,
): Promise<{ child: ChildProcess; line: string }> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${command.join(' ')} ended with ${code}`)));
  });
  return { child, line };
}

/** Starts the provider's stand-in. Its line is its address. */
export async function startStandInApi(): Promise<{ child: ChildProcess; line: string }> {
  return startAndRead([node, join(root, 'bench/stand-in-api.ts')], {});
}

/** The minimal server, which makes the same provider call with nothing around it. */
export function minimalSubject(apiUrl: string): Subject {
  const file = join(root, 'bench/minimal-server.ts');
  const env = { BENCH_API_URL: apiUrl };
  return {
    name: 'minimal',
    call: BENCH_SEARCH,
    env,
    loadEnv: env,
    stdio: [node, file, 'stdio'],
    http: async () => {
      const { child, line } = await startAndRead([node, file, 'http'], env);
      return { child, url: line, headers: async () => ({}) };
    },
  };
}

/** @modelcontextprotocol/server-everything, as published. */
export function everythingSubject(): Subject {
  const file = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  return {
    name: 'server-everything',
    call: { name: 'echo', arguments: { message: 'q' } },
    env: {},
    loadEnv: {},
    stdio: [node, file, 'stdio'],
    http: async () => {
      const port = await freePort();
      const child = spawn(node, [file, 'streamableHttp'], {
        env: { ...process.env, PORT: String(port) },
        stdio: 'ignore',
      });
      const url = `http://127.0.0.1:${port}/mcp`;
      await waitFor(port);
      return { child, url, headers: async () => ({}) };
    },
  };
}

/** A connector that Gatehouse has an account of, and the tool that is called. */
interface BenchConnector {
  /** Folder with the folder of the connector. */
  dir: string;
  name: string;
  call: Subject['call'];
}

const BENCH_CONNECTOR: BenchConnector = {
  dir: join(root, 'bench/catalog'),
  name: 'bench',
  call: BENCH_SEARCH,
};

/** Gatehouse as built in the `dist` of a checkout (this one), with one connected account of the connector. */
export async function gatehouseSubject(
  apiUrl: string,
  {
    name = 'gatehouse',
    checkout = root,
    connector = BENCH_CONNECTOR,
  }: { name?: string; checkout?: string; connector?: BenchConnector } = {},
): Promise<Subject> {
  const gatehouse = join(checkout, 'dist/main.js');
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const port = await freePort();
  const env = {
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_LOG_LEVEL: 'warn',
    GATEHOUSE_CLIENT_ID: 'bench',
    GATEHOUSE_CLIENT_SECRET: 'bench-secret-bench-secret-bench-secret',
  };
  const loadEnv = {
    ...env,
    GATEHOUSE_CATALOG_DIRS: connector.dir,
    GATEHOUSE_ALLOW_PRIVATE_HOSTS: new URL(apiUrl).host,
  };
  const serve = async (
    serveEnv: Record<string, string>,
  ): Promise<{ child: ChildProcess; baseUrl: string }> => {
    const { child, line } = await startAndRead([node, gatehouse, 'serve'], serveEnv);
    return { child, baseUrl: (JSON.parse(line) as { base_url: string }).base_url };
  };
  const { child, baseUrl } = await serve(loadEnv);
  await connectAccount(baseUrl, await accessToken(baseUrl, env), { apiUrl, connector: connector.name });
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  return {
    name,
    call: connector.call,
    env,
    loadEnv,
    stdio: [node, gatehouse, 'mcp'],
    http: async (serveEnv) => {
      const { child, baseUrl } = await serve(serveEnv);
      return {
        child,
        url: `${baseUrl}/mcp`,
        headers: async () => ({
          authorization: `Bearer ${await accessToken(baseUrl, env)}`,
          'gatehouse-user-id': 'local',
        }),
      };
    },
  };
}

/** Gatehouse and @ivotoby/openapi-mcp-server with the same description of 125 operations and the same key. */
export async function openApiSubjects(apiUrl: string): Promise<Subject[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const description = join(folder, 'openapi.json');
  writeFileSync(description, openApiDescription('https://api.shop.example'));
  const words = ['catalog', 'import', description, '--operations', 'all', '--name', 'shop'];
  execFileSync(node, [join(root, 'dist/main.js'), ...words, '--out', join(folder, 'catalog')], {
    env: { ...process.env, GATEHOUSE_DATA_DIR: join(folder, 'data') },
    stdio: 'ignore',
  });
  const call = { name: 'shop_list_books', arguments: LIST_BOOKS };
  const connector = { dir: join(folder, 'catalog'), name: 'shop', call };
  return [await gatehouseSubject(apiUrl, { connector }), peerSubject(apiUrl, description)];
}

/** @ivotoby/openapi-mcp-server, as published. It says as little as Gatehouse at log level `warn`. */
function peerSubject(apiUrl: string, description: string): Subject {
  const file = join(root, 'node_modules/@ivotoby/openapi-mcp-server/bin/mcp-server.js');
  const env = {
    API_BASE_URL: apiUrl,
    OPENAPI_SPEC_PATH: description,
    API_HEADERS: 'x-api-key:key',
    VERBOSE: 'false',
  };
  return {
    name: 'openapi-mcp-server',
    call: { name: 'lst-books', arguments: LIST_BOOKS },
    env,
    loadEnv: env,
    stdio: [node, file],
    http: async () => {
      const port = await freePort();
      const child = spawn(node, [file], {
        env: { ...process.env, ...env, TRANSPORT_TYPE: 'http', HTTP_PORT: String(port) },
        stdio: 'ignore',
      });
      const url = `http://127.0.0.1:${port}/mcp`;
      await waitFor(port);
      return { child, url, headers: async () => ({}) };
    },
  };
}

/** A token of the client that the environment names. */
export async function accessToken(baseUrl: string, env: Record<string, string>): Promise<string> {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: env.GATEHOUSE_CLIENT_ID ?? '',
      client_secret: env.GATEHOUSE_CLIENT_SECRET ?? '',
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function connectAccount(
  baseUrl: string,
  token: string,
  { apiUrl, connector }: { apiUrl: string; connector: string },
): Promise<void> {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const { connections } = (await call('GET', '/connections')) as {
    connections: { id: string; name: string }[];
  };
  const connection = connections.find((entry) => entry.name === connector);
  await call('PATCH', `/connections/${connection?.id}`, { overrides: { base_url: apiUrl } });
  await call('POST', '/connected_accounts', {
    connector,
    identifier: 'local',
    user_id: 'local',
    connected_account: { authorization_details: { static_auth: { details: { api_key: 'key' } } } },
  });
}

/** A port at which nobody listens now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when somebody listens at the port. Asks often, because the wait is part of what is measured. */
async function waitFor(port: number): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    const isListening = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.end());
    });
    if (isListening) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`Nothing listens at port ${port}.`);
}
