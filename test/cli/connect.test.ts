import { describe, expect, it } from 'vitest';
import type { App } from '../../src/cli/app.ts';
import { gatehouse } from './cli-support.ts';

function connecting() {
  const seen = { target: {} as unknown, values: [] as unknown[], closed: 0 };
  const openConnect: App['openConnect'] = async ({ target }) => {
    seen.target = target;
    return {
      title: 'Web search',
      fields: [
        { name: 'api_key', label: 'API key', input: 'password', required: true },
        { name: 'region', label: 'Region', input: 'text', required: false },
      ],
      submit: async (values) => {
        seen.values.push(values);
        return { accountId: 'ca_1', identifier: 'local', status: 'ACTIVE' };
      },
      close: async () => {
        seen.closed += 1;
      },
    };
  };
  return { seen, app: { openConnect } };
}

describe('gatehouse connect', () => {
  it('takes one line of stdin for each field and leaves out what is empty', async () => {
    const { seen, app } = connecting();
    const { code, stdout, stderr } = await gatehouse(['connect', 'websearch'], {
      app,
      stdin: ' secret-key \n\n',
    });
    expect([code, stdout]).toEqual([0, 'Web search is connected for local: ca_1, ACTIVE\n']);
    expect(seen).toEqual({
      target: { environment: 'development', connector: 'websearch', identifier: undefined, userId: 'local' },
      values: [{ api_key: 'secret-key' }],
      closed: 1,
    });
    expect(`${stdout}${stderr}`).not.toContain('secret-key');
  });

  it('connects for a named owner', async () => {
    const { seen, app } = connecting();
    const argv = ['connect', 'websearch', '--organization', 'acme', '--identifier', 'sales', '--json'];
    const { stdout } = await gatehouse(argv, { app, stdin: 'k\neu' });
    expect(JSON.parse(stdout)).toEqual({
      connected_account_id: 'ca_1',
      identifier: 'local',
      status: 'ACTIVE',
    });
    expect(seen.target).toMatchObject({ organizationId: 'acme', identifier: 'sales' });
    expect(seen.values).toEqual([{ api_key: 'k', region: 'eu' }]);
  });

  it('refuses an empty credential, stores nothing and closes', async () => {
    const { seen, app } = connecting();
    const { code, stderr } = await gatehouse(['connect', 'websearch'], { app, stdin: '' });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'API key is missing. Without a terminal, give one line on stdin for each of: API key, Region.',
    );
    expect([seen.values, seen.closed]).toEqual([[], 1]);
  });
});
