import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { serveStdioMcp } from '../../src/mcp/transports/stdio.ts';
import { envelope, FakeExecutor, LINK, makeParts, makeSession, notActive } from './fixtures.ts';
import { resultOf, textOf, toolsOf, type RpcMessage } from './messages.ts';
import { stdioPair, type StdioPair } from './stdio-pair.ts';

const CALL = { name: 'web_search', arguments: { query: 'a' } };

function connect(executor = new FakeExecutor()): StdioPair {
  return stdioPair(makeParts(executor), makeSession());
}

/** An executor whose account is connected by `connect()`. */
function unconnected(): { executor: FakeExecutor; connectAccount: () => void } {
  const executor = new FakeExecutor();
  let isConnected = false;
  executor.answer = () => {
    if (!isConnected) throw notActive();
    return { ok: true };
  };
  return {
    executor,
    connectAccount: () => {
      isConnected = true;
    },
  };
}

describe('MCP over stdio', () => {
  it('serves a client of the 2025 era', async () => {
    const pair = connect();
    const { result } = await pair.initialize();
    expect(result).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'gatehouse', version: '0.1.0' },
    });
    expect(toolsOf(await pair.request('tools/list'))).toHaveLength(6);
    expect(textOf(await pair.request('tools/call', CALL))).toBe('{"input":{"query":"a"},"user":"ada"}');
    pair.end();
    await pair.closed;
  });

  it('serves a 2026-07-28 client without a handshake', async () => {
    const pair = connect();
    const { result } = await pair.request('tools/list', { _meta: envelope() });
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' });
    pair.end();
    await pair.closed;
  });

  it('lets a client look around first and then open with the old handshake', async () => {
    const pair = connect();
    const discovered = await pair.request('server/discover', { _meta: envelope() });
    expect(resultOf(discovered).supportedVersions).toEqual(['2026-07-28']);
    expect(resultOf(await pair.initialize()).protocolVersion).toBe('2025-11-25');
    pair.end();
    await pair.closed;
  });

  it('says in a sentence why something is no call', async () => {
    const pair = connect();
    await pair.initialize();
    const { error } = await pair.request('tools/call', { ...CALL, arguments: '{"query": "a"}' });
    expect(error).toEqual({
      code: -32602,
      message:
        'The `arguments` of a call must be a JSON object with the parameters of the tool. Call it again with one.',
    });
    pair.end();
    await pair.closed;
  });

  it('ends the calls, also two of one id, and resolves when the client goes away', async () => {
    const executor = new FakeExecutor();
    const pair = connect(executor);
    const signals: (AbortSignal | undefined)[] = [];
    executor.answer = ({ signal }) => {
      signals.push(signal);
      if (signals.length === 2) setImmediate(() => pair.end());
      return new Promise((_, reject) => {
        signal!.addEventListener('abort', () => reject(new Error('aborted')));
      });
    };
    await pair.initialize();
    void pair.request('tools/call', CALL);
    pair.requestAgain('tools/call', CALL);
    await pair.closed;
    await expect.poll(() => signals.map((signal) => signal?.aborted)).toEqual([true, true]);
    expect(pair.lines).toHaveLength(1);
  });

  it.each([
    ['cannot be asked', {}],
    ['can be asked to open a page', { elicitation: { url: {} } }],
  ])('ends a call that a client cancels that %s, and sends no answer', async (_, capabilities) => {
    const executor = new FakeExecutor();
    const pair = connect(executor);
    const aborted = new Promise<void>((resolve) => {
      executor.answer = ({ signal }) => {
        signal!.addEventListener('abort', () => resolve());
        setImmediate(() => pair.notify('notifications/cancelled', { requestId: 2 }));
        return aborted;
      };
    });
    await pair.initialize(capabilities);
    void pair.request('tools/call', CALL);
    await aborted;
    await pair.request('tools/list');
    expect(pair.lines.map((line) => (JSON.parse(line) as RpcMessage).id)).toEqual([1, 3]);
    pair.end();
    await pair.closed;
  });

  it('answers every call as the SDK does, which gets those of a client that can be asked', async () => {
    const calls = [
      CALL,
      { name: 'nope', arguments: {} },
      { name: 'web_search' },
      { name: 'web_search', arguments: { query: 5, other: null } },
      { name: 'web_search', arguments: JSON.parse('{"query":"a","__proto__":{"x":1}}') as object },
      { name: 'web_search', arguments: [] },
      { name: 7, arguments: {} },
      { ...CALL, task: { ttl: 1 } },
      { ...CALL, _meta: { progressToken: 1 } },
      {},
    ];
    const answers = await Promise.all(
      [{}, { elicitation: { url: {} } }].map(async (capabilities) => {
        const pair = connect();
        await pair.initialize(capabilities);
        for (const call of calls) await pair.request('tools/call', call);
        pair.end();
        await pair.closed;
        return pair.lines.map((line) => JSON.parse(line) as RpcMessage);
      }),
    );
    expect(answers[0]).toHaveLength(calls.length + 1);
    expect(answers[0]).toEqual(answers[1]);
  });

  it('writes the answers of one turn of the event loop at once', async () => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const closed = serveStdioMcp(makeParts(new FakeExecutor()), makeSession(), { stdin, stdout });
    const writes: string[] = [];
    stdout.on('data', (written: Buffer) => writes.push(written.toString()));
    const lists = [1, 2, 3].map((id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/list',
      params: { _meta: envelope() },
    }));
    stdin.write(lists.map((request) => `${JSON.stringify(request)}\n`).join(''));
    await expect.poll(() => writes).toHaveLength(1);
    const ids = writes[0]!.split('\n', 3).map((line) => (JSON.parse(line) as RpcMessage).id);
    expect(ids).toEqual([1, 2, 3]);
    stdin.end();
    await closed;
  });

  it('writes protocol messages only', async () => {
    const pair = connect();
    await pair.initialize();
    await pair.request('tools/call', { name: 'nope' });
    pair.end();
    await pair.closed;
    expect(pair.lines.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc)).toEqual([
      '2.0',
      '2.0',
    ]);
  });
});

