/** `gatehouse serve` in front of a provider that goes wrong in a process of its own, and of one that never does. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startChild, type TestChild } from '../../support/child.ts';
import { ServerProcess, type ApiAnswer } from '../../support/deployment/server-process.ts';
import { startFaultServer, type FaultServer } from '../../support/fault-server.ts';
import { freePort } from '../../support/free-port.ts';
import { API_KEY, faultCatalog, TOOLS, type ToolEffect } from './catalog.ts';

const CREDENTIAL = { id: 'test', secret: 'a-secret-of-the-test-that-is-long-enough-0123456789' };
const USER = 'ada';

/** Connectors of the deployment: at one of the ports that go wrong, or at the healthy provider. `refused` is `faulty` with an account of its own. */
export type FaultConnector =
  'faulty' | 'refused' | 'refusing' | 'cutting' | 'babbling' | 'untrusted' | 'healthy';

/** An answer, and how long it took. */
export interface TimedAnswer extends ApiAnswer {
  tookMs: number;
}

/** The same of the proxy, where it is the provider's answer or one of ours. */
export interface ProxiedAnswer {
  status: number;
  text: string;
  headers: string;
  isProviders: boolean;
  tookMs: number;
}

export class FaultDeployment {
  readonly server: ServerProcess;
  readonly healthy: FaultServer;
  readonly #provider: TestChild;
  readonly #countsUrl: string;
  readonly #dir: string;

  private constructor(parts: {
    server: ServerProcess;
    healthy: FaultServer;
    provider: TestChild;
    countsUrl: string;
    dir: string;
  }) {
    this.server = parts.server;
    this.healthy = parts.healthy;
    this.#provider = parts.provider;
    this.#countsUrl = parts.countsUrl;
    this.#dir = parts.dir;
  }

  /** @param outbound settings of provider calls */
  static async start(outbound: object): Promise<FaultDeployment> {
    const healthy = await startFaultServer();
    const provider = startChild(join(import.meta.dirname, '../children/fault-provider.ts'), []);
    const ports = JSON.parse(await provider.lineAt(0)) as Record<string, number>;
    const http = (port: number | undefined): string => `http://127.0.0.1:${port}`;
    const https = (port: number | undefined): string => `https://127.0.0.1:${port}`;
    const connectors: Record<FaultConnector, string> = {
      faulty: http(ports['http']),
      refused: http(ports['http']),
      refusing: http(await freePort()),
      cutting: http(ports['cutting']),
      babbling: https(ports['babbling']),
      untrusted: https(ports['untrusted']),
      healthy: healthy.origin,
    };
    const dir = mkdtempSync(join(tmpdir(), 'gatehouse-faults-'));
    for (const [name, text] of Object.entries(faultCatalog(connectors))) {
      const file = join(dir, 'catalog', name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const settings = {
      data_dir: 'data',
      base_url: 'https://gate.example.test',
      catalog_dirs: [join(dir, 'catalog')],
      client_id: CREDENTIAL.id,
      client_secret: CREDENTIAL.secret,
      outbound: { allow_private_hosts: ['127.0.0.1'], ...outbound },
    };
    writeFileSync(join(dir, 'gatehouse.yaml'), JSON.stringify(settings));
    const server = await serverIn(dir);
    for (const connector of Object.keys(connectors)) await connect(server, connector);
    return new FaultDeployment({ server, healthy, provider, countsUrl: http(ports['counts']), dir });
  }

  /** Another process of the same installation. It is for the caller to stop. */
  async another(): Promise<ServerProcess> {
    return serverIn(this.#dir);
  }

  /** Makes an account of another user. */
  async connect(connector: FaultConnector, user: string): Promise<void> {
    return connect(this.server, connector, user);
  }

  /**
   * Calls a connector's tool of an effect.
   *
   * @param fault what its provider is to do wrong
   * @param by default: the user and the process of the deployment
   */
  async call(
    connector: FaultConnector,
    effect: ToolEffect,
    fault = 'fine',
    { user = USER, server = this.server }: { user?: string; server?: ServerProcess } = {},
  ): Promise<TimedAnswer> {
    const started = performance.now();
    const answer = await server.api('POST', '/execute_tool', {
      tool_name: `${connector}_${TOOLS[effect]}`,
      tool_input: { fault },
      user_id: user,
    });
    return { ...answer, tookMs: performance.now() - started };
  }

  /** The same request through the proxy. */
  async proxied(connector: FaultConnector, method: string, fault: string): Promise<ProxiedAnswer> {
    const started = performance.now();
    const token = await tokenOf(this.server.url);
    const response = await fetch(`${this.server.url}/proxy/${fault}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'connection-name': connector, 'user-id': USER },
      redirect: 'manual',
    });
    const text = await response.text();
    const isProviders = response.headers.has('gatehouse-execution-id');
    const headers = [...response.headers].join('\n');
    return { status: response.status, text, headers, isProviders, tookMs: performance.now() - started };
  }

  /** Requests that the faulty provider got, by `METHOD /fault`. */
  async counts(): Promise<Record<string, number>> {
    return (await (await fetch(this.#countsUrl)).json()) as Record<string, number>;
  }

  /** Forgets the peak of the server's memory. @returns what it has now, in bytes */
  resetPeak(): number {
    writeFileSync(`/proc/${this.server.child.pid}/clear_refs`, '5');
    return this.#memory('VmRSS');
  }

  /** The most memory that the server had since `resetPeak`, in bytes. */
  peak(): number {
    return this.#memory('VmHWM');
  }

  #memory(name: string): number {
    const text = readFileSync(`/proc/${this.server.child.pid}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1]) * 1024;
  }

  async close(): Promise<void> {
    await this.server.stop();
    this.#provider.process.kill('SIGKILL');
    await Promise.all([this.#provider.ended, this.healthy.close()]);
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

async function serverIn(dir: string): Promise<ServerProcess> {
  return ServerProcess.start({
    dir,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: dir,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      GATEHOUSE_CONFIG: join(dir, 'gatehouse.yaml'),
    },
    token: tokenOf,
    keep: () => {},
  });
}

async function connect(server: ServerProcess, connector: string, user = USER): Promise<void> {
  const { status, text } = await server.api('POST', '/connected_accounts', {
    connector,
    identifier: user,
    user_id: user,
    connected_account: { authorization_details: { static_auth: { details: { api_key: API_KEY } } } },
  });
  if (status !== 201) throw new Error(text);
}

const tokens = new Map<string, Promise<string>>();

function tokenOf(url: string): Promise<string> {
  const known = tokens.get(url) ?? requestToken(url);
  tokens.set(url, known);
  return known;
}

async function requestToken(url: string): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CREDENTIAL.id,
      client_secret: CREDENTIAL.secret,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
