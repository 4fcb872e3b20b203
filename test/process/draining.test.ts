/** What `gatehouse serve` still does during shutdown (docs/security.md#shutdown), seen from outside. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteHandle from 'better-sqlite3';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { untilClosed } from '../http/raw-request.ts';
import { BASE_URL, Deployment, tally } from '../support/deployment/deployment.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import type { ServerProcess } from '../support/deployment/server-process.ts';

const REFRESHED = 10;
const CALLS = 40;

const WAITING = { timeout: 60_000, interval: 50 };

interface Started {
  deployment: Deployment;
  server: ServerProcess;
  slackMs: number;
}

const opened: Deployment[] = [];
/** Each is for one test. */
const ready: Started[] = [];
/** Its interceptor and its mail server never answer. */
let unanswered: Started;
let hook: FaultServer;
let mail: Server;

// All start before the first is stopped: a start would take from the time that another has for its end.
beforeAll(async () => {
  hook = await startFaultServer();
  hook.always({ hang: true });
  mail = createServer((socket) => void socket.on('error', () => {}).write('220 here\r\n'));
  await once(mail.listen(0, '127.0.0.1'), 'listening');
  const site = [
    `base_url: ${BASE_URL}`,
    'interceptors:',
    `  - {name: slow, trigger_point: PRE_USER_INVITATION, endpoint: "${hook.origin}/hook", timeout_ms: 30000, fallback: allow}`,
    `smtp: {url: "smtp://127.0.0.1:${(mail.address() as AddressInfo).port}", from: gate@example.test}`,
  ];
  const started = await Promise.all([start(site), ...Array.from({ length: 4 }, async () => start())]);
  [unanswered] = started;
  ready.push(...started.slice(1));
});

afterAll(async () => {
  await Promise.all(opened.map(async (deployment) => deployment.close()));
  mail.close();
  await hook.close();
});

async function start(site?: readonly string[]): Promise<Started> {
  const deployment = await Deployment.open({ ...(site !== undefined && { site }) });
  opened.push(deployment);
  const server = await deployment.serve();
  return { deployment, server, slackMs: server.slackMs };
}

/** Status of every execution that the database has. */
function recorded(deployment: Deployment): Record<string, number> {
  const handle = new SqliteHandle(join(deployment.dir, 'data/gatehouse.db'), { readonly: true });
  const statuses = handle.prepare('select status from executions').pluck().all() as string[];
  handle.close();
  return tally(statuses);
}

/** SIGTERM. @returns a promise of the exit code and the time of the end */
function toldToStop(server: ServerProcess): Promise<{ code: number | null; tookMs: number }> {
  const started = performance.now();
  const exit = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  return exit.then(([code]) => ({ code: code as number | null, tookMs: performance.now() - started }));
}

