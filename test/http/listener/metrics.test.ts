import { describe, expect, it } from 'vitest';
import { Metrics } from '../../../src/http/listener/metrics.ts';
import { development, production, restApi } from '../rest-api.ts';

const at = (baseUrl: string) => ({ ...development, baseUrl });

describe('metrics over HTTP: /metrics', () => {
  it('shows requests, tool calls and the process in the Prometheus format', async () => {
    const metrics = new Metrics();
    metrics.countRequest({ method: 'GET', route: '/api/v1/tools', status: 200, durationMs: 30 });
    metrics.countRequest({ method: 'GET', route: '/api/v1/tools', status: 200, durationMs: 300 });
    metrics.countToolCall({ tool: 'websearch_search', status: 'error', durationMs: 700 });
    const response = await (await restApi({ metrics })).request('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = (await response.text()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'gatehouse_http_requests_total{method="GET",route="/api/v1/tools",status="200"} 2',
        'gatehouse_http_request_duration_seconds_bucket{le="0.1",method="GET",route="/api/v1/tools"} 1',
        'gatehouse_http_request_duration_seconds_count{method="GET",route="/api/v1/tools"} 2',
        'gatehouse_tool_executions_total{tool="websearch_search",status="error"} 1',
        'gatehouse_tool_execution_duration_seconds_sum{tool="websearch_search",status="error"} 0.7',
      ]),
    );
    expect(lines.some((line) => line.startsWith('process_resident_memory_bytes '))).toBe(true);
  });

  it('keeps the numbers of two processes in one apart', async () => {
    const [first, second] = [new Metrics(), new Metrics()];
    first.countToolCall({ tool: 't', status: 'ok', durationMs: 1 });
    expect(await second.render()).not.toContain('tool="t"');
  });

  it.each([
    ['this machine', '', true, development, 200],
    ['this machine at [::1]', '', true, at('http://[::1]:3000'), 200],
    ['this machine, for a public base URL', '', true, production, 401],
    ['a name that begins like loopback', '', true, at('http://127.0.0.1.evil.example'), 401],
    ['this machine, for a public base URL with the scope', 'Bearer metrics.read', true, production, 200],
    ['elsewhere without a token', '', false, development, 401],
    ['elsewhere without the scope', 'Bearer accounts.read', false, development, 403],
    ['elsewhere with the scope', 'Bearer metrics.read', false, development, 200],
    ['elsewhere with admin', 'Bearer admin', false, development, 200],
    ['elsewhere with the scope for one organization', 'Bearer bound', false, development, 403],
  ])('answers a call from %s with %#', async (_name, authorization, isLocalPeer, environment, status) => {
    const metrics = { contentType: 'text/plain', render: () => Promise.resolve('x 1\n') };
    const api = await restApi({ metrics });
    const response = await api.request(
      '/metrics',
      { headers: { authorization } },
      { isLocalPeer, environment },
    );
    expect(response.status).toBe(status);
  });
});
