/** What becomes of plain 2025-era calls when their connection or the endpoint ends, and on connections of every kind. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ExecuteCall } from '../../src/executor/executor.ts';
import { CALLER, FakeExecutor, listen, makeParts } from './fixtures.ts';
import type { RpcMessage } from './messages.ts';

const HEADERS =
  'host: localhost\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

type Endpoint = Awaited<ReturnType<typeof listen>>;

async function start(executor: FakeExecutor, options: Parameters<typeof listen>[1] = {}): Promise<Endpoint> {
  const endpoint = await listen(makeParts(executor, { maxResultBytes: 20_000_000 }), options);
  open.push(endpoint.close);
  return endpoint;
}

function message(id: number): string {
  const params = { name: 'web_search', arguments: { query: `query ${id}` } };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

function request(id: number, headers = '', method = 'POST'): string {
  const body = message(id);
  return `${method} /mcp HTTP/1.1\r\n${HEADERS}${headers}content-length: ${body.length}\r\n\r\n${body}`;
}

async function dial({ url }: Endpoint): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Everything that is received on a connection that the server is asked to close after the last answer. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk as string;
  return text;
}

/** The JSON bodies of answers that came one after another. */
function bodies(text: string): RpcMessage[] {
  return [...text.matchAll(/\r\n\r\n(\{.*?\})(?=HTTP\/1\.1 |$)/gs)].map(
    ([, body]) => JSON.parse(body!) as RpcMessage,
  );
}

/** A call that runs, and how to end it. */
interface OpenCall extends ExecuteCall {
  resolve: (data: unknown) => void;
  reject: (error: Error) => void;
}

/** Calls run until the test ends them; none looks at its signal. */
class HeldExecutor extends FakeExecutor {
  readonly #arrived: OpenCall[] = [];
  #waiting: (() => void)[] = [];

  override answer = (call: ExecuteCall): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#arrived.push({ ...call, resolve, reject });
    for (const tell of this.#waiting.splice(0)) tell();
    return promise;
  };

