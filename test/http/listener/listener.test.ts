import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/core/environment.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { silentLog, type Log } from '../../../src/core/log.ts';
import { Listener, type ListenerOptions, type RequestSummary } from '../../../src/http/listener/listener.ts';
import type { NodeHandler, NodeRoute, RequestContext } from '../../../src/http/listener/request-context.ts';
import { development, production } from '../rest-api.ts';
import { exchange, parsed, untilClosed } from '../raw-request.ts';

const open: Listener[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close({ softMs: 0, hardMs: 0 })));
});

const hello: NodeHandler = (_request, response) => void response.end('{"hello":true}');

const everything = (handle: NodeHandler): NodeRoute => ({ name: 'all', matches: () => true, handle });

/** A listener on a free port whose development environment has the address of that port. */
async function start(
  routes: NodeRoute[] = [everything(hello)],
  options: Partial<ListenerOptions> = {},
): Promise<{ listener: Listener; port: number; base: string }> {
  const listener = new Listener({ host: '127.0.0.1', port: 0, log: silentLog, ...options });
  open.push(listener);
  const { port } = await listener.listen();
  const base = `http://127.0.0.1:${port}`;
  const environments: Environment[] = [{ ...development, baseUrl: base }, production];
  listener.serve({ environments, routes });
  return { listener, port, base };
}

function get(port: number, head: string[] = [], path = '/'): Promise<string> {
  return exchange(
    port,
    [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...head, '', ''].join('\r\n'),
  );
}