/** A connection that has sent these bytes. */
async function connected(server: ServerProcess, bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

const HEAD = 'Host: gate.example.test\r\n';

describe.concurrent('gatehouse serve: draining on SIGTERM', () => {
  it('finishes 50 calls, stores their refreshed tokens, and waits for no silent peer', async () => {
    const { deployment, server, slackMs } = ready.pop()!;
    const users = Array.from({ length: REFRESHED }, (_, n) => `renewed-${n}`);
    for (const user of users) await deployment.connect(server, user, -1_000);
    await deployment.connect(server, 'ada');
    deployment.provider.queue(
      { target: 'token', hold: true, times: REFRESHED },
      { target: 'api', hold: true, times: CALLS },
    );
    const calls = [...users, ...Array.from({ length: CALLS }, () => 'ada')].map((user) => server.call(user));
    await deployment.provider.untilHeld(REFRESHED + CALLS);
    const silent = await connected(server, '');
    const begun = await connected(server, `GET /healthz HTTP/1.1\r\n${HEAD}`);
    const idle = await connected(server, `GET /healthz HTTP/1.1\r\n${HEAD}\r\n`);
    await once(idle, 'data');

    const exit = toldToStop(server);
    await Promise.all([silent, begun, idle].map(untilClosed));
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed');
    deployment.provider.release();
    const answers = await Promise.all(calls);

    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: REFRESHED + CALLS });
    expect(tally(answers.map(({ headers }) => String(headers.get('connection'))))).toEqual({
      close: REFRESHED + CALLS,
    });
    const { code, tookMs } = await exit;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(10_000 + slackMs);
    expect(recorded(deployment)).toEqual({ ok: REFRESHED + CALLS });
    expect(deployment.provider.counts().refreshes).toBe(REFRESHED);

    const next = await deployment.serve();
    const again = await Promise.all(users.map((user) => next.call(user)));
    expect(tally(again.map(({ status }) => status))).toEqual({ 200: REFRESHED });
    expect(deployment.provider.counts()).toMatchObject({ refreshes: REFRESHED, familiesRevoked: 0 });
  });

  it('ends after 10 s despite a slow provider, sender or reader', async () => {
    const { deployment, server, slackMs } = ready.pop()!;
    await deployment.connect(server, 'ada');
    deployment.provider.queue({ target: 'api', hold: true });
    const call = server.call('ada').then(
      ({ status }) => status,
      () => 'cut',
    );
    await deployment.provider.untilHeld();
    const post = `POST /oauth/token HTTP/1.1\r\n${HEAD}Content-Type: application/x-www-form-urlencoded\r\n`;
    const sender = await connected(server, `${post}Content-Length: 1000\r\n\r\n`);
    const drip = setInterval(() => sender.write('a'), 200);
    const ask = `GET /openapi.json HTTP/1.1\r\n${HEAD}\r\n`;
    const reader = (await connected(server, ask.repeat(100))).pause();
    // A socket may also end with a reset.
    const ends = [sender, reader].map(
      async (socket) => new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)),
    );
    await delay(200);

    const { code, tookMs } = await toldToStop(server);
    reader.resume();
    expect(code).toBe(0);
    expect(tookMs).toBeGreaterThan(9_000);
    expect(tookMs).toBeLessThan(10_000 + slackMs);
    await Promise.all(ends);
    clearInterval(drip);
    expect(await call).toBe('cut');
    expect(recorded(deployment)).toEqual({ error: 1 });
  });

  it('stores the result of a refresh whose caller it could not wait for', async () => {
    const { deployment, server, slackMs } = ready.pop()!;
    await deployment.connect(server, 'ada', -1_000);
    deployment.provider.queue({ target: 'token', process: 'after', hold: true });
    const call = server.call('ada').catch(() => 'cut');
    await deployment.provider.untilHeld();
    const exit = toldToStop(server);
    expect(await call).toBe('cut');
    await delay(100);
    deployment.provider.release();
    const { tookMs } = await exit;
    expect(tookMs).toBeLessThan(15_000 + slackMs);
    const next = await deployment.serve();
    expect((await next.call('ada')).status).toBe(200);
    expect(deployment.provider.counts()).toMatchObject({ refreshes: 1, familiesRevoked: 0 });
  });

  it('waits neither for an interceptor nor for a mail server that never answers', async () => {
    const { deployment, server, slackMs } = unanswered;
    const mailed = once(mail, 'connection');
    const organization = await server.api('POST', '/organizations', {
      name: 'Acme',
      user: { email: 'ann@example.test' },
    });
    const { id } = (JSON.parse(organization.text) as { organization: { id: string } }).organization;
    const invited = server
      .api('POST', `/organizations/${id}/invitations`, { email: 'bob@example.test' })
      .then(
        ({ status }) => status,
        () => 'cut',
      );
    const browser = deployment.browser(server);
    const { text } = await browser.get(`${BASE_URL}/sign-in`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const asked = await browser.post(`${BASE_URL}/sign-in`, { csrf, email: 'ann@example.test' });
    expect(asked.status).toBe(200);
    await mailed;
    await vi.waitFor(() => expect(hook.requests).toHaveLength(1), WAITING);

    const { code, tookMs } = await toldToStop(server);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(10_000 + slackMs);
    expect([503, 'cut']).toContain(await invited);
  });

  it('leaves an unanswered webhook to the next process', async () => {
    const { deployment, server, slackMs } = ready.pop()!;
    const sink = await startFaultServer();
    sink.always({ hang: true });
    await server.api('POST', '/webhooks', {
      name: 'sink',
      url: `${sink.origin}/hook`,
      events: ['connected_account.created'],
    });
    await deployment.connect(server, 'ada');
    await vi.waitFor(() => expect(sink.requests).toHaveLength(1), WAITING);
    const { code, tookMs } = await toldToStop(server);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5_000 + slackMs);
    sink.reset();
    await deployment.serve();
    await vi.waitFor(() => expect(sink.requests).toHaveLength(1), WAITING);
    await sink.close();
  });
});
