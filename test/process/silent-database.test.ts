/** A Postgres that says nothing more, and closes nothing, stops neither the service for long nor the end of its process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { startServer } from '../../src/app/serve/serve.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { silentLog } from '../../src/core/log.ts';
import { onDatabase } from '../support/databases.ts';
import { Deployment, tally } from '../support/deployment/deployment.ts';
import { PROGRAM } from '../support/program.ts';
import { SilentProxy } from '../support/silent-proxy.ts';

onDatabase('postgres', (_name, _open, newUrl) => {
  const proxied = async (context: TestContext): ReturnType<typeof SilentProxy.start> => {
    const started = await SilentProxy.start(await newUrl());
    context.onTestFinished(async () => started.proxy.close());
    return started;
  };

  it.concurrent(
    'reports in gatehouse serve that the database is not ready, and ends within 10 s on SIGTERM',
    async (context) => {
      const { proxy, url } = await proxied(context);
      const deployment = await Deployment.open({ databaseUrl: url });
      context.onTestFinished(async () => deployment.close());
      const server = await deployment.serve();
      await deployment.connect(server, 'ada');
      proxy.silence();
      const asked = performance.now();
      const ready = await Promise.all(Array.from({ length: 20 }, async () => fetch(`${server.url}/readyz`)));
      expect(performance.now() - asked).toBeLessThan(5_000 + server.slackMs);
      expect(tally(ready.map(({ status }) => status))).toEqual({ 503: 20 });
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

      const swallowed = proxy.swallowed;
      const requests = Array.from({ length: 20 }, async () => server.api('GET', '/connected_accounts'));
      await context.expect.poll(() => proxy.swallowed).toBeGreaterThan(swallowed);
      const told = performance.now();
      const exit = once(server.child, 'exit');
      server.child.kill('SIGTERM');
      const answers = await Promise.all(requests);
      expect(tally(answers.map(({ status }) => status))).toEqual({ 503: 20 });
      expect(await exit).toEqual([0, null]);
      expect(performance.now() - told).toBeLessThan(10_000 + server.slackMs);
    },
  );

  it.concurrent('ends gatehouse mcp on SIGTERM while Postgres is silent', async (context) => {
    const { proxy, url } = await proxied(context);
    const deployment = await Deployment.open({ databaseUrl: url });
    context.onTestFinished(async () => deployment.close());
    const child = spawn(process.execPath, [PROGRAM, 'mcp'], { cwd: deployment.dir, env: deployment.env });
    context.onTestFinished(() => void child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    await context.expect.poll(() => log).toContain('mcp_stdio_ready');
    proxy.silence();
    // It says once a minute with which key it seals, and looks for what is to be sent to webhooks every second.
    await context.expect.poll(() => proxy.swallowed).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it.concurrent('recovers without a restart when Postgres answers again', async (context) => {
    const { proxy, url } = await proxied(context);
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-silent-'));
    const [id, secret] = ['test', 'a-secret-of-the-test-that-is-long-enough-0123456789'];
    const server = await startServer({
      settings: loadSettings({
        flags: { port: '0' },
        env: {
          GATEHOUSE_DATA_DIR: folder,
          GATEHOUSE_DATABASE_URL: url,
          GATEHOUSE_CLIENT_ID: id,
          GATEHOUSE_CLIENT_SECRET: secret,
        },
        cwd: folder,
        homeDir: folder,
      }),
      log: silentLog,
      // Ten connections at once, when Postgres answers again, may take a busy machine long.
      database: { silenceMs: 2_000, retryForMs: 5_000 },
    });
    context.onTestFinished(async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const grant = await fetch(`${origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
    });
    const { access_token: token } = (await grant.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}` };
    const list = async (): Promise<Response> => fetch(`${origin}/api/v1/connected_accounts`, { headers });
    const ready = async (): Promise<number> => (await fetch(`${origin}/readyz`)).status;
    expect([(await list()).status, await ready()]).toEqual([200, 200]);

    proxy.silence();
    const silenced = await Promise.all(Array.from({ length: 20 }, list));
    expect(tally(silenced.map(({ status }) => status))).toEqual({ 503: 20 });
    for (const answer of silenced)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await ready()).toBe(503);

    proxy.restore();
    await context.expect.poll(ready).toBe(200);
    const again = await Promise.all(Array.from({ length: 20 }, list));
    expect(tally(again.map(({ status }) => status))).toEqual({ 200: 20 });
  });
});
