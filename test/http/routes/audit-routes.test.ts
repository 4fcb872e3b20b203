/** The audit log over REST, with the real log behind it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { machine, testServices, type Services } from '../../support/services.ts';
import { restApi, type RestApi } from '../rest-api.ts';

let services: Services;
let api: RestApi;
let connectionId: string;

/** At 12:00 a connection is made, at 13:00 it is changed by somebody else, at 14:00 deleted. */
beforeEach(async () => {
  services = await testServices();
  api = await restApi({ services });
  const { connections, clock } = services;
  ({ id: connectionId } = await connections.create(machine, { connector: 'mailbox' }));
  clock.advance(3_600_000);
  await connections.update({ ...machine, actor: 'usr_1' }, connectionId, { scopes: ['read'] });
  clock.advance(3_600_000);
  await connections.remove(machine, connectionId);
});

async function actions(query: string): Promise<string[]> {
  const response = await api.request(`/api/v1/audit?${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { audit: { action: string }[] }).audit.map(({ action }) => action);
}

describe('GET /api/v1/audit', () => {
  it('shows what was done, by whom, to what, from where', async () => {
    const response = await api.request('/api/v1/audit?actor=usr_1');
    expect(await response.json()).toEqual({
      audit: [
        {
          id: expect.stringMatching(/^aud_/),
          at: '2026-11-20T13:00:00.000Z',
          actor: 'usr_1',
          action: 'connection.update',
          target: connectionId,
          ip: '127.0.0.1',
        },
      ],
      next_page_token: '',
      prev_page_token: '',
      total_size: 1,
    });
  });

  it('takes filters as texts and times', async () => {
    expect(await actions('actor=cred_test')).toEqual(['connection.delete', 'connection.create']);
    expect(await actions('action=connection.update')).toEqual(['connection.update']);
    expect(await actions('action=session.')).toEqual([]);
    expect(await actions(`target=${connectionId}&page_size=1`)).toEqual(['connection.delete']);
    const times = 'from=2026-11-20T12:30:00Z&until=2026-11-20T14:30:00%2B01:00';
    expect(await actions(times)).toEqual(['connection.update']);
  });

  it('names every bad filter at once', async () => {
    const response = await api.request('/api/v1/audit?from=yesterday&until=2026-11-20&page_size=0&who=me');
    const { details } = (await response.json()) as { details: { field_violations: { field: string }[] }[] };
    expect([response.status, details[0]?.field_violations.map(({ field }) => field).toSorted()]).toEqual([
      400,
      ['from', 'page_size', 'until', 'who'],
    ]);
  });

  it.each(['/api/v1/audit', '/api/v1/audit:export'])(
    'answers 403 to the credential of an organization: %s',
    async (path) => {
      const response = await api.request(path, { headers: { authorization: 'Bearer bound' } });
      expect(response.status).toBe(403);
    },
  );
});

describe('GET /api/v1/audit:export', () => {
  it('answers the audit log as JSON lines', async () => {
    const response = await api.request('/api/v1/audit:export');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/jsonl; charset=utf-8',
    ]);
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { action: string }).action).toSorted()).toEqual([
      'connection.create',
      'connection.delete',
      'connection.update',
    ]);
  });
});
