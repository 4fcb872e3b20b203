import { describe, expect, it } from 'vitest';
import { fakeAdmin, gatehouse } from '../cli-support.ts';

const interceptor = {
  id: 'icp_1',
  name: 'Stop strangers',
  trigger_point: 'PRE_SIGNUP',
  endpoint: 'https://hooks.example.test/signup',
  timeout_ms: 5000,
  fallback: 'block',
  enabled: true,
  managed_by_file: false,
};

const tested = {
  request: { headers: { 'interceptor-id': 'evt_1' }, body: { display_name: 'Stop strangers' } },
  response: { status: 200, body: '{"decision":\u001b"DENY"}' },
  failure: null,
  would: 'block',
};

const line = {
  id: 'evt_1',
  at: '2026-11-20T12:00:00.000Z',
  response: { status: 500, body: 'oops' },
  failure: 'The endpoint answered 500.',
  decision: 'DENY',
  duration_ms: 12,
};

/** The app with one interceptor; records what reaches its services. */
function fakeApp() {
  const calls: unknown[] = [];
  const method =
    (name: string, result: unknown) =>
    async (_caller: unknown, ...args: unknown[]) => {
      calls.push([name, ...args.map((value) => JSON.parse(JSON.stringify(value)) as unknown)]);
      return result;
    };
  const { openAdmin } = fakeAdmin({
    interceptors: {
      inOrder: async () => [interceptor],
      get: async () => {
        throw new Error('There is no such interceptor.');
      },
      create: method('create', interceptor),
      update: method('update', interceptor),
      enable: method('enable', interceptor),
      disable: method('disable', { ...interceptor, enabled: false }),
      remove: method('remove', undefined),
    },
    interceptorTest: { run: method('test', tested) },
    interceptorLog: { list: method('logs', { logs: [line], total_size: 1 }) },
  });
  return { calls, app: { openAdmin } };
}

const run = async (...argv: string[]) => {
  const { calls, app } = fakeApp();
  return { ...(await gatehouse(['interceptors', ...argv], { app })), calls };
};

describe('gatehouse interceptors', () => {
  it('lists interceptors as a table and as JSON', async () => {
    const { stdout } = await run('list');
    expect(stdout).toMatch(
      /^ID +NAME +TRIGGER_POINT +ENDPOINT +TIMEOUT_MS +FALLBACK +ENABLED +MANAGED_BY_FILE\n/,
    );
    expect(stdout).toContain('icp_1  Stop strangers  PRE_SIGNUP');
    expect(JSON.parse((await run('list', '--json')).stdout)).toEqual({ interceptors: [interceptor] });
  });

  it('shows one interceptor by id and by name', async () => {
    for (const name of ['icp_1', 'Stop strangers'])
      expect(JSON.parse((await run('show', name, '--json')).stdout)).toEqual(interceptor);
    expect((await run('show', 'nobody')).code).toBe(1);
  });

  it('creates an interceptor, enabled by default', async () => {
    const options = [
      '--name',
      'Stop strangers',
      '--trigger-point',
      'PRE_SIGNUP',
      '--endpoint',
      'https://hooks.example.test/signup',
      '--fallback',
      'block',
    ];
    const given = {
      name: 'Stop strangers',
      trigger_point: 'PRE_SIGNUP',
      endpoint: 'https://hooks.example.test/signup',
      timeout_ms: 5000,
      fallback: 'block',
      enabled: true,
    };
    expect((await run('create', ...options)).calls).toEqual([['create', given]]);
    expect((await run('create', ...options, '--disabled', '--timeout-ms', '250')).calls).toEqual([
      ['create', { ...given, enabled: false, timeout_ms: 250 }],
    ]);
    expect((await run('create', '--name', 'x')).code).toBe(2);
    expect((await run('create', ...options, '--timeout-ms', 'soon')).code).toBe(2);
  });

  it('changes only the given fields', async () => {
    expect((await run('update', 'Stop strangers', '--fallback', 'allow')).calls).toEqual([
      ['update', 'icp_1', { fallback: 'allow' }],
    ]);
    const nothing = await run('update', 'icp_1');
    expect([nothing.code, nothing.calls]).toEqual([2, []]);
  });

  it('enables and disables one interceptor', async () => {
    expect((await run('enable', 'icp_1')).calls).toEqual([['enable', 'icp_1']]);
    const off = await run('disable', 'Stop strangers');
    expect(off.calls).toEqual([['disable', 'icp_1']]);
    expect(off.stdout).toMatch(/enabled +false/);
  });

  it('deletes an interceptor after confirmation', async () => {
    expect((await run('delete', 'icp_1', '--yes')).calls).toEqual([['remove', 'icp_1']]);
    const asked = await run('delete', 'icp_1');
    expect([asked.code, asked.calls]).toEqual([2, []]);
  });

  it('tests one and shows request, answer and decision, without characters that move the cursor', async () => {
    const { stdout, calls } = await run('test', 'Stop strangers');
    expect(calls).toEqual([['test', 'icp_1']]);
    expect(stdout).toContain('interceptor-id  evt_1');
    expect(stdout).toContain('"display_name": "Stop strangers"');
    expect(stdout).toContain('body     {"decision": "DENY"}');
    expect(stdout).toContain('would    block');
    expect(JSON.parse((await run('test', 'icp_1', '--json')).stdout)).toEqual(tested);
  });

  it('lists the log of an interceptor', async () => {
    const { stdout, calls } = await run('logs', 'Stop strangers', '--limit', '500');
    expect(calls).toEqual([['logs', 'icp_1', { pageSize: 100 }]]);
    expect(stdout).toContain(
      '2026-11-20T12:00:00.000Z  evt_1  DENY      500     12           The endpoint answered 500.',
    );
    expect(JSON.parse((await run('logs', 'icp_1', '--json')).stdout)).toEqual({
      logs: [line],
      total_size: 1,
    });
  });
});
