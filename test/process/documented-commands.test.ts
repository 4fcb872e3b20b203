/**
 * The commands of README.md and of all pages of docs/, run as they stand there: each page in one shell and a fresh home
 * folder, with the files it shows, together with the sandbox's stand-ins. What is not the same for the reader are ports, some
 * folders, and where a connection leads.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { sandboxConnections } from '../../src/app/demo/own-sandbox.ts';
import { DemoVisitor } from '../../src/app/demo/demo-visitor.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { blocksOf, documentedPages, isAboutExample, type Block } from '../support/documentation.ts';
import { onFreePortsOf, runDocumented } from '../support/documented-shell.ts';
import { ROUNDS } from '../support/rounds.ts';

const ROOT = join(import.meta.dirname, '../..');

const BLOCKS = documentedPages().flatMap(blocksOf);

const isShell = ({ language }: Block): boolean => language === 'sh';

const RUN = BLOCKS.filter((block) => isShell(block) && block.notRun === undefined && !isAboutExample(block));

const PAGES = [...new Set(RUN.map(({ page }) => page))];

/** Where a page needs more than an empty home folder and the stand-ins. */
interface World {
  /** The page that its reader has followed before, whose files are there. */
  after?: string;
  /** What the reader has done before. */
  before?: string;
  /** What is not the same for the reader. */
  instead?: readonly (readonly [RegExp, string])[];
  /** What its commands have to print. */
  prints?: readonly RegExp[];
}

/** In the reader's second terminal. */
const BOOK_SHOP = 'node books.mjs > shop.txt &\nuntil [ -s shop.txt ]; do sleep 0.05; done';

const READERS = `redirect_uri=$(gatehouse connections show readers --json | node -pe 'JSON.parse(fs.readFileSync(0)).redirect_uri')
node readers.mjs "$redirect_uri" > readers.txt &
until [ -s readers.txt ]; do sleep 0.05; done`;

