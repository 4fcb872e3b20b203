/** When and how often events are sent, with a clock that moves only when the test says, and endpoints that do as the test says. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog, type LogFields } from '../../src/core/log.ts';
import type { PostOutcome, SignedPost } from '../../src/signed-sender/signed-sender.ts';
import { WebhookDeliverer } from '../../src/webhooks/webhook-deliverer.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import type { WebhookDelivery } from '../../src/store/tables/webhook-tables.ts';
import { markOutbox, signallingOutbox } from '../../src/store/engine/outbox-signal.ts';
import { forEachDatabase } from '../support/databases.ts';
import type { FixedClock } from '../support/fixed-clock.ts';
import {
  admin,
  ALL_EVENTS,
  newDelivery,
  outbox,
  putInOutbox,
  webhookServices,
} from '../interceptors/support.ts';

const delivered: PostOutcome = {
  sent: {},
  isDelivered: true,
  status: 200,
  body: Buffer.alloc(0),
  contentType: null,
  failure: null,
  kind: null,
};
const refused: PostOutcome = {
  ...delivered,
  isDelivered: false,
  status: 500,
  failure: 'The endpoint answered 500.',
  kind: 'status',
};
const cut: PostOutcome = { ...refused, status: null, failure: 'The call was canceled.', kind: 'aborted' };

type Services = Awaited<ReturnType<typeof webhookServices>>;

let services: Services;
let db: Database;
let clock: FixedClock;
let posts: SignedPost[];
let answer: (post: SignedPost) => PostOutcome | Promise<PostOutcome>;
let warnings: [string, LogFields | undefined][];
let infos: typeof warnings;
let running: WebhookDeliverer[];

beforeEach(async () => {
  services = await webhookServices();
  ({ db, clock } = services);
  posts = [];
  warnings = [];
  infos = [];
  running = [];
  answer = () => delivered;
});
afterEach(async () => {
  for (const deliverer of running) await deliverer.stop();
  await db.close();
});

function newDeliverer(of: Pick<Services, 'db' | 'clock'> = services, stopGraceMs = 0): WebhookDeliverer {
  const note = (event: string, fields?: LogFields): void => void warnings.push([event, fields]);
  const deliverer = new WebhookDeliverer({
    db: of.db,
    clock: of.clock,
    log: { ...silentLog, warn: note, info: (event, fields) => void infos.push([event, fields]) },
    sender: {
      post: async (post) => {
        posts.push(post);
        return answer(post);
      },
    },
    environmentIds: () => ['env_1', 'env_2'],
    giveUpAfterMs: 3 * 24 * 3_600_000,
    times: { stopGraceMs },
  });
  running.push(deliverer);
  return deliverer;
}

async function started(): Promise<WebhookDeliverer> {
  const deliverer = newDeliverer();
  deliverer.start();
  await deliverer.settled();
  return deliverer;
}

async function after(deliverer: WebhookDeliverer, ms: number): Promise<void> {
  clock.advance(ms);
  deliverer.wake();
  await deliverer.settled();
}

async function webhook(name = 'ops', url = `https://${name}.example.test/hook`): Promise<string> {
  return (await services.webhooks.create(admin, { name, url, events: ALL_EVENTS })).id;
}

/** Endpoints that answer one request when the test says, the first one first. */
function heldEndpoints(): { release: (url: string, outcome?: PostOutcome) => void } {
  const waiting: [url: string, resolve: (outcome: PostOutcome) => void][] = [];
  answer = ({ url }) => new Promise((resolve) => waiting.push([url, resolve]));
  return {
    release: (url, outcome = delivered) => {
      const next = waiting.findIndex(([other]) => other === url);
      for (const [, resolve] of waiting.splice(next, next === -1 ? 0 : 1)) resolve(outcome);
    },
  };
}

/** A delivery to each of many accounts, in their order. */
function manyAccounts(count: number, webhookId: string): WebhookDelivery[] {
  return Array.from({ length: count }, (_, n) =>
    newDelivery({
      id: `whd_${1000 + n}`,
      event_id: `evt_${1000 + n}`,
      webhook_id: webhookId,
      account_id: `ca_${n}`,
    }),
  );
}

const urls = () => posts.map(({ url }) => url);

