/**
 * Everything the demo needs, started and taken down as one: a temporary data folder, the sandbox, the
 * stand-in for a customer's app, and a real server whose connections point at the sandbox.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { loadSettings } from '../core/config/settings.ts';
import type { Scope } from '../core/caller.ts';
import { newSecret } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { startSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { startDemoApp, type DemoApp } from './demo-app.ts';
import { startServer, type RunningServer } from './serve.ts';

const CLIENT_ID = 'demo';

/** Long beside the demo: what expires in it expires because it is made to. */
const ACCESS_TOKEN_SECONDS = 3600;

/** A running demo. */
export interface DemoStage {
  sandbox: Sandbox;
  app: DemoApp;
  server: RunningServer;
  /** Database and key file of this demo alone. */
  dataDir: string;
  /** A fresh access token of the demo's API credential, with one scope. */
  accessToken(scope: Scope): Promise<string>;
  /** A call of the REST API with all rights. @throws Error when it is not answered with success */
  api<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer>;
  /** How many files the data folder has, and in how many of them one of the texts stands readable. */
  filesWith(texts: readonly string[]): Promise<{ found: number; searched: number }>;
  /** Stops everything and removes the data folder. */
  close(): Promise<void>;
}

/** What the settings are made of. */
interface DemoParts {
  sandbox: Sandbox;
  app: DemoApp;
  /** Of the demo's API credential. */
  clientSecret: string;
}

/** @throws what startServer throws; nothing stays behind then */
export async function openDemoStage(log: Log): Promise<DemoStage> {
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
    const clientSecret = newSecret();
    const config = join(dataDir, 'gatehouse.yaml');
    await writeFile(config, demoSettings({ sandbox, app, clientSecret }), { mode: 0o600 });
    const env = { CRM_CLIENT_SECRET: sandbox.crm.app.clientSecret };
    const settings = loadSettings({ flags: { config }, env, cwd: dataDir, homeDir: homedir() });
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
    const { connections } = await api<{ connections: { redirect_uri: string }[] }>('GET', '/connections');
    for (const { redirect_uri } of connections) sandbox.crm.allowRedirect(redirect_uri);
    return {
      sandbox,
      app,
      server,
      dataDir,
      accessToken,
      api,
      filesWith: (texts) => searchFolder(dataDir, texts),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The same file an operator writes, with the sandbox in place of the providers. */
function demoSettings({ sandbox, app, clientSecret }: DemoParts): string {
  const { url, crm } = sandbox;
  return stringify({
    data_dir: '.',
    port: 0,
    client_id: CLIENT_ID,
    client_secret: clientSecret,
    user_verification: 'app',
    user_verify_url: app.verifyUrl,
    lifetimes: { token: '24h' },
    outbound: { allow_private_hosts: [new URL(url).host] },
    connections: [
      {
        name: 'crm',
        connector: 'crm',
        client_id: crm.app.clientId,
        client_secret: '${CRM_CLIENT_SECRET}',
        overrides: {
          base_url: url,
          authorization_url: `${url}/authorize`,
          token_url: `${url}/oauth/token`,
        },
      },
      { name: 'websearch', connector: 'websearch', overrides: { base_url: url } },
    ],
  });
}

/** @param scope default: every scope of the credential */
async function fetchToken(baseUrl: string, clientSecret: string, scope?: Scope): Promise<string> {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CLIENT_ID,
      client_secret: clientSecret,
      ...(scope !== undefined && { scope }),
    }),
  });
  return (await readAnswer<{ access_token: string }>(response)).access_token;
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

async function searchFolder(
  folder: string,
  texts: readonly string[],
): Promise<{ found: number; searched: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))));
  const found = contents.filter((content) => texts.some((text) => content.includes(text)));
  return { found: found.length, searched: files.length };
}
