/** Sending events from several processes, some of which are killed: at least once, and once where nobody dies. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/store/engine/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { newDelivery, outbox, putInOutbox, withEnvironments } from '../interceptors/support.ts';
import { startChild, type TestChild } from '../support/child.ts';
import { forEachDatabaseInFull } from '../support/databases.ts';
import { startFaultServer, type FaultServer } from '../support/fault-server.ts';
import { ROUNDS } from '../support/rounds.ts';
import { rows } from '../../src/store/engine/rows.ts';

const SENDER = join(import.meta.dirname, 'children/webhook-sender.ts');

forEachDatabaseInFull((_name, _open, newUrl) => {
  let url: string;
  let db: Database;
  let endpoint: FaultServer;
  let children: TestChild[];

  beforeEach(async () => {
    url = await newUrl();
    db = await withEnvironments(await openDatabase({ url }));
    endpoint = await startFaultServer();
    children = [];
  });
  afterEach(async () => {
    for (const child of children) await kill(child);
    await endpoint.close();
    await db.close();
  });

  const sender = async (leaseMs: number): Promise<TestChild> => {
    const child = startChild(SENDER, [url, `127.0.0.1:${endpoint.port}`, String(leaseMs)]);
    children.push(child);
    await child.line('ready');
    return child;
  };
  const kill = async (child: TestChild): Promise<void> => {
    child.process.kill('SIGKILL');
    await child.ended;
  };
  const webhook = async (id: string): Promise<string> => {
    await db.transaction(async (tx) =>
      rows(tx, 'webhooks').insert({
        id,
        environment_id: 'env_1',
        name: id,
        url: `${endpoint.origin}/${id}`,
        events: '[]',
        enabled: 1,
        managed_by: 'operator',
        created_at: 1,
        updated_at: 1,
      }),
    );
    return id;
  };
  const events = async (webhookId: string, count: number): Promise<string[]> => {
    const rows = Array.from({ length: count }, (_, n) => {
      const eventId = `evt_${webhookId}_${n}`;
      return newDelivery({
        id: `whd_${webhookId}_${n}`,
        event_id: eventId,
        webhook_id: webhookId,
        account_id: `ca_${n % 4}`,
        created_at: n,
      });
    });
    await putInOutbox(db, ...rows);
    return rows.map((row) => row.event_id);
  };
  const received = (): string[] => endpoint.requests.map(({ headers }) => String(headers['webhook-id']));
  const untilDelivered = async (): Promise<void> => {
    const isOver = async () => (await outbox(db)).every(({ status }) => status === 'delivered');
    await expect.poll(isOver).toBe(true);
  };

  it('sends a webhook event again after kill -9 between request and answer', async () => {
    endpoint.queue({ hang: true });
    await events(await webhook('whk_1'), 1);
    const first = await sender(1_000);
    await expect.poll(() => endpoint.requests.length).toBe(1);
    await kill(first);
    expect(await outbox(db)).toEqual([expect.objectContaining({ status: 'pending', attempts: 1 })]);
    await sender(1_000);
    await untilDelivered();
    expect(endpoint.requests).toHaveLength(2);
    const [one, other] = endpoint.requests;
    expect([one?.headers['webhook-id'], one?.body]).toEqual([other?.headers['webhook-id'], other?.body]);
    expect(await outbox(db)).toEqual([expect.objectContaining({ status: 'delivered', attempts: 1 })]);
  });

  it('loses no webhook event, whenever a sender is killed', async () => {
    endpoint.always({ delayMs: 10 });
    const sent = [
      ...(await events(await webhook('whk_1'), 20)),
      ...(await events(await webhook('whk_2'), 20)),
    ];
    for (let round = 0; round < Math.ceil(ROUNDS.killRounds / 5); round++) {
      const child = await sender(200);
      await sleep(Math.random() * 200);
      await kill(child);
    }
    await sender(200);
    await untilDelivered();
    expect([...new Set(received())].toSorted()).toEqual(sent.toSorted());
  });

  it('makes each webhook attempt in one of two processes, and keeps the order of each account per webhook', async () => {
    const [one, other] = [await webhook('whk_1'), await webhook('whk_2')];
    await Promise.all([sender(20_000), sender(20_000)]);
    const sent = [...(await events(one, 20)), ...(await events(other, 20))];
    await untilDelivered();
    expect(received().toSorted()).toEqual(sent.toSorted());
    for (const id of [one, other]) {
      for (const account of [0, 1, 2, 3]) {
        const isOwn = (event: string): boolean =>
          event.startsWith(`evt_${id}`) && Number(event.split('_').at(-1)) % 4 === account;
        expect(received().filter(isOwn)).toEqual(sent.filter(isOwn));
      }
    }
  });
});