describe('HTTP listener', () => {
  it('answers 503 between listening and serving', async () => {
    const listener = new Listener({ host: '127.0.0.1', port: 0, log: silentLog });
    open.push(listener);
    const { port } = await listener.listen();
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
  });

  it('reports that the port is taken', async () => {
    const { port } = await start();
    const second = new Listener({ host: '127.0.0.1', port, log: silentLog });
    await expect(second.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('gives a request to the first route that matches, with what it found out', async () => {
    const seen: RequestContext[] = [];
    const note: NodeHandler = (_request, response, context) => {
      seen.push(context);
      response.end();
    };
    const { port, base } = await start([
      { name: '/mcp', matches: (path) => path === '/mcp', handle: note },
      everything(hello),
    ]);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const response = await fetch(`${base}/mcp?a=1`, { headers: { traceparent } });
    expect(response.headers.get('traceparent')).toMatch(
      /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(seen).toEqual([
      {
        environment: { ...development, baseUrl: `http://127.0.0.1:${port}` },
        trace: {
          traceId: '0af7651916cd43dd8448eb211c80319c',
          traceparent: response.headers.get('traceparent'),
        },
        visitor: { ip: '127.0.0.1', userAgent: 'node', region: '', city: '' },
        ip: '127.0.0.1',
        isLocalPeer: true,
        route: '/mcp',
      },
    ]);
    expect(await (await fetch(`${base}/%6dcp`)).json()).toEqual({ hello: true });
  });

  it.each(['Forwarded: for=1.2.3.4', 'X-Forwarded-For: 1.2.3.4', 'X-Real-IP: 1.2.3.4', 'Via: 1.1 proxy'])(
    'does not take a client behind a proxy on this machine for a local caller: %s',
    async (header) => {
      const local: boolean[] = [];
      const { port } = await start([
        everything((_request, response, { isLocalPeer }) => {
          local.push(isLocalPeer);
          response.end();
        }),
      ]);
      await get(port, [header]);
      expect(local).toEqual([false]);
    },
  );

  it('renders what a route throws, and the metadata that its 401 names', async () => {
    const { base } = await start([
      {
        name: '/mcp',
        matches: () => true,
        handle: () => Promise.reject(new ServiceError('UNAUTHENTICATED', 'No token.')),
        resourceMetadata: ({ baseUrl }) => `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
      },
    ]);
    const response = await fetch(`${base}/mcp`, { headers: { authorization: 'Bearer x' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(await response.json()).toMatchObject({ code: 16, message: 'No token.' });
  });

  it('answers a defect of a route with 500 and logs it', async () => {
    const events: string[] = [];
    const log: Log = { ...silentLog, error: (event) => events.push(event) };
    const { base } = await start([everything(() => Promise.reject(new Error('hunter2')))], { log });
    const response = await fetch(base);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('hunter2');
    expect(events).toEqual(['request_failed']);
  });

  it('cuts the connection when a route fails in the middle of its answer', async () => {
    const { port } = await start([
      everything(async (_request, response) => {
        await new Promise((resolve) => response.write('half', resolve));
        throw new Error('broken');
      }),
    ]);
    const received = await get(port);
    expect(received).toContain('half');
    expect(received).not.toContain('0\r\n\r\n');
  });

  it('does nothing for a client that has left before its turn, and reports its request once', async () => {
    const begun: string[] = [];
    const summaries: RequestSummary[] = [];
    const leave = (event: unknown): void => {
      const { request } = event as { request: IncomingMessage };
      if (request.url === '/left') request.socket.destroy();
    };
    subscribe('http.server.request.start', leave);
    try {
      const { base } = await start(
        [
          everything(({ url = '' }, response) => {
            begun.push(url);
            response.end();
          }),
        ],
        { onRequest: (summary) => summaries.push(summary) },
      );
      await expect(fetch(`${base}/left`)).rejects.toThrow('fetch failed');
      await fetch(`${base}/stayed`);
      await expect.poll(() => summaries.map(({ status }) => status)).toEqual([499, 200]);
      expect(begun).toEqual(['/stayed']);
    } finally {
      unsubscribe('http.server.request.start', leave);
    }
  });

  it('reports every finished request once, by route pattern', async () => {
    const summaries: RequestSummary[] = [];
    const { base, port } = await start(
      [
        everything((_request, response, context) => {
          context.route = '/x/{id}';
          response.writeHead(204).end();
        }),
      ],
      { onRequest: (summary) => summaries.push(summary) },
    );
    await fetch(`${base}/x/1`, { method: 'PUT' });
    await get(port, ['Origin: https://evil.test']);
    await exchange(port, `BREW / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    expect(summaries.map(({ method, route, status }) => ({ method, route, status }))).toEqual([
      { method: 'PUT', route: '/x/{id}', status: 204 },
      { method: 'GET', route: 'refused', status: 403 },
    ]);
    expect(summaries.every(({ durationMs }) => durationMs >= 0)).toBe(true);
  });
});

describe('HTTP listener: Host and Origin on every route', () => {
  it.each([
    ['a foreign Host', ['Host: evil.test'], 'WRONG_HOST'],
    ['no usable Host', ['Host:'], 'WRONG_HOST'],
    ['another port', ['Host: 127.0.0.1:1'], 'WRONG_HOST'],
    ['two Hosts', ['Host: 127.0.0.1:PORT', 'Host: evil.test'], 'WRONG_HOST'],
    ['a foreign Origin', ['Host: 127.0.0.1:PORT', 'Origin: https://evil.test'], 'WRONG_ORIGIN'],
    ['the Origin null', ['Host: 127.0.0.1:PORT', 'Origin: null'], 'WRONG_ORIGIN'],
    [
      'the Origin of another environment',
      ['Host: 127.0.0.1:PORT', 'Origin: https://gate.example.test'],
      'WRONG_ORIGIN',
    ],
  ])('refuses %s before any route is reached', async (_name, head, code) => {
    let reached = 0;
    const { port } = await start([everything(() => void reached++)]);
    for (const path of ['/', '/api/v1/tools', '/mcp', '/metrics', '/connect/x']) {
      const lines = head.map((line) => line.replace('PORT', String(port)));
      const received = await exchange(
        port,
        [`GET ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'),
      );
      expect(parsed(received)).toMatchObject({
        status: 403,
        body: { code: 7, details: [{ error_code: code }] },
      });
    }
    expect(reached).toBe(0);
  });

  it('accepts the aliases of a loopback listener', async () => {
    const { port } = await start();
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const head = [`Host: ${name}:${port}`, `Origin: http://${name}:${port}`, 'Connection: close'];
      const received = await exchange(port, ['GET / HTTP/1.1', ...head, '', ''].join('\r\n'));
      expect(parsed(received).status).toBe(200);
    }
  });

  it('accepts any Host from a load balancer that asks for /healthz', async () => {
    const { port } = await start();
    const received = await exchange(
      port,
      'GET /healthz HTTP/1.1\r\nHost: 10.0.0.5\r\nConnection: close\r\n\r\n',
    );
    expect(parsed(received).status).toBe(200);
  });
});

describe('HTTP listener: request size limits', () => {
  it('answers 431 to 101 headers', async () => {
    const { port } = await start();
    const head = (count: number): string[] =>
      Array.from({ length: count - 2 }, (_, index) => `X-${index}: 1`);
    expect(parsed(await get(port, head(100))).status).toBe(200);
    expect(parsed(await get(port, head(101)))).toMatchObject({ status: 431, body: { code: 8 } });
  });

  it('answers 431 to 16 KiB of headers', async () => {
    const { port } = await start();
    const received = parsed(await get(port, [`X-Big: ${'x'.repeat(16_384)}`]));
    expect(received).toMatchObject({
      status: 431,
      body: {
        code: 3,
        message: 'The headers of this request are too large.',
        details: [{ field_violations: [{ field: 'headers', constraint: 'max_length' }] }],
      },
    });
  });

  it('answers 413 to an announced body before any of it is sent', async () => {
    let reached = 0;
    const { port } = await start([everything(() => void reached++)]);
    const received = await get(port, ['Content-Length: 1000001']);
    expect(parsed(received)).toMatchObject({
      status: 413,
      body: { details: [{ error_code: 'TOO_LARGE', max_bytes: 1_000_000 }] },
    });
    expect(reached).toBe(0);
  });

  it('refuses an announced body in the error form of its route', async () => {
    const { port } = await start([{ ...everything(hello), errorForm: 'oauth' }]);
    const received = parsed(await get(port, ['Content-Length: 1000001']));
    expect(received).toMatchObject({
      status: 413,
      headers: expect.stringContaining('cache-control: no-store'),
    });
    expect(received.body).toEqual({
      error: 'invalid_request',
      error_description: 'A request body has at most 1000000 bytes.',
    });
  });

  it('answers without a reset while the body is still coming', async () => {
    const { base } = await start();
    const response = await fetch(base, { method: 'POST', body: 'x'.repeat(3_000_000) });
    expect(response.status).toBe(413);
    expect((await fetch(base)).status).toBe(200);
  });
});

describe('HTTP listener: malformed requests', () => {
  it.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    ['TLS', '\u0016\u0003\u0001\u0000\u00a5', 400],
    ['a broken header', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['an obsolete line folding', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400],
    ['a bare line feed in a header', 'GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n', 400],
    ['a proxy request', 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n', 405],
  ])('answers %s with an error of the usual form', async (_name, bytes, status) => {
    const { port } = await start();
    const received = parsed(await exchange(port, bytes));
    expect(received).toMatchObject({
      status,
      body: {
        code: 3,
        message: expect.any(String),
        details: [
          {
            error_code: 'INVALID_ARGUMENT',
            field_violations: [{ field: expect.any(String), description: expect.any(String) }],
          },
        ],
      },
    });
    expect(received.headers).toContain('connection: close');
  });

  it.each([
    ['an absolute address', 'GET http://evil.test/ HTTP/1.1', 400, 'path'],
    ['dots', 'GET /a/../b HTTP/1.1', 400, 'path'],
    ['no address', 'OPTIONS * HTTP/1.1', 400, 'path'],
    ['TRACE', 'TRACE / HTTP/1.1', 405, 'method'],
    ['a method of WebDAV', 'PROPFIND / HTTP/1.1', 405, 'method'],
  ])('refuses a request line with %s', async (_name, line, status, field) => {
    const { port } = await start();
    const received = await exchange(port, `${line}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    expect(parsed(received)).toMatchObject({
      status,
      body: { details: [{ error_code: 'INVALID_ARGUMENT', field_violations: [{ field }] }] },
    });
  });
});

describe('HTTP listener: request timeouts', () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600 };

  it('answers 408 to a client that sends its headers too slowly', async () => {
    const { port } = await start(undefined, { limits });
    const socket = connect(port, '127.0.0.1');
    const received = untilClosed(socket);
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
    const drip = setInterval(() => socket.write('X: y\r\n'), 50);
    expect(parsed(await received).status).toBe(408);
    clearInterval(drip);
  });

  it('answers 408 to a client that sends its body too slowly', async () => {
    const { port } = await start(
      [
        everything(async (request, response) => {
          for await (const _chunk of request);
          response.end();
        }),
      ],
      { limits },
    );
    const socket = connect(port, '127.0.0.1');
    const received = untilClosed(socket);
    socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 1000\r\n\r\n`);
    const drip = setInterval(() => socket.write('x'), 50);
    expect(parsed(await received).status).toBe(408);
    clearInterval(drip);
  });

  it('closes the connection of a client that says nothing more', async () => {
    const { port } = await start(undefined, { limits: { keepAliveTimeoutMs: 100 } });
    const socket = connect(port, '127.0.0.1');
    const received = untilClosed(socket);
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    expect(await received).toContain('{"hello":true}');
  });

  it('refuses connections over the limit, and logs that once', async () => {
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (event) => warnings.push(event) };
    const { port } = await start(undefined, { limits: { maxConnections: 2 }, log });
    const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    expect(await get(port)).not.toContain('HTTP/1.1');
    expect(await get(port)).not.toContain('HTTP/1.1');
    expect(warnings).toEqual(['connections_refused']);
    for (const socket of held) socket.destroy();
  });
});

describe('HTTP listener: draining at shutdown', () => {
  /** A route that answers when the test says, and what happens meanwhile. */
  function gate(): { route: NodeRoute; entered: Promise<void>; leave: () => void; hasLeft: () => boolean } {
    let hasLeft = false;
    const entered = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const route = everything(async (_request, response) => {
      entered.resolve();
      await left.promise;
      hasLeft = true;
      response.end('{"late":true}');
    });
    return { route, entered: entered.promise, leave: left.resolve, hasLeft: () => hasLeft };
  }

  it('finishes the running request, closes its connection and takes no new ones', async () => {
    const { route, entered, leave } = gate();
    const { listener, port } = await start([route]);
    const running = exchange(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await entered;
    const closed = listener.close();
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
    leave();
    const answer = await running;
    expect(answer).toContain('{"late":true}');
    expect(answer.toLowerCase()).toContain('connection: close');
    await closed;
  });

  it('closes idle connections at once', async () => {
    const { listener, port } = await start();
    const socket = connect(port, '127.0.0.1');
    const received = untilClosed(socket);
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await once(socket, 'data');
    await listener.close();
    expect(await received).toContain('{"hello":true}');
  });

  it('waits for no client that has sent nothing, or half a head', async () => {
    const { listener, port } = await start();
    const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    sockets[1]?.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
    const received = Promise.all(sockets.map(untilClosed));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await listener.close({ softMs: 60_000, hardMs: 60_000 });
    expect((await received).join('')).not.toContain('HTTP/1.1');
  });

  it('answers a request that was on its way, and says that its connection ends', async () => {
    const { listener, port } = await start();
    const socket = connect(port, '127.0.0.1');
    const received = untilClosed(socket);
    await once(socket, 'connect');
    // Connections are accepted in their order: with the answer on a later one this one is there.
    await exchange(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    socket.write(`GET / HTTP/1.1\r\n`);
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0);
    const closed = listener.close();
    socket.write(`Host: 127.0.0.1:${port}\r\n\r\n`);
    expect(parsed(await received)).toMatchObject({
      status: 200,
      headers: expect.stringContaining('connection: close') as string,
    });
    await closed;
  });

  it('cuts what runs too long, and lets its handler put away the result', async () => {
    const { entered, leave, route } = gate();
    const { listener, port } = await start([route]);
    const running = exchange(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await entered;
    let isClosed = false;
    const closed = listener.close({ softMs: 50, hardMs: 5_000 }).then(() => (isClosed = true));
    expect(await running).not.toContain('late');
    expect(isClosed).toBe(false);
    leave();
    await closed;
  });

  it('does not wait for a handler beyond the hard limit', async () => {
    const { entered, leave, hasLeft, route } = gate();
    const { listener, port } = await start([route]);
    const running = exchange(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await entered;
    await listener.close({ softMs: 20, hardMs: 60 });
    expect(hasLeft()).toBe(false);
    expect(await running).toBe('');
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
    leave();
    await expect.poll(hasLeft).toBe(true);
  });
});
