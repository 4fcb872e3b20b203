/** Webhooks over REST with the real rules behind them; every answer is checked against /openapi.json. */
import { beforeEach, expect, it } from 'vitest';
import { newDelivery, putInOutbox, webhookServices } from '../../interceptors/support.ts';
import { development, json, restApi, type RestApi } from '../rest-api.ts';
import { answerProblems, openApi } from '../openapi-document.ts';

const document = await openApi();

let services: Awaited<ReturnType<typeof webhookServices>>;
let api: RestApi;
beforeEach(async () => {
  services = await webhookServices();
  const { webhooks, deliveryLog, signingSecrets } = services;
  api = await restApi({ webhooks, deliveryLog, signingSecrets });
});

/** @param template the path as it is documented */
async function call(template: string, path = template, init: RequestInit = {}) {
  const response = await api.request(path, init, { environment: { ...development, id: 'env_1' } });
  const body = (await response.json()) as Record<string, unknown>;
  const { status, headers } = response;
  const answer = { method: init.method ?? 'GET', path: template, status, body };
  expect(answerProblems(document, answer)).toEqual([]);
  expect(headers.get('cache-control')).toBe('no-store');
  return { status, body };
}

const input = {
  name: 'ops',
  url: 'https://hooks.example.test/accounts',
  events: ['connected_account.created'],
};

async function created(): Promise<string> {
  const { status, body } = await call('/api/v1/webhooks', undefined, json('POST', input));
  expect(status).toBe(201);
  return (body.webhook as { id: string }).id;
}

it('creates, shows, changes and deletes a webhook', async () => {
  const id = await created();
  const one = '/api/v1/webhooks/{id}';
  const view = {
    id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
    ...input,
    enabled: true,
    managed_by_file: false,
    created_at: '2026-11-20T12:00:00.000Z',
    updated_at: '2026-11-20T12:00:00.000Z',
  };
  expect((await call(one, `/api/v1/webhooks/${id}`)).body).toEqual({ webhook: view });
  expect((await call('/api/v1/webhooks')).body).toEqual({
    webhooks: [view],
    next_page_token: '',
    prev_page_token: '',
    total_size: 1,
  });
  const changed = await call(one, `/api/v1/webhooks/${id}`, json('PATCH', { enabled: false }));
  expect(changed.body).toEqual({ webhook: { ...view, enabled: false } });
  const again = await call('/api/v1/webhooks', undefined, json('POST', input));
  expect([again.status, again.body.code]).toEqual([409, 6]);
  expect(await call(one, `/api/v1/webhooks/${id}`, { method: 'DELETE' })).toEqual({ status: 200, body: {} });
  expect((await call(one, `/api/v1/webhooks/${id}`)).status).toBe(404);
});

it('refuses a webhook with every violation at once', async () => {
  const shape = await call(
    '/api/v1/webhooks',
    undefined,
    json('POST', { name: '', events: ['x'], secret: 's' }),
  );
  expect(shape.body).toMatchObject({
    details: [
      {
        field_violations: [
          { field: 'name', constraint: 'min_length' },
          { field: 'url', constraint: 'required' },
          { field: 'events.0', constraint: 'enum' },
          { field: 'secret', constraint: 'unknown' },
        ],
      },
    ],
  });
  const address = { ...input, url: 'http://a:b@10.0.0.1/' };
  const rules = await call('/api/v1/webhooks', undefined, json('POST', address));
  expect(rules).toMatchObject({
    status: 400,
    body: { details: [{ field_violations: [{ field: 'url' }, { field: 'url' }] }] },
  });
});

it('lists webhook deliveries and sends them again', async () => {
  const id = await created();
  const { db, clock } = services;
  const failed = { status: 'failed', attempts: 7, next_attempt_at: null, finished_at: clock.now() } as const;
  clock.advance(1_000);
  await putInOutbox(db, newDelivery({ webhook_id: id, ...failed, last_status: 500, last_failure: 'no' }));
  const again = await call(
    '/api/v1/webhooks/deliveries/{id}:redeliver',
    '/api/v1/webhooks/deliveries/whd_1:redeliver',
    { method: 'POST' },
  );
  expect(again).toMatchObject({
    status: 200,
    body: { delivery: { webhook_id: id, event_id: 'evt_1', status: 'pending', attempts: 0 } },
  });
  const log = '/api/v1/webhooks/{id}/deliveries';
  const path = `/api/v1/webhooks/${id}/deliveries`;
  expect((await call(log, path)).body).toMatchObject({
    deliveries: [{ status: 'pending' }, { id: 'whd_1', status: 'failed', last_status: 500 }],
    total_size: 2,
  });
  expect((await call(log, `${path}?status=failed`)).body).toMatchObject({
    deliveries: [{ id: 'whd_1' }],
    total_size: 1,
  });
  expect((await call(log, `${path}?status=lost`)).status).toBe(400);
  expect((await call(log, '/api/v1/webhooks/whk_9/deliveries')).status).toBe(404);
});

it('sends many webhook deliveries again', async () => {
  const id = await created();
  const failed = { status: 'failed', attempts: 7, next_attempt_at: null, finished_at: 1 } as const;
  const noon = services.clock.now();
  const rows = [0, 1, 2].map((n) =>
    newDelivery({ id: `whd_${n}`, event_id: `evt_${n}`, webhook_id: id, ...failed, created_at: noon + n }),
  );
  await putInOutbox(services.db, ...rows);
  services.clock.advance(60_000);
  const template = '/api/v1/webhooks/{id}:redeliver';
  const redeliver = async (of: string, body: object) =>
    call(template, `/api/v1/webhooks/${of}:redeliver`, json('POST', body));
  const range = { from: '2026-11-20T12:00:00.001Z', to: '2026-11-20T13:00:00.002+01:00', status: 'failed' };
  expect(await redeliver(id, range)).toEqual({ status: 200, body: { redelivered: 1 } });
  expect(await redeliver(id, {})).toEqual({ status: 200, body: { redelivered: 3 } });
  expect((await redeliver('whk_9', {})).status).toBe(404);
  const wrong = await redeliver(id, { from: 'yesterday', status: 'lost', since: 1 });
  expect(wrong).toMatchObject({
    status: 400,
    body: { details: [{ field_violations: [{ field: 'from' }, { field: 'status' }, { field: 'since' }] }] },
  });
});

it('shows and rotates the signing secret', async () => {
  const first = await call('/api/v1/signing_secret');
  expect(first.body).toEqual({
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    previous_until: null,
  });
  const rotated = await call('/api/v1/signing_secret:rotate', undefined, { method: 'POST' });
  expect(rotated.body).toEqual({
    secret: expect.stringMatching(/^whsec_/),
    previous_until: '2026-11-21T12:00:00.000Z',
  });
  expect(rotated.body.secret).not.toBe(first.body.secret);
  expect((await call('/api/v1/signing_secret')).body).toEqual(rotated.body);
});
