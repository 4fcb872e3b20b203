/** Settings as an operator sees them: which are in force, where they come from, and no secret. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder, settingsOf, type Sources } from './settings-support.ts';

const SECRETS = {
  yaml: `
client_id: backend
client_secret: top-secret-of-the-file
smtp: {url: 'smtp://u:mail-secret@mail.example', from: a@b.example}
environments:
  - {name: staging, base_url: 'https://staging.example', client_id: other, client_secret: other-secret}
`,
  env: {
    GATEHOUSE_MASTER_KEY: `a:${'A'.repeat(43)}`,
    GATEHOUSE_DATABASE_URL: 'postgres://u:db-secret@db.example/gate',
  },
};

function inForce(sources: Sources, environment = 'development', folder = emptyFolder()) {
  const all = settingsOf(sources, folder).inForce(environment);
  return (key: string) =>
    all.filter((setting) => setting.key === key).map(({ value, from }) => [value, from]);
}

describe('settings in force', () => {
  it.each([
    ['port', {}, [3000, 'default']],
    ['lifetimes.link', {}, ['1h', 'default']],
    ['outbound.timeout', { yaml: 'outbound: {timeout: 12s}' }, ['12s', 'file']],
    ['mcp.tools', { yaml: 'mcp: {tools: [a_b, c_d]}' }, [['a_b', 'c_d'], 'file']],
    ['webhooks.give_up_after', { yaml: 'webhooks.give_up_after: 1d' }, ['1d', 'file']],
    ['port', { yaml: 'port: 4000', env: { GATEHOUSE_PORT: '5000' } }, [5000, 'environment']],
    ['host', { env: { GATEHOUSE_HOST: '127.0.0.1' }, flags: { host: '::1' } }, ['::1', 'flag']],
    ['sign_up', {}, ['open', 'default']],
    ['smtp.from', {}, [null, 'default']],
  ])('name %s with its source', (key, sources, expected) => {
    expect(inForce(sources)(key)).toEqual([expected]);
  });

  it('show places as they are used, and say that a file named none', () => {
    const folder = emptyFolder();
    const of = inForce({ yaml: 'data_dir: ./mine' }, 'development', folder);
    expect(of('data_dir')).toEqual([[join(folder, 'work/mine'), 'file']]);
    expect(of('database_url')).toEqual([[`sqlite:${join(folder, 'work/mine/gatehouse.db')}`, 'default']]);
    expect(of('keys.master_key_file')).toEqual([[join(folder, 'work/mine/master.key'), 'default']]);
  });

  it('belong to the installation and the environment that asks, and to no other', () => {
    expect(inForce({ yaml: SECRETS.yaml }, 'staging')('base_url')).toEqual([
      ['https://staging.example', 'file'],
    ]);
    expect(inForce({ yaml: SECRETS.yaml })('base_url')).toEqual([['http://127.0.0.1:3000', 'default']]);
    expect(inForce({ yaml: SECRETS.yaml }, 'staging')('client_id')).toEqual([['other', 'file']]);
  });

  it('hold no secret, and say which are set', () => {
    const of = inForce(SECRETS);
    expect(['client_secret', 'smtp.url', 'keys.master_key', 'database_url'].map(of)).toEqual([
      [['set', 'file']],
      [['set', 'file']],
      [['set', 'environment']],
      [['set', 'environment']],
    ]);
    expect(inForce({})('client_secret')).toEqual([[null, 'default']]);
    for (const environment of ['development', 'staging'])
      expect(JSON.stringify(settingsOf(SECRETS).inForce(environment))).not.toMatch(/secret@|-secret|AAAA/);
  });
});