const WORLDS: Readonly<Record<string, World>> = {
  'docs/clients.md': {
    prints: [/"search_tools"|"websearch_search"/, /How to read a tide table.*How to read a tide table/s],
  },
  'docs/operations.md': {
    before: 'mkdir backups; start_server gatehouse serve; stop_server',
    prints: [/ is the backup \S+ now\.$/m, /^\{"audit":\[/m],
  },
  'docs/adding-a-connector/README.md': { before: BOOK_SHOP, prints: [/"id":\s*"b1"/] },
  'docs/adding-a-connector/openapi.md': {
    after: 'docs/adding-a-connector/README.md',
    before: BOOK_SHOP,
    prints: [/"id":\s*"b1"/],
  },
  'docs/adding-a-connector/oauth.md': {
    instead: [
      [/^node readers\.mjs REDIRECT_URI .*/gm, READERS],
      // Refused until somebody has opened the link of the refusal and consented.
      [/^gatehouse tools call readers_add .*/gm, 'until $&; do sleep 2; done'],
    ],
    prints: [/"name":\s*"To read"/],
  },
  'docs/proxy.md': { before: 'gatehouse connect video --user alice', prints: [/"kind":"youtube#/] },
  'docs/tutorial.md': {
    instead: [[/^gatehouse sandbox(?= )/gm, 'gatehouse sandbox --port 4400']],
    prints: [
      /"error_code":"CONNECTED_ACCOUNT_NOT_ACTIVE"/,
      /<h1>Exa web search is connected<\/h1>/,
      /^\{"data":\{.*"execution_id":"exe_\w{26}"\}$/m,
      /^exe_\w+ .* ok /m,
    ],
  },
};

/** What is not the same for the reader, on every page. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/https:\/\/gate\.example\.com/g, 'http://127.0.0.1:3000'],
  [/(?<=--prefix )\/path\/to\/the\/checkout/g, ROOT],
  [/(?<= )\/(?:safe\/place|backups)\//g, 'backups/'],
  // A backup of today, and a key file that nobody has changed for ten minutes.
  [/(?<=gatehouse-)\d{4}-\d\d-\d\d(?=\.db)/g, '$(date +%F)'],
  [/^gatehouse keys rotate --remove-old/gm, "touch -d '10 minutes ago' data/master.key\n$&"],
  // There is no terminal that could be asked on.
  [/^gatehouse (?:restore|keys rotate --remove-old)/gm, '$& --yes'],
  // A server that the reader leaves running in its terminal.
  [/^(?=(?:\w+='.*' )?gatehouse serve\s*(?:#.*)?$)/gm, 'stop_server; start_server env '],
];

/** For pages whose reader has a server and a token from the tutorial. */
const FUNCTIONS = `
start_server() {
  : > "$HOME/serve.txt"
  "$@" > "$HOME/serve.txt" 2> "$HOME/serve.log" &
  server=$!
  until [ -s "$HOME/serve.txt" ]; do kill -0 $server; sleep 0.05; done
  api=http://127.0.0.1:3000/api/v1 TOKEN=$(gatehouse token)
}
stop_server() { [ -z "$server" ] || { kill $server; wait $server; server=; }; }
`;

/** A block that asks the server finds one. */
const withServer = (commands: string): string =>
  /\bcurl\b/.test(commands) ? `[ -n "$server" ] || start_server gatehouse serve\n${commands}` : commands;

/** The tutorial starts everything itself. */
const isOwnWorld = (page: string): boolean => page === 'docs/tutorial.md';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, isPublic: true });
});

afterEach(async () => sandbox.close());

/** Settings that lead every connection to the stand-ins, but those that the page makes itself. */
function settingsFor(commands: string, shown: string): string {
  const isMade = (name: unknown): boolean => commands.includes(`connections create ${String(name)}`);
  const connections = sandboxConnections(sandbox, (_connector, secret) => secret);
  return stringify({
    data_dir: 'data',
    outbound: { allow_private_hosts: [new URL(sandbox.url).host] },
    connections: connections.filter(({ name }) => !isMade(name)),
    ...(parse(shown) as object | null),
  });
}

/** A person who goes through a link: consents, or enters the key that the stand-in accepts. */
async function visit(link: string): Promise<void> {
  const visitor = new DemoVisitor();
  const { labels } = await visitor.open(link);
  const consent = async () => {
    const { url } = await visitor.follow('Continue to');
    return url.startsWith(sandbox.url) ? visitor.submit([], 'Allow') : visitor.follow('Allow');
  };
  const { heading } = labels.length > 0 ? await visitor.submit([sandbox.apiKey]) : await consent();
  if (!heading.includes(' is connected')) throw new Error(heading);
}

/** The commands of a page, as this machine can run them. */
function scriptOf(page: string, instead: World['instead'] = []): string {
  const run = RUN.filter((block) => block.page === page);
  const texts = run.map(({ text }) => (isOwnWorld(page) ? text : withServer(text)));
  let commands = texts.join('\n');
  for (const [from, to] of [...INSTEAD, ...instead]) commands = commands.replaceAll(from, to);
  return commands.replaceAll(
    /^(gatehouse connections create (\w+))/gm,
    (_all, command: string, name: string) => {
      const { overrides = {} } =
        sandboxConnections(sandbox, () => '').find((one) => one['name'] === name) ?? {};
      return `${command} --overrides '${JSON.stringify(overrides)}'`;
    },
  );
}

async function run(page: string, { after, before = '', instead, prints = [] }: World): Promise<void> {
  const shown = BLOCKS.filter((block) => [after, page].includes(block.page) && block.file !== undefined);
  const commands = scriptOf(page, instead);
  const onFreePorts = await onFreePortsOf([commands, ...shown.map(({ text }) => text)].join('\n'));
  const files = Object.fromEntries(shown.map(({ file, text }) => [file!, onFreePorts(text)]));
  if (!isOwnWorld(page)) {
    files['gatehouse.yaml'] = settingsFor(commands, files['gatehouse.yaml'] ?? '');
    files['.curlrc'] = 'fail-with-body\n';
  }
  const secrets = sandboxConnections(sandbox, (_connector, secret) => secret);
  const { code, stdout, stderr } = await runDocumented({
    script: onFreePorts(isOwnWorld(page) ? commands : [FUNCTIONS, before, commands].join('\n')),
    files,
    typed: {
      'connect websearch': `${sandbox.apiKey}\n`,
      'connect books': 'secret-key\n',
      'connections update readers': 'app-secret\n',
      'connect shop': 'secret-key\n',
      ...Object.fromEntries(
        secrets.map(({ name, client_secret }) => [
          `connections update ${name as string}`,
          `${client_secret as string}\n`,
        ]),
      ),
    },
    env: {
      GATEHOUSE_PORT: onFreePorts('3000'),
      PRODUCTION_SECRET: 'a-secret-of-the-test-that-is-long-enough',
    },
    ...(!isOwnWorld(page) && { visit }),
  });
  expect([code, code === 0 ? '' : `${stdout}\n${stderr}`]).toEqual([0, '']);
  for (const pattern of prints) expect(stdout).toMatch(pattern);
}

describe('documented commands', () => {
  it('say why where nothing runs them, which is seldom', () => {
    const left = BLOCKS.filter(({ notRun }) => notRun !== undefined);
    process.stdout.write(
      left.map(({ page, line, notRun }) => `not run: ${page}:${line}: ${notRun}\n`).join(''),
    );
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThanOrEqual(15);
  });

  it.each(ROUNDS.everyPage ? PAGES : ['docs/tutorial.md', 'docs/mcp-servers.md'])(
    'work in a fresh home folder: those of %s',
    async (page) => {
      await run(page, WORLDS[page] ?? {});
    },
  );
});
