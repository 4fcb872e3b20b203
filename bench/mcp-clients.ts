/**
 * The smallest MCP clients that can put load on a server: no SDK, so that the client costs little compared
 * with it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Agent } from 'undici';

/** A connection to one server under test. */
export interface BenchClient {
  pid: number;
  /** Sends one request and resolves with its result. @throws Error for a JSON-RPC error or a tool error */
  request(method: string, params: object): Promise<unknown>;
  close(): Promise<void>;
}

interface Answer {
  id: number;
  result?: { isError?: boolean };
  error?: object;
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

/** Starts a server over stdio and initializes it. */
export async function stdioClient(
  command: readonly string[],
  env: Record<string, string>,
): Promise<BenchClient> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    settle(answer, call);
  });
  let id = 0;
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const client: BenchClient = {
    pid: child.pid ?? 0,
    request: async (method, params) =>
      new Promise((resolve, reject) => {
        waiting.set(++id, { resolve, reject });
        send({ id, method, params });
      }),
    close: async () => {
      child.stdin.end();
      await stop(child);
    },
  };
  await client.request('initialize', INITIALIZE);
  send({ method: 'notifications/initialized' });
  return client;
}

/** Talks to a server over streamable HTTP. */
export async function httpClient(
  url: string,
  pid: number,
  headers: Record<string, string>,
  connections: number,
): Promise<BenchClient> {
  const { origin, pathname } = new URL(url);
  const agent = new Agent({ connections });
  let id = 0;
  let session: Record<string, string> = {};
  const post = async (message: object): Promise<Answer | undefined> => {
    const response = await agent.request({
      origin,
      path: pathname,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const sessionId = response.headers['mcp-session-id'];
    if (typeof sessionId === 'string') session = { 'mcp-session-id': sessionId };
    const text = await response.body.text();
    if (text === '') return undefined;
    const json = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)?.[1];
    return JSON.parse(json ?? '{}') as Answer;
  };
  const client: BenchClient = {
    pid,
    request: async (method, params) => {
      const answer = await post({ id: ++id, method, params });
      return new Promise((resolve, reject) => settle(answer, { resolve, reject }));
    },
    close: async () => agent.close(),
  };
  await client.request('initialize', INITIALIZE);
  await post({ method: 'notifications/initialized' });
  return client;
}

function settle(
  answer: Answer | undefined,
  call: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined,
): void {
  if (answer?.error === undefined && answer?.result?.isError !== true) call?.resolve(answer?.result);
  else call?.reject(new Error(JSON.stringify(answer)));
}

/** Ends a process and waits until it has ended. */
export async function stop(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await gone;
}
