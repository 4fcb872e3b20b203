/** Executions over REST: their details and their sums, of calls that were really made. */
import { beforeEach, describe, expect, it } from 'vitest';
import { connectedAccount, testServices, type Services } from '../../support/services.ts';
import { restApi, type RestApi } from '../rest-api.ts';

let services: Services;
let api: RestApi;
let executionId: string;

beforeEach(async () => {
  services = await testServices();
  api = await restApi({ services });
  const { id } = await connectedAccount(services);
  const response = await api.request('/api/v1/execute_tool', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer all' },
    body: JSON.stringify({ tool_name: 'notes_search', connected_account_id: id, tool_input: { query: 'a' } }),
  });
  ({ execution_id: executionId } = (await response.json()) as { execution_id: string });
});

const RANGE = 'from=2026-11-20T12:00:00Z&to=2026-11-20T13:00:00Z';

async function summary(query: string, token = 'all'): Promise<[status: number, body: unknown]> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await api.request(`/api/v1/executions:summary?${query}`, { headers });
  return [response.status, await response.json()];
}

describe('GET /api/v1/executions/{id}', () => {
  it('shows the execution with where its time went', async () => {
    const response = await api.request(`/api/v1/executions/${executionId}`);
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        execution: expect.objectContaining({
          execution_id: executionId,
          tool_name: 'notes_search',
          status: 'ok',
          own_ms: expect.any(Number),
          queue_ms: expect.any(Number),
          provider_ms: expect.any(Number),
          attempts: 1,
          refreshed: false,
        }),
      },
    ]);
  });

  it('answers 404 for an execution that is not there', async () => {
    expect((await api.request('/api/v1/executions/exe_none')).status).toBe(404);
  });
});

describe('GET /api/v1/executions:summary', () => {
  it('counts the call that was just answered', async () => {
    expect(await summary(`${RANGE}&group_by=connector`)).toEqual([
      200,
      {
        buckets: [{ at: '2026-11-20T12:00:00.000Z', group: 'notes', ok: 1, error: 0, p50_ms: 3, p95_ms: 5 }],
      },
    ]);
    expect(await summary(`${RANGE}&bucket=day`)).toMatchObject([200, { buckets: [{ group: null, ok: 1 }] }]);
  });

  it('needs both ends of a range', async () => {
    const [status, body] = await summary('');
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['from', 'to']);
  });

  it('names all violations at once', async () => {
    const [status, body] = await summary(
      'from=2026-11-20T12:00:00Z&to=2020-01-01T00:00:00Z&bucket=week&group_by=user_id&limit=1',
    );
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['bucket', 'from', 'group_by', 'limit']);
  });

  it('refuses a credential of one organization, and one without the scope', async () => {
    expect(await summary(RANGE, 'bound')).toMatchObject([403, { message: expect.stringContaining('Sums') }]);
    expect(await summary(RANGE, 'accounts.read')).toMatchObject([403, {}]);
  });
});

function fieldsOf(body: unknown): string[] {
  const { details } = body as { details: { field_violations?: { field: string }[] }[] };
  return details
    .flatMap(({ field_violations: violations = [] }) => violations.map(({ field }) => field))
    .toSorted((a, b) => a.localeCompare(b));
}
