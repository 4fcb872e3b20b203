import { describe, expect, it } from 'vitest';
import { fakeApi } from '../fake-services.ts';

describe('audit log over REST: GET /api/v1/audit', () => {
  it('passes filters on as times and texts', async () => {
    const api = fakeApi();
    const response = await api.request(
      '/api/v1/audit?actor=usr_1&action=session.&from=2026-11-20T12:00:00Z&until=2026-11-20T14:00:00%2B01:00&page_size=5',
    );
    expect([response.status, ((await response.json()) as { audit: unknown[] }).audit]).toEqual([
      200,
      [
        {
          id: 'aud_1',
          at: '2026-11-20T12:00:00.000Z',
          actor: 'cred_1',
          action: 'connection.create',
          target: 'conn_1',
          ip: '192.0.2.7',
        },
      ],
    ]);
    expect(api.reached).toEqual([
      {
        what: 'auditLog.list',
        with: [
          {
            actor: 'usr_1',
            action: 'session.',
            target: undefined,
            from: 1_795_176_000_000,
            until: 1_795_179_600_000,
          },
          { pageSize: 5, pageToken: undefined },
        ],
      },
    ]);
  });

  it('names every bad filter at once', async () => {
    const response = await fakeApi().request(
      '/api/v1/audit?from=yesterday&until=2026-11-20&page_size=0&who=me',
    );
    const { details } = (await response.json()) as { details: { field_violations: { field: string }[] }[] };
    expect([response.status, details[0]?.field_violations.map(({ field }) => field).toSorted()]).toEqual([
      400,
      ['from', 'page_size', 'until', 'who'],
    ]);
  });

  it.each(['/api/v1/audit', '/api/v1/audit:export'])(
    'answers 403 to the credential of an organization: %s',
    async (path) => {
      const response = await fakeApi().request(path, { headers: { authorization: 'Bearer bound' } });
      expect(response.status).toBe(403);
    },
  );
});

describe('audit log over REST: GET /api/v1/audit:export', () => {
  it('answers with one JSON line per entry', async () => {
    const response = await fakeApi().request('/api/v1/audit:export');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/jsonl; charset=utf-8',
    ]);
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['aud_1', 'aud_0']);
  });
});
