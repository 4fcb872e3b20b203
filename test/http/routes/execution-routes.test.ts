/** Executions over REST: their details and their sums, of calls that were really made. */
import { beforeEach, describe, expect, it } from 'vitest';
import { answer, connectedAccount, machine, testServices, type Services } from '../../support/services.ts';
import { restApi, type RestApi } from '../rest-api.ts';

let services: Services;
let api: RestApi;
let account: { id: string };
let executionId: string;

beforeEach(async () => {
  services = await testServices();
  api = await restApi({ services });
  account = await connectedAccount(services);
  const response = await execute();
  ({ execution_id: executionId } = (await response.json()) as { execution_id: string });
});

async function execute(): Promise<Response> {
  return api.request('/api/v1/execute_tool', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer all' },
    body: JSON.stringify({
      tool_name: 'notes_search',
      connected_account_id: account.id,
      tool_input: { query: 'a' },
    }),
  });
}

const RANGE = 'from=2026-11-20T12:00:00Z&to=2026-11-20T13:00:00Z';

async function summary(query: string, token = 'all'): Promise<[status: number, body: unknown]> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await api.request(`/api/v1/executions:summary?${query}`, { headers });
  return [response.status, await response.json()];
}

describe('GET /api/v1/executions', () => {
  it('finds failures by their error code', async () => {
    services.answers.push(
      answer(500, { error: 'broken' }),
      answer(500, { error: 'broken' }),
      answer(500, {}),
    );
    await execute();
    const listOf = async (query: string) => {
      const response = await api.request(`/api/v1/executions?${query}`);
      const { executions } = (await response.json()) as { executions: { error_code: string | null }[] };
      return executions.map(({ error_code }) => error_code);
    };
    expect(await listOf('')).toEqual(['TOOL_ERROR', null]);
    expect(await listOf('error_code=TOOL_ERROR')).toEqual(['TOOL_ERROR']);
    expect(await listOf('error_code=RATE_LIMITED')).toEqual([]);
    expect(await listOf('error_code=TOOL_ERROR&status=ok')).toEqual([]);
  });

  it('finds calls of the dashboard by their source', async () => {
    const caller = { ...machine, source: 'dashboard' as const };
    await services.executor.execute({ caller, toolName: 'notes_search', input: { query: 'a' }, account });
    const response = await api.request('/api/v1/executions?source=dashboard');
    const { executions } = (await response.json()) as { executions: object[] };
    expect(executions).toEqual([expect.objectContaining({ source: 'dashboard' })]);
  });
});

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
