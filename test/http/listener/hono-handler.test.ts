/** The REST API behind a real listener: what only shows on a socket. */
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { createApi } from '../../../src/http/routes/api.ts';
import { honoHandler } from '../../../src/http/listener/hono-handler.ts';
import { Listener } from '../../../src/http/listener/listener.ts';
import { connectedAccount, type Services } from '../../support/services.ts';
import { development, restApi, rowsWritten } from '../rest-api.ts';
import { exchange, parsed } from '../raw-request.ts';

const open: Listener[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close({ softMs: 0, hardMs: 0 })));
});

async function start(): Promise<{ port: number; base: string; services: Services }> {
  const { deps, services } = await restApi();
  const listener = new Listener({ host: '127.0.0.1', port: 0, log: silentLog });
  open.push(listener);
  const { port } = await listener.listen();
  const base = `http://127.0.0.1:${port}`;
  const app = createApi(deps);
  const handle = honoHandler((request, bindings) => app.fetch(request, bindings), silentLog);
  listener.serve({
    environments: [{ ...development, baseUrl: base }],
    routes: [{ name: 'rest', matches: () => true, handle }],
  });
  return { port, base, services };
}

const headers = { authorization: 'Bearer all', 'content-type': 'application/json' };

describe('HTTP listener: REST API on a socket', () => {
  it('answers and keeps the connection for the next request', async () => {
    const { base, services } = await start();
    const { id } = await connectedAccount(services);
    const init = {
      method: 'POST',
      headers,
      body: JSON.stringify({
        tool_name: 'notes_search',
        tool_input: { query: 'ä' },
        connected_account_id: id,
      }),
    };
    for (let round = 0; round < 3; round += 1) {
      const response = await fetch(`${base}/api/v1/execute_tool`, init);
      expect(await response.json()).toEqual({
        data: { results: [] },
        execution_id: expect.stringMatching(/^exe_/),
      });
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('traceparent')).toMatch(/^00-/);
    }
    expect(services.sent.map(({ url }) => url.searchParams.get('q'))).toEqual(['ä', 'ä', 'ä']);
  });

  it('refuses a body of unknown length that is too large with 413 and no reset', async () => {
    const { base, services } = await start();
    const before = await rowsWritten(services.db);
    const body = new ReadableStream({
      start: (controller) => {
        for (let i = 0; i < 30; i += 1) controller.enqueue(new TextEncoder().encode('x'.repeat(100_000)));
        controller.close();
      },
    });
    const response = await fetch(`${base}/api/v1/execute_tool`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
    expect([services.sent, await rowsWritten(services.db)]).toEqual([[], before]);
  });

  it.each([
    ['a backslash', '/api\\v1\\tools', 400],
    ['a cut percent-encoding', '/api/v1/tools/%', 404],
    ['dots', '/api/v1/../../healthz', 400],
    ['encoded dots', '/api/v1/%2E./tools', 400],
    ['dots at its end', '/connect/%2e%2e', 400],
    ['a dot', '/api/./v1/tools', 400],
    ['dots in a name', '/api/v1/tools/..a', 404],
    ['dots in its query', '/healthz?a=/../', 400],
    ['two slashes in front', '//evil.test/x', 404],
  ])('answers a request for an address with %s', async (_name, path, status) => {
    const { port } = await start();
    const head = [`Host: 127.0.0.1:${port}`, 'Authorization: Bearer all', 'Connection: close'];
    const received = await exchange(port, [`GET ${path} HTTP/1.1`, ...head, '', ''].join('\r\n'));
    expect(parsed(received)).toMatchObject({ status, body: expect.any(Object) });
  });

  it('answers HEAD with headers only', async () => {
    const { base } = await start();
    const response = await fetch(`${base}/openapi.json`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});
