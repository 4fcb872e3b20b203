import { describe, expect, it } from 'vitest';
import { gatehouse } from './cli-support.ts';

const COMMANDS = [
  'serve',
  'mcp',
  'demo',
  'sandbox',
  'init',
  'connect',
  'tools',
  'accounts',
  'connections',
  'credentials',
  'catalog',
  'keys',
  'migrate',
  'backup',
  'restore',
  'doctor',
];

const LEAVES = [
  'serve',
  'mcp',
  'demo',
  'sandbox',
  'init',
  'connect',
  'keys rotate',
  'keys verify',
  'migrate',
  'backup',
  'restore',
  'doctor',
  'catalog check',
  ...['list', 'show', 'call'].map((name) => `tools ${name}`),
  ...['list', 'show', 'create', 'update', 'delete', 'refresh', 'disconnect', 'events'].map(
    (name) => `accounts ${name}`,
  ),
  ...['list', 'show', 'create', 'rotate', 'delete'].map((name) => `credentials ${name}`),
  ...['list', 'show', 'create', 'update', 'delete'].map((name) => `connections ${name}`),
];

describe('gatehouse --help', () => {
  it('lists every command on stdout', async () => {
    const { code, stdout, stderr } = await gatehouse(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect(listed).toEqual(expect.arrayContaining(COMMANDS));
  });

  it.each(LEAVES)('prints help of %s with an example and --environment', async (command) => {
    const { code, stdout, stderr } = await gatehouse([...command.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Example');
    expect(stdout).toContain(`gatehouse ${command}`);
    expect(stdout).toContain('--environment <name>');
  });

  it('equals the output of help <command>', async () => {
    const help = await gatehouse(['help', 'tools', 'call']);
    expect(help).toEqual(await gatehouse(['tools', 'call', '--help']));
  });
});

describe('gatehouse --version', () => {
  it('prints the version of the package', async () => {
    expect(await gatehouse(['--version'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
      stderr: '',
    });
  });
});

describe('wrong usage of the command line', () => {
  it.each([
    [[], 'Usage: gatehouse'],
    [['tools'], 'Usage: gatehouse tools'],
    [['toolz'], "unknown command 'toolz'\n(Did you mean tools?)"],
    [['help', 'toolz'], "unknown command 'toolz'\n(Did you mean tools?)"],
    [['toolz', '--help'], "unknown command 'toolz'\n(Did you mean tools?)"],
    [['tools', 'lst'], "unknown command 'lst'\n(Did you mean list?)"],
    [['tools', 'list', '--conector', 'x'], "unknown option '--conector'\n(Did you mean --connector?)"],
    [['tools', 'show'], "missing required argument 'name'"],
    [['tools', 'show', 'a', 'b'], 'too many arguments'],
    [['accounts', 'create', '--connector', 'x'], "required option '--identifier <text>' not specified"],
    [['accounts', 'list', '--page-size', '0'], 'It must be a whole number of at least 1.'],
    [
      ['accounts', 'list', '--user', 'a', '--organization', 'b'],
      "cannot be used with option '--organization <id>'",
    ],
    [['credentials', 'create', '--name', 'a', '--scopes', ','], 'It must name at least one'],
    [['tools', 'call', 'a_b', '--input', '{'], '--input is not valid JSON. Give JSON, @FILE or - for stdin.'],
    [['tools', 'call', 'a_b', '--input', '@nope.json'], 'nope.json cannot be read (ENOENT)'],
    [['accounts', 'update', 'ca_1', '--details', '[]'], '--details must be a JSON object.'],
    [['connections', 'update', 'crm'], 'Nothing to change.'],
    [['accounts', 'update', 'ca_1'], 'Nothing to change. Name what is new, such as --details.'],
    [['tools', 'list', '--environment', 'x'], 'There is no environment x. There are: development.'],
    [['serve', '--port', 'high'], '--port: must be a whole number from 0 to 65535'],
    [['init', '--port', '0'], '--port: It must be a whole number from 1 to 65535.'],
  ])('ends %j with exit code 2 and the reason on stderr', async (argv, message) => {
    const { code, stdout, stderr } = await gatehouse(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