describe('webhook delivery of an event', () => {
  it('sends the event at once, signed for webhooks, and counts a success as delivered', async () => {
    await putInOutbox(db, newDelivery({ webhook_id: await webhook() }));
    await started();
    expect(posts).toEqual([
      {
        environmentId: 'env_1',
        url: 'https://ops.example.test/hook',
        id: 'evt_1',
        body: '{"id":"evt_1"}',
        families: ['webhook'],
        timeoutMs: 10_000,
        signal: expect.any(AbortSignal),
      },
    ]);
    expect(await outbox(db)).toEqual([
      expect.objectContaining({
        status: 'delivered',
        attempts: 1,
        last_status: 200,
        last_failure: null,
        finished_at: clock.now(),
        taken_until: null,
      }),
    ]);
    expect(warnings).toEqual([]);
  });

  it('sends an event seven times in an hour and a half, then every hour until its third day is over', async () => {
    answer = () => refused;
    await putInOutbox(
      db,
      newDelivery({ webhook_id: await webhook('ops', 'https://ops.example.test/t0ken') }),
    );
    const deliverer = await started();
    const waits = [5_000, 30_000, 120_000, 300_000, 900_000, 3_600_000];
    for (const [index, wait] of waits.entries()) {
      await after(deliverer, wait - 1);
      expect(posts).toHaveLength(index + 1);
      await after(deliverer, 1);
      expect(posts).toHaveLength(index + 2);
    }
    const hours = Math.floor((3 * 24 * 3_600_000 - waits.reduce((a, b) => a + b)) / 3_600_000);
    for (let hour = 1; hour <= hours; hour++) {
      await after(deliverer, 3_599_999);
      expect(posts).toHaveLength(6 + hour);
      await after(deliverer, 1);
      expect([posts.length, (await outbox(db))[0]?.status]).toEqual([
        7 + hour,
        hour < hours ? 'pending' : 'failed',
      ]);
    }
    await after(deliverer, 24 * 3_600_000);
    expect(posts).toHaveLength(77);
    expect(new Set(posts.map(({ id, body }) => id + body)).size).toBe(1);
    expect(await outbox(db)).toEqual([
      expect.objectContaining({
        status: 'failed',
        attempts: 77,
        next_attempt_at: null,
        last_status: 500,
        last_failure: 'The endpoint answered 500.',
      }),
    ]);
    expect(warnings).toEqual([
      ['webhook_endpoint_paused', { environment_id: 'env_1', host: 'ops.example.test' }],
      [
        'webhook_delivery_failed',
        {
          environment_id: 'env_1',
          host: 'ops.example.test',
          count: 77,
          message: 'The endpoint answered 500.',
        },
      ],
    ]);
  });

  it('delivers the event by a later attempt', async () => {
    answer = () => (posts.length < 3 ? refused : delivered);
    await putInOutbox(db, newDelivery({ webhook_id: await webhook() }));
    const deliverer = await started();
    await after(deliverer, 5_000);
    await after(deliverer, 30_000);
    await after(deliverer, 3_600_000);
    expect(posts).toHaveLength(3);
    expect(await outbox(db)).toEqual([
      expect.objectContaining({ status: 'delivered', attempts: 3, last_failure: null }),
    ]);
  });

  it('sends the event to the address that the webhook has at that time', async () => {
    answer = () => refused;
    const id = await webhook();
    await putInOutbox(db, newDelivery({ webhook_id: id }));
    const deliverer = await started();
    await services.webhooks.update(admin, id, { url: 'https://moved.example.test/hook' });
    await after(deliverer, 5_000);
    expect(urls()).toEqual(['https://ops.example.test/hook', 'https://moved.example.test/hook']);
  });

  it('holds the event back while its webhook is disabled', async () => {
    const id = await webhook();
    await services.webhooks.update(admin, id, { enabled: false });
    await putInOutbox(db, newDelivery({ webhook_id: id }));
    const deliverer = await started();
    expect(posts).toEqual([]);
    await services.webhooks.update(admin, id, { enabled: true });
    await after(deliverer, 0);
    expect(posts).toHaveLength(1);
  });

  it('ends the delivery with its webhook, whether it waits or is under way', async () => {
    const endpoints = heldEndpoints();
    const id = await webhook();
    await putInOutbox(
      db,
      newDelivery({ webhook_id: id, account_id: 'ca_1' }),
      newDelivery({ id: 'whd_2', event_id: 'evt_2', webhook_id: id, account_id: 'ca_1' }),
    );
    const deliverer = newDeliverer();
    deliverer.start();
    await expect.poll(() => posts.length).toBe(1);
    await services.webhooks.remove(admin, id);
    endpoints.release('https://ops.example.test/hook', refused);
    await deliverer.settled();
    await after(deliverer, 3_600_000);
    expect(posts).toHaveLength(1);
    expect(await outbox(db)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('sends the event by the commit that writes it, without polling', async () => {
    const id = await webhook();
    const deliverer = await started();
    const told = signallingOutbox(db, () => deliverer.wake());
    await told.transaction(async (tx) => {
      await tx
        .insertInto('webhook_deliveries')
        .values(newDelivery({ webhook_id: id }))
        .execute();
      markOutbox(tx);
    });
    await deliverer.settled();
    expect(posts).toHaveLength(1);
  });
});

describe('webhook deliveries of several events', () => {
  it('sends events of one account to a webhook one after the other, in their order', async () => {
    const endpoints = heldEndpoints();
    const id = await webhook();
    const noon = clock.now();
    const of = { webhook_id: id, account_id: 'ca_1' };
    await putInOutbox(
      db,
      newDelivery({ id: 'whd_b', event_id: 'evt_2', ...of, created_at: noon }),
      newDelivery({ id: 'whd_c', event_id: 'evt_3', ...of, created_at: noon }),
      newDelivery({ id: 'whd_z', event_id: 'evt_1', ...of, created_at: noon - 1 }),
    );
    const deliverer = newDeliverer();
    deliverer.start();
    for (const sent of [1, 2, 3]) {
      await expect.poll(() => posts.length).toBe(sent);
      endpoints.release('https://ops.example.test/hook');
    }
    await deliverer.settled();
    expect(posts.map(({ id: eventId }) => eventId)).toEqual(['evt_1', 'evt_2', 'evt_3']);
  });

  it('sends events of other accounts while one waits for its next attempt, those of its account after it', async () => {
    answer = ({ id }) => (id === 'evt_1' && posts.length < 4 ? refused : delivered);
    const id = await webhook();
    await putInOutbox(
      db,
      ...['ca_1', 'ca_1', 'ca_2'].map((account_id, n) =>
        newDelivery({ id: `whd_${n + 1}`, event_id: `evt_${n + 1}`, webhook_id: id, account_id }),
      ),
    );
    const deliverer = await started();
    const statuses = async () => (await outbox(db)).map(({ status }) => status);
    expect(await statuses()).toEqual(['pending', 'pending', 'delivered']);
    await after(deliverer, 5_000);
    expect(await statuses()).toEqual(['pending', 'pending', 'delivered']);
    await after(deliverer, 30_000);
    expect(await statuses()).toEqual(['delivered', 'delivered', 'delivered']);
    expect(posts.map((post) => post.id)).toEqual(['evt_1', 'evt_3', 'evt_1', 'evt_1', 'evt_2']);
  });

  it('sends events of eight accounts at a time to one webhook, and another as soon as one is accepted', async () => {
    const endpoints = heldEndpoints();
    const id = await webhook();
    await putInOutbox(db, ...manyAccounts(20, id));
    const deliverer = newDeliverer();
    deliverer.start();
    for (let accepted = 0; accepted < 20; accepted++) {
      await expect.poll(() => posts.length).toBe(Math.min(accepted + 8, 20));
      endpoints.release('https://ops.example.test/hook');
    }
    await deliverer.settled();
    expect(new Set(posts.map((post) => post.id)).size).toBe(20);
  });

  it('finds the event of another account at once behind hundreds of events of one account', async () => {
    const endpoints = heldEndpoints();
    const id = await webhook();
    await putInOutbox(
      db,
      ...manyAccounts(300, id).map((row) => ({ ...row, account_id: 'ca_busy' })),
      newDelivery({ id: 'whd_z', event_id: 'evt_z', webhook_id: id, account_id: 'ca_z' }),
    );
    const deliverer = newDeliverer();
    deliverer.start();
    await expect.poll(() => posts.map((post) => post.id)).toEqual(['evt_1000', 'evt_z']);
    answer = () => delivered;
    for (const _ of [1, 2]) endpoints.release('https://ops.example.test/hook');
    await deliverer.settled();
    const ofBusy = posts.map((post) => post.id).filter((event) => event !== 'evt_z');
    expect(ofBusy).toEqual(ofBusy.toSorted());
    expect(ofBusy).toHaveLength(300);
  });

  it('reaches other webhooks while one endpoint hangs', async () => {
    const endpoints = heldEndpoints();
    const held = answer;
    answer = (post) => (post.url.includes('slow') ? held(post) : delivered);
    const slow = await webhook('slow');
    const quick = await webhook('quick');
    await putInOutbox(
      db,
      ...manyAccounts(20, slow).map((row) => ({ ...row, id: `${row.id}_slow` })),
      ...manyAccounts(20, quick),
    );
    const deliverer = newDeliverer();
    deliverer.start();
    await expect
      .poll(async () => (await outbox(db)).filter(({ status }) => status === 'delivered').length)
      .toBe(20);
    expect(urls().filter((url) => url.includes('slow'))).toHaveLength(8);
    answer = () => delivered;
    for (let n = 0; n < 8; n++) endpoints.release('https://slow.example.test/hook');
    await deliverer.settled();
    expect(posts).toHaveLength(40);
  });

  it('makes at most 256 attempts at once, and gives every webhook its turn', async () => {
    let open = 0;
    let most = 0;
    const endpoints: (() => void)[] = [];
    answer = async () => {
      most = Math.max(most, ++open);
      await new Promise<void>((resolve) => endpoints.push(resolve));
      open--;
      return delivered;
    };
    for (let n = 0; n < 40; n++) {
      const id = await webhook(`w${n}`);
      await putInOutbox(db, ...manyAccounts(8, id).map((row) => ({ ...row, id: `${row.id}_${n}` })));
    }
    const deliverer = newDeliverer();
    deliverer.start();
    await expect.poll(() => open).toBe(256);
    for (const free of endpoints.splice(0, 64)) free();
    await expect.poll(() => open).toBe(256);
    expect(new Set(urls()).size).toBe(40);
    for (const free of endpoints.splice(0)) free();
    await deliverer.settled();
    expect([most, posts.length]).toEqual([256, 320]);
  });
});

describe('webhook endpoint that accepts nothing', () => {
  const host = { environment_id: 'env_1', host: 'ops.example.test' };

  it('gets five attempts, then single ones after longer and longer pauses, at most a minute', async () => {
    answer = () => refused;
    const id = await webhook();
    await putInOutbox(db, ...manyAccounts(100, id));
    const deliverer = await started();
    expect(posts).toHaveLength(8);
    expect(warnings).toEqual([['webhook_endpoint_paused', host]]);
    let seen = 8;
    for (const pause of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      await after(deliverer, pause - 1);
      expect(posts).toHaveLength(seen);
      await after(deliverer, 1);
      expect(posts).toHaveLength(++seen);
    }
    expect(warnings).toHaveLength(1);
  });

  it('gets everything at once when it accepts an event again, those that failed meanwhile included', async () => {
    answer = () => refused;
    const id = await webhook();
    await putInOutbox(db, ...manyAccounts(100, id));
    const deliverer = await started();
    for (const pause of [5_000, 10_000, 20_000]) await after(deliverer, pause);
    answer = () => delivered;
    await after(deliverer, 40_000);
    expect((await outbox(db)).every(({ status }) => status === 'delivered')).toBe(true);
    expect(posts).toHaveLength(8 + 3 + 100);
    expect(infos).toEqual([['webhook_endpoint_recovered', host]]);
  });

  it('gets an event at once at another address', async () => {
    answer = ({ url }) => (url.includes('moved') ? delivered : refused);
    const id = await webhook();
    await putInOutbox(db, ...manyAccounts(20, id));
    const deliverer = await started();
    await services.webhooks.update(admin, id, { url: 'https://moved.example.test/hook' });
    await after(deliverer, 0);
    expect(urls().filter((url) => url.includes('moved'))).toHaveLength(12);
  });

  it('delays no other webhook, however many of them hang', async () => {
    const endpoints = heldEndpoints();
    const held = answer;
    answer = (post) => (post.url.includes('dead') ? held(post) : delivered);
    for (let n = 0; n < 31; n++) await putInOutbox(db, ...manyAccounts(8, await dead(n)).map(withIdOf(n)));
    const alive = await webhook('alive');
    const deliverer = newDeliverer();
    deliverer.start();
    await expect.poll(() => posts.length).toBe(248);
    for (let n = 0; n < 31; n++)
      for (let i = 0; i < 8; i++) endpoints.release(`https://dead${n}.example.test/hook`, refused);
    await deliverer.settled();
    clock.advance(5_000);
    deliverer.wake();
    await expect.poll(() => posts.length).toBe(248 + 31);
    await putInOutbox(db, ...manyAccounts(200, alive));
    deliverer.wake();
    await expect.poll(() => urls().filter((url) => url.includes('alive')).length).toBe(200);
    for (let n = 0; n < 31; n++) endpoints.release(`https://dead${n}.example.test/hook`, refused);
    await deliverer.settled();
  });

  it('gets an attempt when the clock is set back, so that no pause lasts longer than its time', async () => {
    answer = () => refused;
    const id = await webhook();
    await putInOutbox(db, ...manyAccounts(20, id));
    const deliverer = await started();
    await after(deliverer, -3_600_000);
    expect(posts).toHaveLength(9);
  });

  it('gets events that waited for an attempt when the clock is set back by hours', async () => {
    answer = () => refused;
    const id = await webhook();
    const [one, other] = [newDelivery({ webhook_id: id }), newDelivery({ webhook_id: id, id: 'whd_2' })];
    const dead = { ...other, account_id: 'ca_2', attempts: 1, taken_until: clock.now() + 20_000 };
    await putInOutbox(db, one, dead);
    const deliverer = await started();
    expect(posts).toHaveLength(1);
    answer = () => delivered;
    await after(deliverer, -3 * 3_600_000);
    expect((await outbox(db)).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });

  it('ends deliveries that are too old without an attempt, and says how many', async () => {
    answer = () => refused;
    const id = await webhook();
    await putInOutbox(db, ...manyAccounts(700, id));
    const deliverer = await started();
    await after(deliverer, 3 * 24 * 3_600_000 + 1);
    const rows = await outbox(db);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['failed']));
    expect(rows.filter(({ attempts }) => attempts === 0)).toHaveLength(691);
    expect(rows.at(-1)).toMatchObject({
      last_status: null,
      last_failure: 'The endpoint accepted no events until it was too late for this one.',
      finished_at: clock.now(),
    });
    const givenUp = warnings.filter(([event]) => event === 'webhook_deliveries_given_up');
    expect(givenUp.map(([, fields]) => fields)).toEqual([
      { ...host, count: 500 },
      { ...host, count: 199 },
    ]);
  });

  const dead = async (n: number): Promise<string> => webhook(`dead${n}`);
  const withIdOf = (n: number) => (row: WebhookDelivery) => ({ ...row, id: `${row.id}_${n}` });
});

describe('webhook delivery after a process died', () => {
  it('repeats the attempt of the dead process when its time is over', async () => {
    const id = await webhook();
    const takenUntil = clock.now() + 20_000;
    await putInOutbox(db, newDelivery({ webhook_id: id, attempts: 1, taken_until: takenUntil }));
    const deliverer = await started();
    await after(deliverer, 19_999);
    expect(posts).toEqual([]);
    await after(deliverer, 1);
    expect(posts).toHaveLength(1);
    expect(await outbox(db)).toEqual([expect.objectContaining({ status: 'delivered', attempts: 1 })]);
  });

  it('counts answers and failures only, not the attempt of the dead process', async () => {
    answer = () => refused;
    const id = await webhook();
    await putInOutbox(db, newDelivery({ webhook_id: id, attempts: 7, taken_until: clock.now() }));
    await started();
    expect(posts).toHaveLength(1);
    expect(await outbox(db)).toEqual([expect.objectContaining({ status: 'pending', attempts: 7 })]);
  });
});

describe('webhook deliverer: stop', () => {
  it('waits for an attempt under way and begins no other', async () => {
    const endpoints = heldEndpoints();
    const id = await webhook();
    const of = { webhook_id: id, account_id: 'ca_1' };
    await putInOutbox(db, newDelivery(of), newDelivery({ id: 'whd_2', ...of }));
    const deliverer = newDeliverer(services, 60_000);
    deliverer.start();
    await expect.poll(() => posts.length).toBe(1);
    const stopped = deliverer.stop();
    endpoints.release('https://ops.example.test/hook');
    await stopped;
    deliverer.wake();
    deliverer.start();
    await deliverer.settled();
    expect((await outbox(db)).map(({ status }) => status)).toEqual(['delivered', 'pending']);
    expect(posts).toHaveLength(1);
  });

  it('cuts a hanging attempt short and leaves it to the next process', async () => {
    const id = await webhook();
    await putInOutbox(db, newDelivery({ webhook_id: id, attempts: 2 }));
    answer = ({ signal }) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve(cut)));
    const deliverer = newDeliverer();
    deliverer.start();
    await expect.poll(() => posts.length).toBe(1);
    await deliverer.stop();
    expect(await outbox(db)).toEqual([
      expect.objectContaining({ status: 'pending', attempts: 2, next_attempt_at: 0, taken_until: null }),
    ]);
    answer = () => delivered;
    await started();
    expect(await outbox(db)).toEqual([expect.objectContaining({ status: 'delivered', attempts: 3 })]);
  });

  it('stops at once where nothing has been started', async () => {
    await putInOutbox(db, newDelivery({ webhook_id: await webhook() }));
    await newDeliverer().stop();
    expect(posts).toEqual([]);
    expect(await outbox(db)).toMatchObject([{ status: 'pending', attempts: 0 }]);
  });
});

