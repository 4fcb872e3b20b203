import { describe, expect, it } from 'vitest';
import { loadSettings, SettingsError } from '../../src/settings/settings.ts';
import { emptyFolder, problemsOf } from './settings-support.ts';

const DURATION = 'written like 250ms, 2s, 10m, 1h or 30d';

describe('settings problems in gatehouse.yaml', () => {
  it.each(['gate@example.test', 'Gatehouse <gate@example.test>', '"\\"Acme, Inc.\\" <gate@example.test>"'])(
    'accept a sender of mails: %s',
    (from) => expect(problemsOf({ yaml: `smtp: {url: smtp://mail.test, from: ${from}}` })).toEqual([]),
  );

  it.each([
    ['an unknown key', 'hots: x', '1 hots: is not a setting. Did you mean host?'],
    ['an unknown key in a group', 'mcp:\n  zzzzzz: 1', '2 mcp.zzzzzz: is not a setting'],
    [
      'an unknown key in a list',
      'connections:\n  - connector: crm\n    nam: x',
      '3 connections[0].nam: is not a setting. Did you mean name?',
    ],
    ['a key without value', 'port:', '1 port: has no value: give it one or remove the line'],
    ['a group that is none', '\nmcp: 5', '2 mcp: must be a group of keys'],
    ['a list that is none', 'connections: websearch', '1 connections: must be a list'],
    ['a file that is a list', '- a', '1 : the file must be a group of keys'],
    ['a number out of range', 'port: 65536', '1 port: must be a whole number from 0 to 65535'],
    ['a fraction', 'port: 1.5', '1 port: must be a whole number from 0 to 65535'],
    ['a word for a number', 'port: http', '1 port: must be a whole number from 0 to 65535'],
    [
      'a number for text',
      'client_id: 1\nclient_secret: x',
      '1 client_id: must be up to 200 printable ASCII characters without space and colon',
    ],
    [
      'a duration without unit',
      'refresh:\n  margin: 60',
      `2 refresh.margin: must be a duration from 0s to 1h, ${DURATION}`,
    ],
    [
      'a duration out of range',
      'outbound:\n  timeout: 56s',
      `2 outbound.timeout: must be a duration from 1ms to 55s, ${DURATION}`,
    ],
    [
      'a size without sense',
      'inbound:\n  max_body_bytes: 10 Mb',
      '2 inbound.max_body_bytes: must be a size from 1 kB to 100 MB, written like 60 kB, 10 MB or as a number of bytes',
    ],
    ['a boolean of YAML 1.1', 'mcp:\n  read_only: yes', '2 mcp.read_only: must be true or false'],
    ['an unknown word', 'log_level: loud', '1 log_level: must be one of: debug, info, warn, error'],
    ['a host with a port', 'host: 127.0.0.1:80', '1 host: must be an IP address or a host name'],
    ['an address in disguise', 'host: "0"', '1 host: must be an IP address or a host name'],
    [
      'a base URL with a path',
      'base_url: https://x.test/a',
      '1 base_url: must be an origin such as https://gate.example.test: lower case, nothing after host and port',
    ],
    [
      'a base URL with a slash',
      'base_url: https://x.test/',
      '1 base_url: must be an origin such as https://gate.example.test: lower case, nothing after host and port',
    ],
    [
      'another scheme',
      'base_url: ftp://x.test',
      '1 base_url: must be an origin such as https://gate.example.test: lower case, nothing after host and port',
    ],
    [
      'plain http for verification',
      'user_verify_url: http://app.example.test/v',
      '1 user_verify_url: must be an https URL (http on loopback only) without user name, password or fragment',
    ],
    [
      'a private host that is none',
      'outbound:\n  allow_private_hosts: [10.0.0.0/33]',
      '2 outbound.allow_private_hosts[0]: must be a host, host:port or CIDR',
    ],
    [
      'an empty selection',
      'mcp:\n  tools: []',
      '2 mcp.tools: must not be empty: name something or remove it',
    ],
    ...[
      'nope',
      'Gatehouse <nope>',
      'gate@example.test, eve@example.test',
      'Acme, Inc. <gate@example.test>',
    ].map((from) => [
      `the sender ${from}`,
      `smtp:\n  url: smtp://mail.test\n  from: ${from}`,
      '3 smtp.from: must be an e-mail address, alone or as Name <address>',
    ]),
    ['a missing member', 'smtp:\n  url: smtp://mail.test', '1 smtp.from: is missing'],
    [
      'a missing member in a list',
      'webhooks:\n  - {name: a, url: "https://x.test"}',
      '2 webhooks[0].events: is missing',
    ],
    [
      'a connection id of another form',
      'connections:\n  - connector: crm\n    id: crm',
      '3 connections[0].id: must be conn_ and up to 60 letters, digits, hyphens or underscores',
    ],
    [
      'keys that are not 32 bytes',
      'keys:\n  master_key: a:AAAA',
      '2 keys.master_key: must be a list of id:base64(32 bytes), separated by commas or newlines',
    ],
    [
      'a dangerous key',
      'connections:\n  - connector: crm\n    params:\n      __proto__: {a: 1}',
      '4 connections[0].params.__proto__: is not a plain word, so it cannot be a key',
    ],
    [
      'an anchor',
      'host: &a localhost',
      '1 host: must not use YAML anchors and aliases (& and *): write the value out',
    ],
    [
      'a tag',
      'host: !!str localhost',
      '1 host: must not use YAML tags (!): quote text and write other values plainly',
    ],
    ['a key twice', 'port: 1\nport: 2', '2 : not valid YAML: map keys must be unique'],
    [
      'broken YAML',
      'host: [',
      '2 : not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'an unset variable',
      '\nclient_id: x\nclient_secret: ${NOPE}',
      '3 client_secret: needs the environment variable NOPE, which is not set',
    ],
    [
      'another form of variable',
      'host: ${A:-b}',
      '1 host: has a ${…} that is not ${NAME}. Write $${ for a literal ${.',
    ],
  ])('names %s with its line', (_, yaml, problem) => {
    expect(problemsOf({ yaml: `${yaml}\n` })).toEqual([problem]);
  });

  it('refuse a second document in the file', () => {
    expect(problemsOf({ yaml: 'port: 1\n---\nport: 2\n' })).toEqual([
      expect.stringMatching(/^2 : not valid YAML: .*multiple documents/),
    ]);
  });
});

