/** What one peer may take of a server (docs/security.md#greedy-peers): bytes on sockets, seen from outside. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InboundLimits } from '../../src/http/listener/limits.ts';
import { exchange, parsed, untilClosed } from '../http/raw-request.ts';
import { startChild, type TestChild } from '../support/child.ts';
import { Deployment } from '../support/deployment/deployment.ts';

const HEADERS_MS = 1_500;
const REQUEST_MS = 3_000;
const KEEP_ALIVE_MS = 500;
const MAX_CONNECTIONS = 100;

const CREDENTIAL = { id: 'test', secret: 'a-secret-of-the-test-that-is-long-enough-0123456789' };

let folder: string;
let child: TestChild;
let port: number;
let token: string;
/** What a busy machine may add: twice the time of a start, at least 1 s. */
let slackMs: number;
/** The program itself, which waits 15 s for headers: what is held stays. */
let patient: Deployment;
let patientPort: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-limits-'));
  const settings = { data_dir: 'data', port: 0, client_id: CREDENTIAL.id, client_secret: CREDENTIAL.secret };
  writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify(settings));
  const started = performance.now();
  const limits: Partial<InboundLimits> = {
    headersTimeoutMs: HEADERS_MS,
    requestTimeoutMs: REQUEST_MS,
    keepAliveTimeoutMs: KEEP_ALIVE_MS,
    maxConnections: MAX_CONNECTIONS,
  };
  child = startChild(join(import.meta.dirname, 'children/short-limits.ts'), [
    join(folder, 'gatehouse.yaml'),
    JSON.stringify(limits),
  ]);
  port = Number(await child.lineAt(0));
  slackMs = Math.max(1_000, 2 * (performance.now() - started));
  const response = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
    method: 'POST',
    headers: { connection: 'close' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CREDENTIAL.id,
      client_secret: CREDENTIAL.secret,
    }),
  });
  token = ((await response.json()) as { access_token: string }).access_token;
  patient = await Deployment.open({ site: [`inbound: {max_connections: ${MAX_CONNECTIONS}}`] });
  patientPort = Number(new URL((await patient.serve()).url).port);
});

afterAll(async () => {
  await patient?.close();
  child.process.kill('SIGKILL');
  await child.ended;
  rmSync(folder, { recursive: true, force: true });
});