  /** The first `count` calls, once they run. */
  async running(count: number): Promise<OpenCall[]> {
    while (this.#arrived.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#arrived.slice(0, count);
  }
}

async function aborted({ signal }: ExecuteCall): Promise<void> {
  if (!signal!.aborted) await once(signal!, 'abort');
}

describe('MCP over HTTP: client that goes away', () => {
  it.each(['answers', 'fails'])(
    'leaves nothing running, also when the provider %s later',
    async (outcome) => {
      const executor = new HeldExecutor();
      const onError = vi.fn();
      const endpoint = await start(executor, { onError });
      const socket = await dial(endpoint);
      socket.write(request(1));
      const [call] = await executor.running(1);
      socket.destroy();
      await aborted(call!);
      await endpoint.endpoint.close();
      if (outcome === 'answers') call!.resolve({ late: true });
      else call!.reject(new Error('too late'));
      await new Promise((resolve) => setImmediate(resolve));
      expect(onError).not.toHaveBeenCalled();
    },
  );

  it('ends all calls that the client sent at once on one connection', async () => {
    const executor = new HeldExecutor();
    const endpoint = await start(executor);
    const socket = await dial(endpoint);
    socket.write([1, 2, 3, 4, 5].map((id) => request(id)).join(''));
    const calls = await executor.running(5);
    socket.destroy();
    await Promise.all(calls.map(aborted));
    await endpoint.endpoint.close();
    expect(calls.map(({ signal }) => signal!.aborted)).toEqual([true, true, true, true, true]);
  });

  it('runs nothing when the client left before its message was whole', async () => {
    const executor = new FakeExecutor();
    const arrived = Promise.withResolvers<IncomingMessage>();
    const endpoint = await start(executor, {
      callerOf: (incoming) => {
        arrived.resolve(incoming);
        return CALLER;
      },
    });
    const socket = await dial(endpoint);
    socket.write(request(1).slice(0, -1));
    const incoming = await arrived.promise;
    const gone = new Promise((resolve) => incoming.once('close', resolve));
    socket.destroy();
    await gone;
    await endpoint.endpoint.close();
    expect(executor.calls).toEqual([]);
  });

  it('survives a client that leaves at the moment of the answer', async () => {
    const executor = new FakeExecutor();
    const sockets: Socket[] = [];
    const endpoint = await start(executor, {
      callerOf: (incoming) => {
        sockets.push(incoming.socket);
        return CALLER;
      },
    });
    executor.answer = ({ input }) => {
      sockets[0]!.destroy();
      return input;
    };
    const socket = await dial(endpoint);
    socket.write(request(1));
    expect(await received(socket).catch(() => '')).toBe('');
    await endpoint.endpoint.close();
    expect(executor.calls).toHaveLength(1);
  });

  it('survives a client that leaves in the middle of an answer of several megabytes', async () => {
    const executor = new FakeExecutor();
    executor.answer = () => ({ text: 'x'.repeat(8_000_000) });
    const endpoint = await start(executor);
    const socket = await dial(endpoint);
    socket.write(request(1));
    await once(socket, 'data');
    socket.destroy();
    await endpoint.endpoint.close();
    executor.answer = () => ({ text: 'next' });
    const next = await dial(await start(executor));
    next.write(request(2, 'connection: close\r\n'));
    expect(await received(next)).toContain('next');
  });

  it('answers a client that has closed its half of the connection', async () => {
    const endpoint = await start(new FakeExecutor());
    const socket = await dial(endpoint);
    socket.end(request(1));
    expect(bodies(await received(socket))).toMatchObject([{ id: 1, result: {} }]);
  });
});

describe('MCP over HTTP: endpoint that closes', () => {
  it('lets a call finish and refuses the next', async () => {
    const executor = new HeldExecutor();
    const endpoint = await start(executor);
    const [first, second] = [await dial(endpoint), await dial(endpoint)];
    first.write(request(1, 'connection: close\r\n'));
    const [call] = await executor.running(1);
    const onClosed = vi.fn();
    const closing = endpoint.endpoint.close().then(onClosed);
    second.write(request(2, 'connection: close\r\n'));
    expect(await received(second)).toContain('HTTP/1.1 503 ');
    expect(onClosed).not.toHaveBeenCalled();
    call!.resolve({ done: true });
    expect(bodies(await received(first))).toMatchObject([{ id: 1, result: {} }]);
    await closing;
    expect(executor.calls).toHaveLength(1);
  });
});

describe('MCP over HTTP: requests on one connection', () => {
  it('gives the answers in the order of the requests, whichever is ready first', async () => {
    const executor = new HeldExecutor();
    const endpoint = await start(executor);
    const socket = await dial(endpoint);
    socket.write(request(1) + request(2) + request(3, 'connection: close\r\n'));
    const calls = await executor.running(3);
    for (const call of calls.toReversed()) call.resolve({ n: call.input });
    expect(bodies(await received(socket)).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('sends an answer of several megabytes whole to a client that reads slowly', async () => {
    const executor = new FakeExecutor();
    executor.answer = () => ({ text: 'ä'.repeat(4_000_000) });
    const endpoint = await start(executor);
    const socket = await dial(endpoint);
    socket.pause().write(request(1, 'connection: close\r\n'));
    // The endpoint is done with the call when all is handed to the connection, read or not.
    await expect.poll(() => executor.calls.length).toBe(1);
    await endpoint.endpoint.close();
    const [answer] = bodies(await received(socket));
    const [block] = (answer!.result!.content ?? []) as { text: string }[];
    expect(block!.text).toBe(JSON.stringify({ text: 'ä'.repeat(4_000_000) }));
  });

  it('answers 100 Continue to a client that asks whether to send the body', async () => {
    const socket = await dial(await start(new FakeExecutor()));
    const [head, body] = request(1, 'connection: close\r\nexpect: 100-continue\r\n').split('\r\n\r\n');
    socket.write(`${head}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body!);
    expect(bodies(await received(socket))).toMatchObject([{ id: 1, result: {} }]);
  });

  it('reads a body in pieces of unknown number', async () => {
    const socket = await dial(await start(new FakeExecutor()));
    const pieces = message(1).replaceAll(/./g, '1\r\n$&\r\n');
    socket.write(
      `POST /mcp HTTP/1.1\r\n${HEADERS}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`,
    );
    expect(bodies(await received(socket))).toMatchObject([{ id: 1, result: {} }]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])(
    'calls nothing by the method %s, even with a message',
    async (method) => {
      const executor = new FakeExecutor();
      const socket = await dial(await start(executor));
      socket.write(request(1, 'connection: close\r\n', method));
      expect(await received(socket)).toMatch(/^HTTP\/1\.1 405 /);
      expect(executor.calls).toEqual([]);
    },
  );
});
