import { afterEach, describe, expect, it } from 'vitest';
import { envelope, FakeExecutor, listen, makeParts } from './fixtures.ts';

const CALL = { name: 'web_search', arguments: { query: 'a' } };
const USUAL = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function start(executor = new FakeExecutor()): Promise<string> {
  const { url, close } = await listen(makeParts(executor));
  open.push(close);
  return url;
}

async function send(
  message: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string | null; length: string | null; body: string }> {
  const response = await fetch(await start(), {
    method: 'POST',
    headers: { ...USUAL, ...headers },
    body: JSON.stringify(message),
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    length: response.headers.get('content-length'),
    body: await response.text(),
  };
}

const call = (params: object = CALL): object => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });

describe('MCP over HTTP: 2025-era request', () => {
  it.each([
    ['plain', call()],
    ['with metadata that asks for nothing', call({ ...CALL, _meta: { 'example.org/trace': 'x' } })],
  ])('answers with one JSON body of known length: %s', async (_, message) => {
    const { status, type, length, body } = await send(message);
    expect({ status, type }).toEqual({ status: 200, type: 'application/json' });
    expect(Number(length)).toBe(Buffer.byteLength(body));
    expect(JSON.parse(body)).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text' }] },
    });
  });

  it('counts the bytes of an answer that is not ASCII', async () => {
    const executor = new FakeExecutor();
    executor.answer = async () => ({ title: 'Größe 大きさ' });
    const response = await fetch(await start(executor), {
      method: 'POST',
      headers: USUAL,
      body: JSON.stringify(call()),
    });
    expect(await response.text()).toContain('Größe 大きさ');
  });

  it('accepts a request without a version from clients that have not negotiated one', async () => {
    const response = await fetch(await start(), {
      method: 'POST',
      headers: { 'content-type': USUAL['content-type'], accept: USUAL.accept },
      body: JSON.stringify(call()),
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.status).toBe(200);
  });

  it('keeps the form of the request id', async () => {
    const { body } = await send({ jsonrpc: '2.0', id: 'a', method: 'ping' });
    expect(JSON.parse(body)).toEqual({ jsonrpc: '2.0', id: 'a', result: {} });
  });

  it('answers an unknown method with a JSON-RPC error', async () => {
    const { status, body } = await send({ jsonrpc: '2.0', id: 1, method: 'prompts/list' });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  it.each(['number', 'string'])(
    'opens an event stream for a request that wants progress, by a %s',
    async (form) => {
      const progressToken = form === 'number' ? 7 : 'seven';
      const { type, body } = await send(call({ ...CALL, _meta: { progressToken } }));
      expect(type).toBe('text/event-stream');
      expect(body).toContain('"id":1');
    },
  );

  it('answers a batch of several requests', async () => {
    const { status, body } = await send([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ]);
    expect(status).toBe(200);
    expect(body).toContain('"id":1');
    expect(body).toContain('"id":2');
  });

  it('answers 202 to a notification', async () => {
    const { status, body } = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect({ status, body }).toEqual({ status: 202, body: '' });
  });

  it.each([
    ['that does not take JSON', { accept: 'text/event-stream' }, 406],
    ['that takes no event stream', { accept: 'application/json' }, 406],
    ['that takes anything', { accept: '*/*' }, 406],
    ['of another content type', { 'content-type': 'text/plain' }, 415],
    ['of a version nobody has heard of', { 'mcp-protocol-version': '2024-01-01' }, 400],
    ['of the newer version without its envelope', { 'mcp-protocol-version': '2026-07-28' }, 400],
  ])('refuses a request %s', async (_, headers, status) => {
    const answer = await send(call(), headers);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
  });

  it.each([
    ['a member that JSON-RPC does not know', { ...call(), extra: true }],
    ['another JSON-RPC version', { ...call(), jsonrpc: '1.0' }],
    ['an id that is null', { ...call(), id: null }],
    ['parameters that are a list', { ...call(), params: [] }],
  ])('refuses a request with %s', async (_, message) => {
    expect((await send(message)).status).toBe(400);
  });

  it('refuses a request whose metadata say that it is of the newer protocol', async () => {
    const { status, body } = await send(call({ ...CALL, _meta: envelope() }), {
      'mcp-protocol-version': '2025-11-25',
    });
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error: { message: expect.stringContaining('2026-07-28') } });
  });

  it.each([
    ['plain', CALL, '2025-11-25'],
    ['with progress', { ...CALL, _meta: { progressToken: 1 } }, '2025-11-25'],
    ['of the newer protocol', { ...CALL, _meta: envelope() }, '2026-07-28'],
  ])('ends the call when its client goes away: %s', async (_, params, version) => {
    const executor = new FakeExecutor();
    const leave = new AbortController();
    const ended = new Promise<void>((resolve) => {
      executor.answer = ({ signal }) => {
        setImmediate(() => leave.abort());
        return new Promise((_resolve, reject) => {
          signal!.addEventListener('abort', () => {
            resolve();
            reject(new Error('aborted'));
          });
        });
      };
    });
    const answer = fetch(await start(executor), {
      method: 'POST',
      signal: leave.signal,
      headers: {
        ...USUAL,
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': CALL.name,
      },
      body: JSON.stringify(call(params)),
    }).then((response) => response.text());
    await expect(answer).rejects.toThrow();
    await ended;
  });
});
