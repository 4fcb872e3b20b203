/**
 * `node bench/webhooks.ts [--events 8000] [--pending 100000] [--database sqlite|postgres]`: how fast one process catches
 * up with events that wait, and what deliveries that wait for a dead endpoint cost those who change accounts.
 *
 * Writes bench/results/webhooks.json. Endpoints listen on loopback, in this process; the sender is a process of its own.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../src/store/engine/database.ts';
import { rows } from '../src/store/engine/rows.ts';
import { openDatabase } from '../src/store/open.ts';
import type { WebhookDelivery } from '../src/store/tables/webhook-tables.ts';
import { newDelivery, putInOutbox, withEnvironments } from '../test/interceptors/support.ts';
import { startChild } from '../test/support/child.ts';
import { TestPostgres } from '../test/support/postgres.ts';
import { cpuMs } from './process-usage.ts';

const SENDER = join(import.meta.dirname, '../test/process/children/webhook-sender.ts');
const LEASE_MS = 20_000;

/** Rows of one insert. */
const CHUNK = 500;

/** Changes of accounts that are timed, one after the other. */
const CHANGES = 300;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '8000' },
    pending: { type: 'string', default: '100000' },
    database: { type: 'string', default: 'sqlite' },
  },
});
const [EVENTS, PENDING] = [Number(values.events), Number(values.pending)];
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const postgres = values.database === 'postgres' ? new TestPostgres() : undefined;

/** The figures of one part. */
type Figures = Record<string, number | string>;

const body = JSON.stringify({ data: { connected_account: { id: 'ca_1', identifier: 'x'.repeat(600) } } });

let made = 0;
async function newDatabase(): Promise<{ db: Database; url: string }> {
  made++;
  const url =
    postgres === undefined ? `sqlite:${join(folder, `${made}.db`)}` : await postgres.createDatabase(true);
  return { db: await withEnvironments(await openDatabase({ url })), url };
}

async function endpoint(delayMs: number, count: () => void): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count();
      if (delayMs === 0) response.writeHead(204).end();
      else setTimeout(() => response.writeHead(204).end(), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function webhook(db: Database, id: string, url: string): Promise<void> {
  const row = {
    id,
    environment_id: 'env_1',
    name: id,
    url,
    events: '[]',
    enabled: 1,
    created_at: 1,
  } as const;
  await db.transaction(async (tx) =>
    rows(tx, 'webhooks').insert({ ...row, managed_by: 'operator', updated_at: 1 }),
  );
}

/** Puts events of many accounts in the outbox, a tenth as many accounts as events. */
async function fill(db: Database, webhookIds: readonly string[], count: number): Promise<void> {
  for (let from = 0; from < count; from += CHUNK) {
    const batch = Array.from({ length: Math.min(CHUNK, count - from) }, (_, i): WebhookDelivery => {
      const n = from + i;
      const webhookId = webhookIds[n % webhookIds.length] ?? '';
      const account = `ca_${n % Math.max(1, Math.floor(count / 10))}`;
      const id = String(n).padStart(8, '0');
      const of = { webhook_id: webhookId, account_id: account, created_at: Date.now() };
      return newDelivery({ id: `whd_${id}`, event_id: `evt_${id}`, body, ...of });
    });
    await putInOutbox(db, ...batch);
  }
}

/** Time until every event has arrived. */
async function catchUp(part: string, endpoints: number, delayMs: number, events: number): Promise<Figures> {
  const { db, url } = await newDatabase();
  const arrived = Promise.withResolvers<void>();
  let count = 0;
  let firstAt = 0;
  const note = (): void => {
    if (count++ === 0) firstAt = performance.now();
    if (count === events) arrived.resolve();
  };
  const servers = await Promise.all(Array.from({ length: endpoints }, async () => endpoint(delayMs, note)));
  const hosts = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
  const ids = hosts.map((_, n) => `whk_${n}`);
  for (const [n, host] of hosts.entries()) await webhook(db, ids[n] ?? '', `http://${host}/`);
  await fill(db, ids, events);
  const sender = startChild(SENDER, [url, '127.0.0.0/8', String(LEASE_MS)]);
  await sender.line('ready');
  const pid = sender.process.pid ?? 0;
  const before = cpuMs(pid);
  await arrived.promise;
  const seconds = (performance.now() - firstAt) / 1_000;
  const cpuMsPerEvent = (cpuMs(pid) - before) / events;
  sender.process.kill('SIGKILL');
  await sender.ended;
  for (const server of servers) server.close();
  await db.close();
  return {
    part,
    endpoints,
    delayMs,
    events,
    perSecond: events / seconds,
    cpuMsPerEvent,
    sentTwice: count - events,
  };
}

/** Time of a change that writes an event, while deliveries wait for an endpoint that refuses connections. */
async function costOfPending(pending: number): Promise<Figures> {
  const { db, url } = await newDatabase();
  const closed = await endpoint(0, () => {});
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  await webhook(db, 'whk_dead', `http://127.0.0.1:${port}/`);
  await fill(db, ['whk_dead'], pending);
  const sender = startChild(SENDER, [url, '127.0.0.0/8', String(LEASE_MS)]);
  await sender.line('ready');
  await sleep(2_000);
  const before = cpuMs(sender.process.pid ?? 0);
  const startedAt = performance.now();
  const times: number[] = [];
  for (let n = 0; n < CHANGES; n++) {
    const id = `z${String(n).padStart(8, '0')}`;
    const at = performance.now();
    await putInOutbox(
      db,
      newDelivery({
        id: `whd_${id}`,
        event_id: `evt_${id}`,
        body,
        webhook_id: 'whk_dead',
        account_id: `ca_${id}`,
      }),
    );
    times.push(performance.now() - at);
    await sleep(10);
  }
  const senderCpuShare = (cpuMs(sender.process.pid ?? 0) - before) / (performance.now() - startedAt);
  sender.process.kill('SIGKILL');
  await sender.ended;
  await db.close();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { part: 'change of an account', pending, p50Ms: at(0.5), p95Ms: at(0.95), senderCpuShare };
}

try {
  const parts = [
    await catchUp('catch-up, eight endpoints', 8, 0, EVENTS),
    await catchUp('catch-up, one endpoint', 1, 0, Math.ceil(EVENTS / 3)),
    await catchUp('an endpoint that takes 100 ms', 1, 100, Math.ceil(EVENTS / 10)),
    await costOfPending(0),
    await costOfPending(PENDING),
  ];
  const round = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  const document = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    database: values.database,
    parts,
  };
  const text = JSON.stringify(document, round, 2);
  process.stdout.write(`${text}\n`);
  writeFileSync(new URL('results/webhooks.json', import.meta.url), `${text}\n`);
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}