describe('webhook deliverer: failures of our own', () => {
  it('logs a database failure once and recovers from it', async () => {
    await putInOutbox(db, newDelivery({ webhook_id: await webhook() }));
    let isDown = true;
    const failing: Database = {
      dialect: db.dialect,
      read: db.read,
      longRead: db.longRead,
      version: () => db.version(),
      close: async () => {},
      transaction: async (work) => {
        if (isDown) throw new Error('the database is busy');
        return db.transaction(work);
      },
    };
    const deliverer = newDeliverer({ db: failing, clock });
    deliverer.start();
    await deliverer.settled();
    deliverer.wake();
    await deliverer.settled();
    expect(warnings.map(([event]) => event)).toEqual(['webhook_outbox_unreadable']);
    isDown = false;
    deliverer.wake();
    await deliverer.settled();
    expect(posts).toHaveLength(1);
  });

  it('counts a failure within an attempt as a failed attempt', async () => {
    await putInOutbox(db, newDelivery({ webhook_id: await webhook() }));
    answer = () => {
      if (posts.length === 1) throw new Error('a defect');
      return delivered;
    };
    const deliverer = await started();
    expect(warnings.map(([event]) => event)).toEqual(['webhook_attempt_broken']);
    expect(await outbox(db)).toEqual([
      expect.objectContaining({
        status: 'pending',
        last_failure: 'Gatehouse could not make the attempt. Its log says why.',
      }),
    ]);
    await after(deliverer, 5_000);
    expect((await outbox(db)).map(({ status }) => status)).toEqual(['delivered']);
  });

  it('leaves the event to another attempt when its outcome cannot be stored', async () => {
    await putInOutbox(db, newDelivery({ webhook_id: await webhook() }));
    let transactions = 0;
    const failing: Database = {
      dialect: db.dialect,
      read: db.read,
      longRead: db.longRead,
      version: () => db.version(),
      close: async () => {},
      transaction: async (work) => {
        if (++transactions === 2) throw new Error('the disk is full');
        return db.transaction(work);
      },
    };
    const deliverer = newDeliverer({ db: failing, clock });
    deliverer.start();
    await deliverer.settled();
    expect(warnings.map(([event]) => event)).toEqual(['webhook_outcome_lost']);
    await after(deliverer, 20_000);
    expect(posts).toHaveLength(2);
    expect((await outbox(db)).map(({ status }) => status)).toEqual(['delivered']);
  });
});

