/** The pages behind a real listener: what logs and metrics get to know of links and callbacks. */
import { afterEach, expect, it } from 'vitest';
import { isConnectPath, pagesRoute } from '../../../src/app/serve/page-routes.ts';
import type { Log } from '../../../src/core/log.ts';
import { PageFailure } from '../../../src/core/page-failure.ts';
import { Listener, type RequestSummary } from '../../../src/http/listener/listener.ts';
import { fixedClock } from '../../support/fixed-clock.ts';

const open: Listener[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close({ softMs: 0, hardMs: 0 })));
});

/** A listener with the pages alone, and everything that is reported about its requests. */
async function start() {
  const logged: unknown[] = [];
  const summaries: RequestSummary[] = [];
  const record = (event: string, fields?: unknown): void => void logged.push({ event, fields });
  const log: Log = { debug: record, info: record, warn: record, error: record };
  const fail = async (): Promise<never> => {
    throw new PageFailure('link', 'unknown');
  };
  const consents = {
    start: fail,
    awaitedFragment: async () => undefined,
    finish: async (_environmentId: string, _connectionId: string, query: URLSearchParams) => {
      if (query.has('defect')) throw new Error('a defect');
      throw new PageFailure('callback', 'unreachable', { connectorTitle: 'Attio' });
    },
  };
  const listener = new Listener({
    host: '127.0.0.1',
    port: 0,
    log,
    onRequest: (summary) => summaries.push(summary),
  });
  open.push(listener);
  const { port } = await listener.listen();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { servesDocs: true };
  const services = { links: { open: fail, submit: fail }, consents, clock: fixedClock(), log, settings };
  listener.serve({
    environments: [
      {
        id: 'env_1',
        name: 'development',
        baseUrl: origin,
        userVerification: 'none',
        userVerifyUrl: undefined,
        userVerifyUrls: [],
        signUp: 'open',
        isLocalOnly: true,
      },
    ],
    routes: [pagesRoute(services as unknown as Parameters<typeof pagesRoute>[0], () => true)],
  });
  return { origin, logged, summaries };
}

it.each([
  ['/connect/secret-token', '/connect/:token', 404],
  ['/connect/secret-token?secret-query', '/connect/:token', 404],
  ['/connect/secret-token/go', '/connect/:token/go', 404],
  ['/connect/secret-token/go?secret-query', '/connect/:token/go', 404],
  ['/connect/done?secret-query', '/connect/done', 200],
  ['/connect/secret-token/go/secret-more', '/connect/:token', 404],
  ['/connect/%73ecret-token%2Fgo%0A', '/connect/:token', 404],
  ['/sso/v1/oauth/conn_1/callback?state=secret-state&code=secret-code', '/sso/v1/oauth/:id/callback', 502],
  ['/sso/v1/oauth/conn_1/callback?state=secret-state&code=%ff', '/sso/v1/oauth/:id/callback', 400],
  ['/sso/v1/oauth/conn_1/callback?state=secret-state&defect', '/sso/v1/oauth/:id/callback', 500],
])('labels the route %s with its pattern', async (path, label, status) => {
  const { origin, logged, summaries } = await start();
  const headers = { cookie: 'gatehouse_browser=secret-browser' };
  const answer = await fetch(origin + path, { headers, redirect: 'manual' });
  await answer.text();
  expect(answer.status).toBe(status);
  await expect.poll(() => summaries.map(({ route }) => route)).toEqual([label]);
  expect(logged).toContainEqual({ event: 'request', fields: expect.objectContaining({ route: label }) });
  expect(JSON.stringify([logged, summaries])).not.toContain('secret');
});

it.each([
  ['/connect/token', true],
  ['/connect/token/go', true],
  ['/connect/done', true],
  ['/sso/v1/oauth/conn_1/callback', true],
  ['/sso/v1/oauth/callback', false],
  ['/sso/v1/oauth/conn_1/callback/more', false],
  ['/sso/v1/oauth/a/b/callback', false],
  ['/x/sso/v1/oauth/conn_1/callback', false],
  ['/connect', false],
  ['/', false],
  ['/dashboard', false],
  ['/api/v1/tools', false],
  ['/mcp', false],
])('recognizes a route that connects an account: %s', (path, belongs) => {
  expect(isConnectPath(path)).toBe(belongs);
});