function head(line: string, ...headers: string[]): string {
  return [line, `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n');
}

const HEALTH = (at = port): string =>
  `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\nConnection: close\r\n\r\n`;

function posted(path: string, body: string, ...headers: string[]): string {
  const about = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Connection: close'];
  const length = headers.some((header) => header.startsWith('Transfer-Encoding'))
    ? []
    : [`Content-Length: ${body.length}`];
  return head(`POST ${path} HTTP/1.1`, ...about, ...length, ...headers) + body;
}

/** A connection that sends its first bytes at once, and one more piece every 100 ms. */
function dripping(
  bytes: string,
  piece: string,
): { socket: Socket; ended: Promise<{ text: string; tookMs: number }> } {
  const started = performance.now();
  const socket = connect(port, '127.0.0.1');
  const received = untilClosed(socket);
  socket.write(bytes);
  const drip = setInterval(() => socket.write(piece), 100);
  const ended = received.then((text) => {
    clearInterval(drip);
    return { text, tookMs: performance.now() - started };
  });
  return { socket, ended };
}

describe('inbound limits: timeouts', () => {
  it.concurrent('answers 408 to headers that arrive too slowly', async () => {
    const { text, tookMs } = await dripping('GET /healthz HTTP/1.1\r\n', 'X: y\r\n').ended;
    expect(parsed(text)).toMatchObject({
      status: 408,
      body: { details: [{ error_code: 'INVALID_ARGUMENT' }] },
    });
    expect(tookMs).toBeGreaterThan(HEADERS_MS - 100);
    expect(tookMs).toBeLessThan(HEADERS_MS + 500 + slackMs);
  });

  it.concurrent('closes a connection that sends nothing', async () => {
    const started = performance.now();
    const text = await exchange(port, '');
    expect(text).toContain('HTTP/1.1 408');
    expect(performance.now() - started).toBeLessThan(HEADERS_MS + 500 + slackMs);
  });

  it.concurrent.each(['/api/v1/execute_tool', '/proxy/x', '/mcp'])(
    'answers 408 to a body of %s that arrives too slowly',
    async (path) => {
      const start = posted(path, '', 'Connection-Name: websearch').replace(
        'Content-Length: 0',
        'Content-Length: 900',
      );
      const { text, tookMs } = await dripping(start, '1').ended;
      expect(text).toContain('HTTP/1.1 408');
      expect(tookMs).toBeLessThan(REQUEST_MS + 500 + slackMs);
    },
  );

  it.concurrent('closes an idle connection between requests', async () => {
    const started = performance.now();
    const text = await exchange(port, head('GET /healthz HTTP/1.1'));
    expect(text).toContain('HTTP/1.1 200');
    // Node adds a second, so that a request on its way is not cut off.
    expect(performance.now() - started).toBeLessThan(KEEP_ALIVE_MS + 1_500 + slackMs);
  });

  it.concurrent('keeps an idle connection for 65 s unless the settings say otherwise', async () => {
    const text = await exchange(
      patientPort,
      head('GET /healthz HTTP/1.1') + head('GET /healthz HTTP/1.1', 'Connection: close'),
    );
    expect(text).toMatch(/^keep-alive: timeout=65\r$/im);
  });
});

describe('inbound limits: sizes', () => {
  it('limits the size of one header', async () => {
    const text = await exchange(port, head('GET /healthz HTTP/1.1', `X: ${'x'.repeat(17_000)}`));
    expect(parsed(text).status).toBe(431);
  });

  it('limits the size of the request line', async () => {
    expect(parsed(await exchange(port, head(`GET /${'x'.repeat(17_000)} HTTP/1.1`))).status).toBe(431);
  });

  it.each([
    [98, 200],
    [101, 431],
  ])(
    'limits the number of headers: %i headers in addition to Host are answered %i',
    async (count, status) => {
      const headers = Array.from({ length: count - 1 }, (_, n) => `X-${n}: y`);
      const text = await exchange(port, head('GET /healthz HTTP/1.1', 'Connection: close', ...headers));
      expect(parsed(text).status).toBe(status);
    },
  );

  it.each(['/api/v1/execute_tool', '/mcp', '/oauth/token'])('limits a body of %s to 1 MB', async (path) => {
    const text = await exchange(port, posted(path, 'x'.repeat(1_000_001)));
    expect(text.slice(0, 12)).toBe('HTTP/1.1 413');
  });

  it.each(['/api/v1/execute_tool', '/mcp', '/oauth/token'])(
    'limits a body of %s in chunks to 1 MB',
    async (path) => {
      const chunk = `fa00\r\n${'x'.repeat(64_000)}\r\n`;
      const text = await exchange(
        port,
        posted(path, `${chunk.repeat(20)}0\r\n\r\n`, 'Transfer-Encoding: chunked'),
      );
      expect(text.slice(0, 12)).toBe('HTTP/1.1 413');
    },
  );

  it('limits a body of the proxy to 10 MB', async () => {
    const small = await exchange(
      port,
      posted('/proxy/x', 'x'.repeat(9_000_000), 'Connection-Name: websearch'),
    );
    expect(small.slice(0, 12)).not.toBe('HTTP/1.1 413');
    const large = await exchange(
      port,
      posted('/proxy/x', '', 'Connection-Name: websearch').replace(
        'Content-Length: 0',
        'Content-Length: 10000001',
      ),
    );
    expect(large.slice(0, 12)).toBe('HTTP/1.1 413');
  });

  it.each([
    ['/api/v1/execute_tool', 65, 400],
    ['/api/v1/execute_tool', 100_000, 400],
    ['/mcp', 100_000, 400],
  ])('limits the nesting of JSON: %s with %i levels is answered %i', async (path, depth, status) => {
    const body = `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    const text = await exchange(port, posted(path, body, 'Accept: application/json, text/event-stream'));
    expect(text.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  });
});

describe('inbound limits: number of connections', () => {
  it('closes connections above the limit at once, and accepts new ones when some leave', async () => {
    const asked = async (): Promise<string> => exchange(patientPort, HEALTH(patientPort));
    const held: Socket[] = [];
    for (let n = 0; n < MAX_CONNECTIONS; n++)
      held.push(connect(patientPort, '127.0.0.1').on('error', () => {}));
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    const refused = await Promise.all(Array.from({ length: 5 }, asked));
    for (const text of refused) expect(text).not.toContain('HTTP/1.1');
    const answered = held.slice(0, 5).map(async (socket) => {
      const text = untilClosed(socket);
      socket.write(HEALTH(patientPort));
      return text;
    });
    for (const text of await Promise.all(answered)) expect(text).toContain('HTTP/1.1 200');
    for (const socket of held) socket.destroy();
    await expect.poll(asked).toContain('HTTP/1.1 200');
  });

  it('leaves capacity while slow connections hold half of it', async () => {
    const slow = Array.from({ length: MAX_CONNECTIONS / 2 }, () =>
      dripping('GET /healthz HTTP/1.1\r\n', 'X: y\r\n'),
    );
    await Promise.all(slow.map(({ socket }) => once(socket, 'connect')));
    for (let n = 0; n < 20; n++) expect(await exchange(port, HEALTH())).toContain('HTTP/1.1 200');
    for (const { text } of await Promise.all(slow.map(({ ended }) => ended)))
      expect(text).toContain('HTTP/1.1 408');
    expect(await exchange(port, HEALTH())).toContain('HTTP/1.1 200');
  });
});
