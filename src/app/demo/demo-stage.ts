/**
 * Starts and stops everything the demo needs as one: a temporary data folder, the sandbox, the stand-in for a
 * customer's app, and a real server whose connections point at the sandbox.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { membersOf } from '../../core/json.ts';
import { loadSettings } from '../../settings/settings.ts';
import type { Scope } from '../../core/caller.ts';
import { newSecret } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { startSandbox, type OAuthConnector, type Sandbox } from '../../../sandbox/sandbox.ts';
import { startDemoApp, type DemoApp } from './demo-app.ts';
import { startDemoPolicy, type DemoPolicy } from './demo-policy.ts';
import { sandboxConnections } from './own-sandbox.ts';
import { startServer, type RunningServer } from '../serve/serve.ts';

const CLIENT_ID = 'demo';

/** Much longer than the demo: tokens in it only expire when the demo makes them expire. */
const ACCESS_TOKEN_SECONDS = 3600;

/** A running demo. */
export interface DemoStage {
  sandbox: Sandbox;
  app: DemoApp;
  policy: DemoPolicy;
  server: RunningServer;
  /** Database and key file used only by this demo. */
  dataDir: string;
  /** The demo's API credential, with all rights. */
  credential: { clientId: string; clientSecret: string };
  /** Environment variables that let commands in another terminal use this demo. */
  environment: Readonly<Record<string, string>>;
  /** A fresh access token of the demo's API credential, with one scope. */
  accessToken(scope: Scope): Promise<string>;
  /** Requests a token as a client does. */
  requestToken(): Promise<{ status: number; body: Record<string, unknown> }>;
  /** A call of the REST API with all rights. @throws Error if the answer is not a success */
  api<Answer>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer>;
  /** Counts the files in the data folder, and those in which one of the texts is readable. */
  filesWith(texts: readonly string[]): Promise<{ found: number; searched: number }>;
  /** Stops everything and removes the data folder. */
  close(): Promise<void>;
}

/** The input for the settings. */
interface DemoParts {
  sandbox: Sandbox;
  app: DemoApp;
  policy: DemoPolicy;
  /** The secret of the demo's API credential. */
  clientSecret: string;
  port: number;
  isKept: boolean;
  toolsets: readonly string[];
}

/** Hosts that outgoing requests may reach if somebody continues with the demo: their own webhooks on this machine. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Options of the stage. */
export interface DemoStageOptions {
  /** Port of the server; default: any free one. */
  port?: number;
  /** Whether the demo continues to run after its story. */
  isKept?: boolean;
  /** Toolsets that MCP publishes. Default: the tools of everyday work. */
  toolsets?: readonly string[];
}