describe('settings problems in the environment and in flags', () => {
  it.each([
    [{ GATEHOUSE_PROT: '1' }, 'GATEHOUSE_PROT: is not a setting. Did you mean GATEHOUSE_PORT?'],
    [
      { GATEHOUSE_SOMETHING_ELSE_ENTIRELY: '1' },
      'GATEHOUSE_SOMETHING_ELSE_ENTIRELY: is not a setting. Unset it.',
    ],
    [{ GATEHOUSE_PORT: '30OO' }, 'GATEHOUSE_PORT: must be a whole number from 0 to 65535'],
    [{ GATEHOUSE_MCP_READ_ONLY: 'yes' }, 'GATEHOUSE_MCP_READ_ONLY: must be true or false'],
    [{ GATEHOUSE_MCP_TOOLS: ',' }, 'GATEHOUSE_MCP_TOOLS: must not be empty: name something or remove it'],
    [{ GATEHOUSE_SMTP_URL: 'smtp://mail.test' }, 'GATEHOUSE_SMTP_URL: smtp.from is missing'],
    [
      { GATEHOUSE_CA_FILE: '/etc/hosts', GATEHOUSE_OUTBOUND_CA_FILE: '/etc/passwd' },
      'GATEHOUSE_CA_FILE: and GATEHOUSE_OUTBOUND_CA_FILE are set differently. They are two names of one setting: set one of them.',
    ],
    [{ GATEHOUSE_CA_FILE: '/nowhere.pem' }, 'GATEHOUSE_CA_FILE: names a file that does not exist'],
  ])('refuse the variables %o', (env, problem) => {
    expect(problemsOf({ env })).toEqual([problem]);
  });

  it('ignore variables of other programs and of the tests', () => {
    expect(problemsOf({ env: { PORT: 'x', GATEHOUSE_TEST_ROUNDS: 'full' } })).toEqual([]);
  });

  it('name the flag that has an invalid value', () => {
    expect(problemsOf({ flags: { port: 'x' } })).toEqual(['--port: must be a whole number from 0 to 65535']);
  });

  it('report a missing settings file by the source of its name', () => {
    expect(problemsOf({ flags: { config: '/nowhere/g.yaml' } })).toEqual([
      '--config: /nowhere/g.yaml does not exist. Run "gatehouse init" to write one.',
    ]);
    const folder = emptyFolder();
    expect(problemsOf({ env: { GATEHOUSE_CONFIG: folder } })).toEqual([
      `GATEHOUSE_CONFIG: ${folder} is a folder. Name the file in it.`,
    ]);
  });
});

