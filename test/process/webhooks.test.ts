/** What an operator sees of webhooks: the real program, an endpoint of theirs, and the snippet of docs/webhooks.md. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProject, run, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { StdioSession } from '../mcp/stdio-session.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { freePort } from '../support/free-port.ts';
import { ROUNDS } from '../support/rounds.ts';

const ALL =
  '[connected_account.created, connected_account.updated, connected_account.status_updated, connected_account.deleted]';

let project: Project;
let endpoint: FaultServer;

beforeEach(async () => {
  project = await makeProject();
  endpoint = await startFaultServer();
  declareWebhook(`${endpoint.origin}/hooks/path-token`);
});
afterEach(async () => {
  await endpoint.close();
  await project.close();
});

function declareWebhook(url: string): void {
  const file = join(project.dir, 'gatehouse.yaml');
  const settings = readFileSync(file, 'utf8')
    .replace(/webhooks:[^]*/, '')
    .replace(/allow_private_hosts: \["([^"]+)".*\]/, `allow_private_hosts: ["$1", "${new URL(url).host}"]`);
  writeFileSync(file, `${settings}webhooks:\n  - {name: ops, url: "${url}", events: ${ALL}}\n`);
}

async function call(
  served: Served,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, never>> {
  const response = await fetch(`${served.baseUrl}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, never>;
  expect([path, response.status < 300 ? 'ok' : answer]).toEqual([path, 'ok']);
  return answer;
}

interface Event {
  id: string;
  type: string;
  data: { connected_account: { identifier: string; status: string }; old_status?: string };
}

const events = (): Event[] => endpoint.requests.map(({ body }) => JSON.parse(body) as Event);
const told = (identifier: string) =>
  events()
    .filter(({ data }) => data.connected_account.identifier === identifier)
    .map(({ type, data }) => [type, data.connected_account.status, data.old_status]);

describe('webhooks of gatehouse serve', () => {
  it('report the whole life of an account in order, signed, without a secret in event or log', async () => {
    const served = await serve(project);
    let log = '';
    served.child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await served.connect('ada', 'key-of-ada');
    const { connected_accounts } = await call(served, 'GET', 'connected_accounts');
    const { id } = (connected_accounts as unknown as { id: string }[])[0] ?? { id: '' };
    const credentials = {
      authorization_details: { static_auth: { details: { api_key: 'other-key-of-ada' } } },
    };
    await call(served, 'PUT', 'connected_accounts', { id, connected_account: credentials });
    await call(served, 'PUT', 'connected_accounts', {
      id,
      connected_account: { api_config: { region: 'eu' } },
    });
    await call(served, 'PUT', 'connected_accounts', {
      id,
      connected_account: { api_config: { region: 'eu' } },
    });
    await call(served, 'POST', `connected_accounts/${id}:disconnect`);
    await call(served, 'POST', 'connected_accounts:delete', { id });
    const pending = await call(served, 'POST', 'connected_accounts/magic_link', {
      connector: 'websearch',
      user_id: 'bo',
    });
    expect(pending).toHaveProperty('link');
    await expect.poll(() => endpoint.requests.length).toBe(6);
    expect(told('ada')).toEqual([
      ['connected_account.created', 'ACTIVE', undefined],
      ['connected_account.updated', 'ACTIVE', undefined],
      ['connected_account.updated', 'ACTIVE', undefined],
      ['connected_account.status_updated', 'DISCONNECTED', 'ACTIVE'],
      ['connected_account.deleted', 'DISCONNECTED', undefined],
    ]);
    expect(told('bo')).toEqual([['connected_account.created', 'PENDING_AUTH', undefined]]);
    const { secret } = (await call(served, 'GET', 'signing_secret')) as unknown as { secret: string };
    const { webhooks } = (await call(served, 'GET', 'webhooks')) as unknown as { webhooks: { id: string }[] };
    const delivered = async (): Promise<unknown[][]> => {
      const { deliveries } = (await call(
        served,
        'GET',
        `webhooks/${webhooks[0]?.id}/deliveries`,
      )) as unknown as { deliveries: { status: string; last_status: number }[] };
      return deliveries.map(({ status, last_status }) => [status, last_status]);
    };
    // Noted after the endpoint has answered.
    await expect.poll(delivered).toEqual(Array.from({ length: 6 }, () => ['delivered', 200]));
    await served.stop();
    const everything = JSON.stringify(endpoint.requests) + log;
    for (const word of ['key-of-ada', secret, secret.slice(6), served.token])
      expect(everything).not.toContain(word);
    expect(log).not.toContain('path-token');
  });

  it('pass verification by the documented receiver (docs/webhooks.md), also through a rotation', async () => {
    const port = await freePort();
    declareWebhook(`http://127.0.0.1:${port}/`);
    const served = await serve(project);
    const { secret } = (await call(served, 'GET', 'signing_secret')) as unknown as { secret: string };
    const receiver = startReceiver(port, secret);
    try {
      await receiver.listening;
      await served.connect('ada', 'key-of-ada');
      await expect.poll(() => receiver.lines).toEqual(['connected_account.created']);
      await call(served, 'POST', 'signing_secret:rotate');
      await served.connect('bo', 'key-of-bo');
      await expect.poll(() => receiver.lines.length).toBe(2);
      const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"type":"forged"}' });
      expect([forged.status, receiver.lines.length]).toEqual([401, 2]);
    } finally {
      receiver.child.kill();
      await served.stop();
    }
  });

  it('send after kill -9 what was not sent before', async () => {
    endpoint.queue({ hang: true }, { hang: true });
    const served = await serve(project);
    await served.connect('ada', 'key-of-ada');
    await served.connect('bo', 'key-of-bo');
    await expect.poll(() => endpoint.requests.length).toBe(2);
    const exit = once(served.child, 'exit');
    served.child.kill('SIGKILL');
    await exit;
    waitOver();
    const again = await serve(project);
    await expect.poll(() => endpoint.requests.length).toBe(4);
    const ids = events().map(({ id }) => id);
    expect(ids.slice(2).toSorted()).toEqual(ids.slice(0, 2).toSorted());
    expect(
      events()
        .map(({ data }) => data.connected_account.identifier)
        .toSorted(),
    ).toEqual(['ada', 'ada', 'bo', 'bo']);
    await again.stop();
  });

  // In draining.test.ts too, where the next process sends what is left.
  it.runIf(ROUNDS.full)('stop at once even while an endpoint hangs', async () => {
    endpoint.always({ hang: true });
    const started = performance.now();
    const served = await serve(project);
    const slackMs = Math.max(2_000, 5 * (performance.now() - started));
    await served.connect('ada', 'key-of-ada');
    await expect.poll(() => endpoint.requests.length).toBe(1);
    const told = performance.now();
    await served.stop();
    expect(performance.now() - told).toBeLessThan(5_000 + slackMs);
  });

  it('refuse to start with a private address, and name the webhook', async () => {
    const file = join(project.dir, 'gatehouse.yaml');
    const settings = readFileSync(file, 'utf8').replace(
      /ops, url: "[^"]+"/,
      'ops, url: "https://10.0.0.1/x"',
    );
    writeFileSync(file, settings);
    const { code, stderr } = await run(project, ['serve']);
    expect(code).toBe(1);
    expect(stderr).toContain('webhooks[0].url: The address is private.');
  });
});