forEachDatabase((_name, _open, newUrl) => {
  it('makes each attempt once, however many processes look at the same moment', async () => {
    const url = await newUrl();
    const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ url })));
    const [own, ...others] = databases;
    try {
      const shared = await webhookServices({ db: own! });
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c']) {
        const input = { name, url: `https://${name}.example.test/`, events: ALL_EVENTS };
        ids.push((await shared.webhooks.create(admin, input)).id);
      }
      const rows = Array.from({ length: 30 }, (_, n) =>
        newDelivery({ id: `whd_${n}`, event_id: `evt_${n}`, webhook_id: ids[n % 3] ?? '' }),
      );
      await putInOutbox(own!, ...rows);
      const processes = databases.map((each) => newDeliverer({ db: each, clock }));
      for (const each of processes) each.start();
      const isOver = async () => (await outbox(own!)).every(({ status }) => status === 'delivered');
      await expect.poll(isOver).toBe(true);
      for (const each of processes) await each.stop();
      expect(posts.map(({ id }) => id).toSorted()).toEqual(rows.map((row) => row.event_id).toSorted());
      expect((await outbox(own!)).every(({ attempts }) => attempts === 1)).toBe(true);
      expect(warnings).toEqual([]);
    } finally {
      for (const each of [own!, ...others]) await each.close();
    }
  });
});