describe('rules between settings', () => {
  const none =
    'user_verification: must not be none: that exists only where base URL and listener are both on loopback. Choose app or signed_in.';
  it.each([
    [
      'a listener on every network without base URL',
      'host: 0.0.0.0',
      '1 host: 0.0.0.0 listens on every network: set base_url (GATEHOUSE_BASE_URL) to the address that clients use',
    ],
    [
      'the same in IPv6',
      'host: "0:0::0"',
      '1 host: 0:0::0 listens on every network: set base_url (GATEHOUSE_BASE_URL) to the address that clients use',
    ],
    [
      'no verification for a public base URL',
      'base_url: https://x.test\nuser_verification: none',
      `2 ${none}`,
    ],
    ['no verification for a public listener', 'host: 10.0.0.1\nuser_verification: none', `2 ${none}`],
    ['a client id without secret', 'client_id: x', '1 client_id: needs client_secret as well'],
    ['a client secret without id', 'client_secret: x', '1 client_secret: needs client_id as well'],
    [
      'keys given twice',
      `keys:\n  master_key_file: a\n  master_key: k:${'A'.repeat(43)}=`,
      '3 keys.master_key: and keys.master_key_file are both set: keep one of them',
    ],
    [
      'a user and an organization',
      'mcp:\n  user_id: a\n  organization_id: b',
      '2 mcp.user_id: and mcp.organization_id are both set: a session acts for a user or for an organization',
    ],
    [
      'a catalog folder that does not exist',
      'catalog_dirs:\n  - .\n  - nope',
      '3 catalog_dirs[1]: names a folder that does not exist',
    ],
    [
      'an environment without address',
      'environments:\n  - name: production',
      '2 environments[0]: needs a base_url of its own: requests find their environment by it',
    ],
    [
      'an environment named like the top level',
      'environments:\n  - {name: development, base_url: "https://x.test"}',
      '2 environments[0].name: is the environment at the top level of the file: write its settings there',
    ],
    [
      'environments of one host',
      'base_url: https://x.test\nenvironments:\n  - {name: a, base_url: "http://x.test"}\n  - {name: b, base_url: "https://x.test"}',
      '4 environments[1].base_url: has the host and port of another environment',
    ],
    [
      'an environment at the address of the listener, which is that of development',
      'environments:\n  - {name: a, base_url: "http://127.0.0.1:3000"}',
      '2 environments[0].base_url: has the host and port of another environment',
    ],
    [
      'connections of one name',
      'connections:\n  - connector: crm\n  - name: crm\n    connector: mail',
      '3 connections[1]: has the name of another one: crm',
    ],
  ])('refuse settings with %s', (_, yaml, problem) => {
    expect(problemsOf({ yaml: `${yaml}\n` })).toContain(problem);
  });

  it('refuse one client id in two environments', () => {
    const yaml = 'environments:\n  - {name: a, base_url: "https://a.test", client_id: app, client_secret: x}';
    const env = { GATEHOUSE_CLIENT_ID: 'app', GATEHOUSE_CLIENT_SECRET: 'y' };
    expect(problemsOf({ yaml, env })).toEqual([
      '2 environments[0].client_id: is the client id of another environment too',
    ]);
  });

  it('refuse one connection id in two environments', () => {
    const yaml =
      'connections:\n  - {connector: crm, id: conn_a}\nenvironments:\n  - name: b\n    base_url: https://b.test\n    connections:\n      - {connector: crm, id: conn_a}\n';
    expect(problemsOf({ yaml })).toEqual([
      '7 environments[0].connections[0].id: is the id of another connection too',
    ]);
  });
});

describe('environment at the address of the listener', () => {
  const yaml = 'environments:\n  - {name: a, base_url: "http://127.0.0.1:4000"}\n';
  const problem = '2 environments[0].base_url: has the host and port of another environment';

  it.each([
    ['the file', `port: 4000\n${yaml}`, {}, {}, problem.replace('2', '3')],
    ['a variable', yaml, { GATEHOUSE_PORT: '4000' }, {}, problem],
    ['a flag', `port: 4001\n${yaml}`, {}, { port: '4000' }, problem.replace('2', '3')],
  ])('conflicts with the listener where %s gives the port', (_, text, env, flags, expected) => {
    expect(problemsOf({ yaml: text, env, flags })).toEqual([expected]);
  });

  it.each([
    ['development has a base URL of its own', { GATEHOUSE_BASE_URL: 'https://gate.example.test' }],
    ['the listener has another port', { GATEHOUSE_PORT: '4001' }],
    ['the listener takes a free port', { GATEHOUSE_PORT: '0' }],
  ])('does not conflict where %s', (_, changes) => {
    expect(problemsOf({ yaml, env: { GATEHOUSE_PORT: '4000', ...changes } })).toEqual([]);
  });

  it.each([
    ['port', { GATEHOUSE_PORT: 'x' }, 'GATEHOUSE_PORT: must be a whole number from 0 to 65535'],
    [
      'base URL',
      { GATEHOUSE_BASE_URL: 'x' },
      'GATEHOUSE_BASE_URL: must be an origin such as https://gate.example.test: lower case, nothing after host and port',
    ],
  ])('does not conflict while the %s is invalid', (_, env, expected) => {
    expect(problemsOf({ yaml: yaml.replace('4000', '3000'), env })).toEqual([expected]);
  });
});