describe('webhooks of a stdio process (gatehouse mcp)', () => {
  it('send what the command line left behind', async () => {
    const { code } = await run(project, ['connect', 'websearch'], 'key-of-ada\n');
    expect([code, endpoint.requests.length]).toEqual([0, 0]);
    const session = new StdioSession(project);
    await session.open();
    await expect.poll(() => endpoint.requests.length).toBe(1);
    expect(events().map(({ type }) => type)).toEqual(['connected_account.created']);
    await session.leave();
  });
});

/** Lets the time pass after which an attempt of a dead process is made again. */
function waitOver(): void {
  const db = new BetterSqlite(join(project.dir, 'data/gatehouse.db'));
  db.prepare('update webhook_deliveries set taken_until = 1 where taken_until is not null').run();
  db.close();
}

/** The receiver of the documentation, word for word. */
function startReceiver(
  port: number,
  secret: string,
): { child: ChildProcess; lines: string[]; listening: Promise<void> } {
  const text = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  const snippet = /```js\n([^]*?)```/.exec(text)?.[1] ?? '';
  const file = join(project.dir, 'receiver.mjs');
  writeFileSync(file, snippet);
  const env = { SIGNING_SECRET: secret, PORT: String(port) };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const answers = async () =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).then(
      ({ status }) => status,
      () => 0,
    );
  const listening = async () => {
    await expect.poll(answers).toBe(401);
  };
  return { child, lines, listening: listening() };
}
