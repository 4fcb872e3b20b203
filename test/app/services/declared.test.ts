/** Mistakes in what gatehouse.yaml declares: each with its line, all at once, whatever else is wrong. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withDeclaredProblems } from '../../../src/app/services/declared.ts';
import { openServices } from '../../../src/app/services/services.ts';
import { startServer } from '../../../src/app/serve/serve.ts';
import { SettingsError } from '../../../src/settings/settings.ts';
import { silentLog as log, type LogFields } from '../../../src/core/log.ts';
import { folderWith, settingsIn } from '../folder.ts';

/** Lines of an error's message with the settings file as `yaml`. */
function linesOf(error: SettingsError, folder: string): string[] {
  return error.message
    .replaceAll(join(folder, 'gatehouse.yaml'), 'yaml')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().slice(0, 75));
}

/** Why a folder's settings do not start, as `gatehouse` prints it. */
async function refusal(folder: string, env: Record<string, string> = {}): Promise<string[]> {
  try {
    await (await startServer({ settings: settingsIn(folder, env), log })).stop();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return linesOf(await withDeclaredProblems(error), folder);
  }
  return [];
}

const EVERY_KIND = `mcp:
  connectors: [nosuch]
connections:
  - connector: nosuch
  - connector: crm
    name: second
    authorization_type: NOPE
  - connector: crm
    overrides:
      base_url: http://10.0.0.1
interceptors:
  - name: a
    trigger_point: PRE_SIGNUP
    endpoint: http://10.0.0.1/x
    fallback: allow
webhooks:
  - name: b
    url: https://10.0.0.1/x
    events: []
environments:
  - name: staging
    base_url: https://staging.example.test
    connections:
      - {connector: gone}
`;

const PROBLEMS_OF_EVERY_KIND = [
  'yaml:2: mcp.connectors: There is no connector "nosuch". There are: crm, mai',
  'yaml:4: connections[0].connector: The catalog has no connector nosuch. It h',
  'yaml:7: connections[1].authorization_type: crm accepts OAUTH.',
  'yaml:10: connections[2].overrides.base_url: Must be an https URL; http is a',
  'yaml:14: interceptors[0].endpoint: Must be an https URL. http is for hosts ',
  'yaml:18: webhooks[0].url: The address is private. If that is intended, add ',
  'yaml:19: webhooks[0].events: Name at least one event. Choose from connected',
  'yaml:24: environments[0].connections[0].connector: The catalog has no conne',
];