describe('one mistake in an entry of a settings list', () => {
  it('does not hide other mistakes in the list', () => {
    const yaml = [
      'connections:',
      '  - {connector: crm, bogus: 1}',
      '  - {connector: mail, id: x}',
      '  - {connector: crm}',
    ].join('\n');
    expect(problemsOf({ yaml })).toEqual([
      '2 connections[0].bogus: is not a setting',
      '3 connections[1].id: must be conn_ and up to 60 letters, digits, hyphens or underscores',
      '4 connections[2]: has the name of another one: crm',
    ]);
  });

  it.each([
    [
      'a name',
      'connections:\n  - {connector: crm}\n  - {connector: crm, name: "a/b"}',
      3,
      'connections[1].name',
    ],
    [
      'an address',
      'environments:\n  - {name: staging, base_url: "https://x.test/"}',
      2,
      'environments[0].base_url',
    ],
  ])('causes no further reports that follow from it: %s', (_, yaml, line, key) => {
    expect(problemsOf({ yaml })).toEqual([expect.stringContaining(`${line} ${key}: must be `)]);
  });

  it('keeps the numbers of the other entries', () => {
    const yaml = [
      'webhooks:',
      '  - {name: a, url: "https://x.test"}',
      '  - {name: b, url: "https://x.test", events: [none]}',
      '  - {name: c, url: "https://x.test", events: [], bogus: 1}',
      '  - text',
      '  - {name: c, url: "https://x.test", events: []}',
      'environments:',
      '  - {base_url: "https://a.test", connections: [{}, {connector: crm}]}',
      '  - name: b',
      '    base_url: "https://b.test"',
      '    connections:',
      '      - {}',
      '      - {connector: crm}',
      '      - {connector: crm}',
    ].join('\n');
    const lines = problemsOf({ yaml }).map((line) => line.replace(/ must be .*/, ' …'));
    expect(lines).toEqual([
      '2 webhooks[0].events: is missing',
      '3 webhooks[1].events[0]: …',
      '4 webhooks[2].bogus: is not a setting',
      '5 webhooks[3]: …',
      '6 webhooks[4]: has the name of another one: c',
      '8 environments[0].name: is missing',
      '8 environments[0].connections[0].connector: is missing',
      '12 environments[1].connections[0].connector: is missing',
      '14 environments[1].connections[2]: has the name of another one: crm',
    ]);
  });

  it('appears with the number of its entry where a variable gives the list', () => {
    expect(problemsOf({ env: { GATEHOUSE_ALLOW_PRIVATE_HOSTS: 'a b,127.0.0.1,10.0.0.0/33' } })).toEqual([
      'GATEHOUSE_ALLOW_PRIVATE_HOSTS: entry 1 must be a host, host:port or CIDR',
      'GATEHOUSE_ALLOW_PRIVATE_HOSTS: entry 3 must be a host, host:port or CIDR',
    ]);
  });
});

describe('settings problems of all sources', () => {
  it('appear at once, by file and line, then environment, then flags', () => {
    const yaml =
      'port: ${PORT}\nbase_url: ${BASE}\nconnections:\n  - {connector: crm, nam: x}\n  - connector: mail\n    scopes: 5\nuser_verification: none\n';
    const env = { PORT: 'x', GATEHOUSE_HOST: '0.0.0.0', GATEHOUSE_NOPE_NOPE: '1', GATEHOUSE_LOG_LEVEL: 'x' };
    expect(problemsOf({ yaml, env, flags: { readOnly: true, port: '-1' } })).toEqual([
      '1 port: must be a whole number from 0 to 65535',
      '2 base_url: needs the environment variable BASE, which is not set',
      '4 connections[0].nam: is not a setting. Did you mean name?',
      '6 connections[1].scopes: must be a list',
      'GATEHOUSE_LOG_LEVEL: must be one of: debug, info, warn, error',
      'GATEHOUSE_NOPE_NOPE: is not a setting. Unset it.',
      '--port: must be a whole number from 0 to 65535',
    ]);
  });

  it('include an invalid value that another source overrides', () => {
    expect(problemsOf({ yaml: 'port: x\n', env: { GATEHOUSE_PORT: '1' } })).toEqual([
      '1 port: must be a whole number from 0 to 65535',
    ]);
  });

  it('form one message for people, with file and line, and never repeat a value', () => {
    const folder = emptyFolder();
    const load = (): unknown =>
      loadSettings({
        flags: {},
        env: { GATEHOUSE_CLIENT_SECRET: 'hush\u0007' },
        cwd: folder,
        homeDir: folder,
      });
    expect(load).toThrow(SettingsError);
    expect(load).toThrow(
      'The settings are not valid:\n  GATEHOUSE_CLIENT_SECRET: must be up to 500 printable ASCII characters without space',
    );
    expect(load).not.toThrow(/hush/);
  });
});