describe('MCP over stdio: shutdown', () => {
  function stoppable(executor = new FakeExecutor()): { pair: StdioPair; stop: () => void } {
    const stopping = new AbortController();
    const pair = stdioPair(makeParts(executor), makeSession(), stopping.signal);
    return { pair, stop: () => stopping.abort() };
  }

  it('closes although its client stays', async () => {
    const { pair, stop } = stoppable();
    await pair.initialize();
    stop();
    await pair.closed;
    void pair.request('tools/list');
    for (let n = 0; n < 10; n++) await turn();
    expect(pair.lines).toHaveLength(1);
  });

  it('answers running calls first and accepts no more', async () => {
    const executor = new FakeExecutor();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const { pair, stop } = stoppable(executor);
    const running = new Promise<void>((isRunning) => {
      executor.answer = () => {
        isRunning();
        return promise;
      };
    });
    await pair.initialize();
    const answer = pair.request('tools/call', CALL);
    await running;
    stop();
    void pair.request('tools/list');
    resolve({ ok: true });
    expect(textOf(await answer)).toBe('{"ok":true}');
    await pair.closed;
    expect(pair.lines).toHaveLength(2);
  });

  it('waits for its user no longer than for a call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { executor } = unconnected();
      const { pair, stop } = stoppable(executor);
      const stopped = Promise.withResolvers<void>();
      pair.onRequest = () => {
        stop();
        stopped.resolve();
        return { action: 'accept' };
      };
      await pair.initialize({ elicitation: { url: {} } });
      void pair.request('tools/call', CALL);
      await stopped.promise;
      let isClosed = false;
      void pair.closed.then(() => (isClosed = true));
      await vi.advanceTimersByTimeAsync(9_999);
      expect(isClosed).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await pair.closed;
      expect(pair.lines.map((line) => (JSON.parse(line) as RpcMessage).method)).toEqual([
        undefined,
        'elicitation/create',
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('account that is not connected, called over stdio', () => {
  it('asks by elicitation while the call is open, and then makes the call', async () => {
    const { executor, connectAccount } = unconnected();
    const pair = connect(executor);
    const asked: unknown[] = [];
    pair.onRequest = (message) => {
      asked.push(message);
      connectAccount();
      return { action: 'accept' };
    };
    await pair.initialize({ elicitation: { url: {} } });
    expect(textOf(await pair.request('tools/call', CALL))).toBe('{"ok":true}');
    expect(asked).toMatchObject([
      {
        method: 'elicitation/create',
        params: {
          mode: 'url',
          url: LINK,
          message: 'Web search (account ada) is not connected yet. Open this page to connect it.',
          elicitationId: expect.any(String) as string,
        },
      },
    ]);
    pair.end();
    await pair.closed;
  });

  it.each([
    ['accepts but has not finished', { action: 'accept' }],
    ['declines', { action: 'decline' }],
    ['could not be asked', undefined],
  ])('gives text when the user %s, without asking twice', async (_, answer) => {
    const { executor } = unconnected();
    const pair = connect(executor);
    let asked = 0;
    pair.onRequest = () => {
      asked++;
      return answer;
    };
    await pair.initialize({ elicitation: { url: {} } });
    const told = await pair.request('tools/call', CALL);
    expect(resultOf(told).isError).toBe(true);
    expect(textOf(told)).toContain(LINK);
    expect(asked).toBe(1);
    pair.end();
    await pair.closed;
  });

  it.each([
    ['an empty elicitation', { elicitation: {} }],
    ['form elicitation', { elicitation: { form: {} } }],
    ['nothing', {}],
  ])('gives text to a 2025-era client that declares %s', async (_, capabilities) => {
    const { executor } = unconnected();
    const pair = connect(executor);
    await pair.initialize(capabilities);
    const told = await pair.request('tools/call', CALL);
    expect(resultOf(told).isError).toBe(true);
    expect(JSON.parse(textOf(told, 1))).toMatchObject({ code: 'AUTHORIZATION_REQUIRED', link: LINK });
    pair.end();
    await pair.closed;
  });

  it('answers input_required to a 2026-07-28 client that opens pages', async () => {
    const { executor, connectAccount } = unconnected();
    const pair = connect(executor);
    const _meta = envelope({ elicitation: { url: {} } });
    const asked = resultOf(await pair.request('tools/call', { ...CALL, _meta }));
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: { connect: { params: { url: LINK } } },
    });
    connectAccount();
    const again = await pair.request('tools/call', {
      ...CALL,
      _meta,
      requestState: asked.requestState,
      inputResponses: { connect: { action: 'accept' } },
    });
    expect(textOf(again)).toBe('{"ok":true}');
    pair.end();
    await pair.closed;
  });
});
