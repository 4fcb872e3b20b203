import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/cli/terminal/app.ts';
import { fakeAdmin, gatehouse } from '../cli-support.ts';

/** Somebody at a terminal who types this, key by key. */
function typing(keys: readonly string[]) {
  const input = new PassThrough();
  const type = (rest: readonly string[]): void => {
    const [key, ...later] = rest;
    if (key === undefined) return;
    input.write(key);
    setImmediate(type, later);
  };
  setImmediate(type, keys);
  return { terminal: { isInteractive: true, input } };
}

describe('prompts of a command on a terminal', () => {
  it('read a secret without showing it', async () => {
    const values: unknown[] = [];
    const openConnect: App['openConnect'] = async () => ({
      kind: 'form',
      title: 'Web search',
      fields: [
        { name: 'api_key', label: 'API key', input: 'password', required: true, hint: 'from the dashboard' },
      ],
      submit: async (given) => {
        values.push(given);
        return { accountId: 'ca_1', identifier: 'local', status: 'ACTIVE' };
      },
      close: async () => {},
    });
    const result = await gatehouse(['connect', 'websearch'], {
      app: { openConnect },
      ...typing(['h', 'u', 's', 'h', '\r']),
    });
    expect([result.code, values]).toEqual([0, [{ api_key: 'hush' }]]);
    expect(result.stderr).toContain('API key (from the dashboard)');
    expect(`${result.stdout}${result.stderr}`).not.toContain('hush');
  });

  it('confirm a deletion before it happens', async () => {
    const removed: unknown[] = [];
    const { openAdmin } = fakeAdmin({
      credentials: {
        get: async () => ({ name: 'backend' }),
        remove: async (_caller: unknown, id: unknown) => removed.push(id),
      },
    });
    const refused = await gatehouse(['credentials', 'delete', 'cred_1'], {
      app: { openAdmin },
      ...typing(['n']),
    });
    expect([refused.code, removed]).toEqual([1, []]);
    expect(refused.stderr).toContain('Delete the credential "backend"?');
    expect(refused.stderr).toContain('gatehouse: Nothing was deleted.\n');
    const agreed = await gatehouse(['credentials', 'delete', 'cred_1'], {
      app: { openAdmin },
      ...typing(['y']),
    });
    expect([agreed.code, removed]).toEqual([0, ['cred_1']]);
  });
});