describe('check of declared configuration', () => {
  it('reports all mistakes at once with file, line and key, for every kind and environment', async () => {
    const folder = folderWith({ 'gatehouse.yaml': EVERY_KIND });
    expect(await refusal(folder)).toEqual(PROBLEMS_OF_EVERY_KIND);
  });

  it('reports mistakes in references together with mistakes of the file itself', async () => {
    const folder = folderWith({ 'gatehouse.yaml': `${EVERY_KIND}bogus: 1\n` });
    expect(await refusal(folder, { GATEHOUSE_PROT: '1' })).toEqual([
      ...PROBLEMS_OF_EVERY_KIND,
      'yaml:25: bogus: is not a setting',
      'GATEHOUSE_PROT: is not a setting. Did you mean GATEHOUSE_PORT?',
    ]);
  });

  it('finds a second mistake in the same entry', async () => {
    const folder = folderWith({
      'gatehouse.yaml': 'connections:\n  - connector: nosuch\n    bogus: 1\n    scopes: [a b]\n',
    });
    expect(await refusal(folder)).toEqual([
      'yaml:2: connections[0].connector: The catalog has no connector nosuch. It h',
      'yaml:3: connections[0].bogus: is not a setting',
      'yaml:4: connections[0].scopes[0]: must be an OAuth scope',
    ]);
  });

  it('finds mistakes in entries after an unusable entry', async () => {
    const folder = folderWith({
      'gatehouse.yaml':
        'connections:\n  - conector: crm\n  - connector: nosuch\nwebhooks:\n  - {name: a, url: "http://10.0.0.1", events: [none]}\n',
    });
    expect(await refusal(folder)).toEqual([
      'yaml:2: connections[0].connector: is missing',
      'yaml:2: connections[0].conector: is not a setting. Did you mean connector?',
      'yaml:3: connections[1].connector: The catalog has no connector nosuch. It h',
      expect.stringContaining('yaml:5: webhooks[0].events[0]: must be ') as string,
    ]);
  });

  it.each([
    [
      'catalog_dirs',
      'catalog_dirs: 5\nconnections:\n  - connector: mine\n  - {connector: crm, authorization_type: NOPE}\n',
      [
        'yaml:1: catalog_dirs: must be a list',
        'yaml:4: connections[1].authorization_type: crm accepts OAUTH.',
      ],
    ],
    [
      'a catalog',
      'bogus: 1\ncatalog_dirs: [broken]\nconnections:\n  - connector: mine\n  - {connector: crm, authorization_type: NOPE}\n',
      ['yaml:1: bogus: is not a setting', 'yaml:5: connections[1].authorization_type: crm accepts OAUTH.'],
    ],
    [
      'private hosts',
      'outbound:\n  allow_private_hosts: [a b, 10.0.0.1]\nwebhooks:\n  - {name: a, url: "http://10.0.0.1", events: [connected_account.created]}\n',
      ['yaml:2: outbound.allow_private_hosts[0]: must be a host, host:port or CIDR'],
    ],
    [
      'a file of certificates',
      'outbound:\n  ca_file: ./none.pem\n',
      ['yaml:2: outbound.ca_file: names a file that does not exist'],
    ],
  ])('reports no mistakes that follow from an unreadable %s', async (_, yaml, expected) => {
    const folder = folderWith({ 'gatehouse.yaml': yaml, 'broken/mine/connector.yaml': 'name: mine\n' });
    expect(await refusal(folder)).toEqual(expected);
  });

  it('names a CA file without a certificate at its line', async () => {
    const folder = folderWith({ 'gatehouse.yaml': 'outbound:\n  ca_file: ./ca.pem\n', 'ca.pem': 'hello' });
    expect(await refusal(folder)).toEqual([
      expect.stringMatching(/^yaml:2: outbound\.ca_file: names .*/) as string,
    ]);
  });

  it('reports mistakes that only the database shows with file and line, for all environments at once', async () => {
    const folder = folderWith({
      'gatehouse.yaml': `connections:
  - {connector: websearch, name: desk}
environments:
  - name: staging
    base_url: https://staging.example.test
    connections:
      - {connector: websearch, name: far, id: conn_far}
`,
    });
    await (await openServices({ settings: settingsIn(folder), log })).close();
    const changed = folderWith({
      'gatehouse.yaml': `connections:
  - {connector: mail, name: desk}
  - {connector: crm, id: conn_far}
environments:
  - name: staging
    base_url: https://staging.example.test
    connections:
      - {connector: websearch, name: near, id: conn_far2}
      - connector: websearch
        name: far
        id: conn_other
`,
    });
    const env = { GATEHOUSE_DATA_DIR: join(folder, 'data') };
    expect(await refusal(changed, env)).toEqual([
      'yaml:2: connections[0].connector: The connection desk uses websearch; make ',
      'yaml:11: environments[0].connections[1].id: The connection far exists with ',
    ]);
  });

  it('names the id that another environment uses, at its line', async () => {
    const folder = folderWith({
      'gatehouse.yaml': 'connections:\n  - {connector: websearch, name: desk, id: conn_desk}\n',
    });
    await (await openServices({ settings: settingsIn(folder), log })).close();
    const changed = folderWith({
      'gatehouse.yaml': `environments:
  - name: staging
    base_url: https://staging.example.test
    connections:
      - connector: websearch
        name: more
      - connector: websearch
        name: desk
        id: conn_desk
`,
    });
    const env = { GATEHOUSE_DATA_DIR: join(folder, 'data') };
    expect(await refusal(changed, env)).toEqual([
      'yaml:9: environments[0].connections[1].id: The id conn_desk is used in anot',
    ]);
  });

  it('names a client id of another environment at the place that gave it', async () => {
    const given = { GATEHOUSE_CLIENT_ID: 'app', GATEHOUSE_CLIENT_SECRET: 'secret' };
    const folder = folderWith();
    await (await startServer({ settings: settingsIn(folder, given), log })).stop();
    const changed = folderWith({
      'gatehouse.yaml': `environments:
  - name: staging
    base_url: https://staging.example.test
    client_id: app
    client_secret: other
`,
    });
    expect(await refusal(changed, { GATEHOUSE_DATA_DIR: join(folder, 'data') })).toEqual([
      'yaml:4: environments[0].client_id: This client id belongs to another enviro',
    ]);
  });
});

describe('permissions of the key file', () => {
  const warnings = async (mode: number): Promise<(LogFields | undefined)[]> => {
    const folder = folderWith();
    const settings = settingsIn(folder);
    await (await openServices({ settings, log })).close();
    chmodSync(join(folder, 'data', 'master.key'), mode);
    const seen: (LogFields | undefined)[] = [];
    const warn = (event: string, fields?: LogFields): void => {
      if (event === 'key_file_readable_by_others')
        seen.push({ ...fields, message: fields?.message?.replaceAll(folder, '') ?? '' });
    };
    await (await startServer({ settings, log: { ...log, warn } })).stop();
    return seen.map((fields) => ({ ...fields, path: fields?.path?.replace(folder, '') ?? '' }));
  };

  it('warns at the start that others can read the key file, and continues', async () => {
    expect(await warnings(0o644)).toEqual([
      {
        path: '/data/master.key',
        message: '/data/master.key can be read by others. Run: chmod 600 /data/master.key',
      },
    ]);
  });

  it('warns of nothing when only the owner can read the key file', async () => {
    expect(await warnings(0o600)).toEqual([]);
  });
});
