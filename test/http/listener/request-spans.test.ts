import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { Listener } from '../../../src/http/listener/listener.ts';
import { recordSpans } from '../../support/span-recorder.ts';
import { development } from '../rest-api.ts';

let listener: Listener | undefined;
afterEach(async () => listener?.close({ softMs: 0 }));

async function listening(): Promise<string> {
  listener = new Listener({ host: '127.0.0.1', port: 0, log: silentLog });
  const { port } = await listener.listen();
  listener.serve({
    environments: [{ ...development, baseUrl: `http://127.0.0.1:${port}` }],
    routes: [
      {
        name: '/things/:id',
        matches: (path) => path.startsWith('/things/'),
        handle: (_request, response, { trace }) => void response.writeHead(503).end(trace.traceparent),
      },
    ],
  });
  return `http://127.0.0.1:${port}`;
}

describe('span of a request', () => {
  it('names the route and never the path, and is the parent of what follows', async () => {
    const spans = recordSpans();
    const origin = await listening();
    const parent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
    const response = await fetch(`${origin}/things/secret?q=secret`, { headers: { traceparent: parent } });
    const told = await response.text();
    expect(response.headers.get('traceparent')).toBe(told);
    await expect.poll(() => spans).toHaveLength(1);
    expect(spans[0]).toEqual({
      name: 'request',
      within: [],
      parent,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/things/:id',
        'http.response.status_code': 503,
      },
      error: '503',
    });
    expect(told).toMatch(/^00-a{32}-0{15}1-01$/);
  });
});