/** @throws the errors of startServer, after removing everything again */
export async function openDemoStage(
  log: Log,
  { port = 0, isKept = false, toolsets = ['default'] }: DemoStageOptions = {},
): Promise<DemoStage> {
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).toReversed()) await end();
  };
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-demo-'));
    closing.push(() => rm(dataDir, { recursive: true, force: true }));
    const sandbox = await startSandbox({
      crm: { refreshTokens: true, accessTokenSeconds: ACCESS_TOKEN_SECONDS },
    });
    closing.push(() => sandbox.close());
    const app = await startDemoApp();
    closing.push(() => app.close());
    const policy = await startDemoPolicy();
    closing.push(() => policy.close());
    const clientSecret = newSecret();
    const config = join(dataDir, 'gatehouse.yaml');
    await writeFile(config, demoSettings({ sandbox, app, policy, clientSecret, port, isKept, toolsets }), {
      mode: 0o600,
    });
    const env = Object.fromEntries(
      Object.entries(sandbox.providers).map(([name, { app }]) => [secretVariable(name), app.clientSecret]),
    );
    const settings = loadSettings({ flags: { config }, env, cwd: dataDir, homeDir: homedir() });
    const searched: number[] = [];
    closing.push(async () => searched.forEach((file) => closeSync(file)));
    const server = await startServer({ settings, log });
    closing.push(() => server.stop());
    const accessToken = (scope: Scope) => fetchToken(server.baseUrl, clientSecret, scope);
    app.connectTo({ baseUrl: server.baseUrl, accessToken: () => accessToken('accounts:write') });
    const api = async <Answer>(method: string, path: string, body?: object) =>
      callApi<Answer>({
        method,
        url: `${server.baseUrl}/api/v1${path}`,
        token: await fetchToken(server.baseUrl, clientSecret),
        body,
      });
    const { connections } = await api<{ connections: { connector: string; redirect_uri: string }[] }>(
      'GET',
      '/connections',
    );
    for (const { connector, redirect_uri } of connections)
      if (isOAuth(sandbox, connector)) sandbox.providers[connector].allowRedirect(redirect_uri);
    return {
      sandbox,
      app,
      policy,
      server,
      dataDir,
      credential: { clientId: CLIENT_ID, clientSecret },
      environment: { GATEHOUSE_CONFIG: config, ...env },
      accessToken,
      requestToken: async () => {
        const response = await tokenRequest(server.baseUrl, clientSecret);
        return { status: response.status, body: membersOf(await response.json()) };
      },
      api,
      filesWith: (texts) => searchFolder(dataDir, texts, searched),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The same file that an operator writes, with the sandbox instead of the providers. */
function demoSettings({ sandbox, app, policy, clientSecret, port, isKept, toolsets }: DemoParts): string {
  const own = [sandbox.url, policy.endpoint].map((url) => new URL(url).host);
  return stringify({
    data_dir: '.',
    port,
    client_id: CLIENT_ID,
    client_secret: clientSecret,
    user_verification: 'app',
    user_verify_url: app.verifyUrl,
    lifetimes: { token: '24h' },
    mcp: { toolsets },
    outbound: { allow_private_hosts: isKept ? LOOPBACK : own },
    connections: sandboxConnections(sandbox, (connector) => `\${${secretVariable(connector)}}`),
  });
}

/** The variable from which the settings read a connection's client secret. */
function secretVariable(connector: string): string {
  return `${connector.toUpperCase()}_CLIENT_SECRET`;
}

function isOAuth({ providers }: Sandbox, connector: string): connector is OAuthConnector {
  return Object.hasOwn(providers, connector);
}

/** @param scope default: every scope of the credential */
async function fetchToken(baseUrl: string, clientSecret: string, scope?: Scope): Promise<string> {
  const response = await tokenRequest(baseUrl, clientSecret, scope);
  return (await readAnswer<{ access_token: string }>(response)).access_token;
}

async function tokenRequest(baseUrl: string, clientSecret: string, scope?: Scope): Promise<Response> {
  return fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CLIENT_ID,
      client_secret: clientSecret,
      ...(scope !== undefined && { scope }),
    }),
  });
}

async function callApi<Answer>(call: {
  method: string;
  url: string;
  token: string;
  body: object | undefined;
}): Promise<Answer> {
  const response = await fetch(call.url, {
    method: call.method,
    headers: { authorization: `Bearer ${call.token}`, 'content-type': 'application/json' },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  });
  return readAnswer<Answer>(response);
}

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(response.url).pathname} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}

/**
 * @param opened collects the descriptors, to be closed after the database: a process that closes a descriptor of a
 *   file loses its locks on it, SQLite's too. The next process to exit would then remove the write-ahead log.
 * @see https://www.sqlite.org/howtocorrupt.html section 2.2
 */
async function searchFolder(
  folder: string,
  texts: readonly string[],
  opened: number[],
): Promise<{ found: number; searched: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = files.map((entry) => {
    const file = openSync(join(entry.parentPath, entry.name), 'r');
    opened.push(file);
    return readFileSync(file);
  });
  const found = contents.filter((content) => texts.some((text) => content.includes(text)));
  return { found: found.length, searched: files.length };
}
