/**
 * The commands of README.md and of all pages of docs/, run as they stand there: each page in one shell and a fresh home
 * folder, with the files it shows, beside the sandbox's stand-ins. What is not the same for the reader are ports, some
 * folders, and where a connection leads.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { sandboxConnections } from '../../src/app/demo/own-sandbox.ts';
import { DemoVisitor } from '../../src/app/demo/demo-visitor.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { blocksOf, documentedPages, type Block } from '../support/documentation.ts';
import { runDocumented } from '../support/documented-shell.ts';
import { freePort } from '../support/free-port.ts';
import { ROUNDS } from '../support/rounds.ts';

const BLOCKS = documentedPages().flatMap(blocksOf);

const isShell = ({ language }: Block): boolean => language === 'sh';

/** Pages whose commands run beside stand-ins of their own (documented-examples.test.ts), or not yet. */
const ELSEWHERE = /^(docs\/(adding-a-connector\/|operations|deploy|upgrade)|README)/;

const PAGES = [
  ...new Set(BLOCKS.filter((block) => isShell(block) && block.notRun === undefined).map(({ page }) => page)),
];

/** Where a page needs more than an empty home folder and the stand-ins. */
interface World {
  /** What the reader has done before. */
  before?: string;
  /** What is not the same for the reader. */
  instead?: readonly (readonly [RegExp, string])[];
  /** What its commands have to print. */
  prints?: readonly RegExp[];
}

const WORLDS: Readonly<Record<string, World>> = {
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
];

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
  if (labels.length === 0) await visitor.follow('Continue to');
  const { heading } =
    labels.length > 0 ? await visitor.submit([sandbox.apiKey]) : await visitor.submit([], 'Allow');
  if (!heading.includes(' is connected')) throw new Error(heading);
}

/** The same text with other ports than those it names. */
async function portsOf(text: string): Promise<(text: string) => string> {
  const named = new Set(
    [...text.matchAll(/(?:127\.0\.0\.1|localhost):(\d{4})\b|--port (\d{4})\b/g)].map(
      ([, host, port]) => host ?? port!,
    ),
  );
  const ports = new Map(
    await Promise.all([...named, '3000'].map(async (port) => [port, String(await freePort())] as const)),
  );
  const pattern = new RegExp(`\\b(?:${[...ports.keys()].join('|')})\\b`, 'g');
  return (given) => given.replaceAll(pattern, (port) => ports.get(port)!);
}

async function run(page: string, { before = '', instead = [], prints = [] }: World): Promise<void> {
  const blocks = BLOCKS.filter((block) => block.page === page);
  const shown = blocks
    .filter(({ file }) => file !== undefined)
    .map(({ file, text }) => [file!, text] as const);
  let commands = blocks
    .filter((block) => isShell(block) && block.notRun === undefined)
    .map(({ text }) => text)
    .join('\n');
  for (const [from, to] of [...INSTEAD, ...instead]) commands = commands.replaceAll(from, to);
  const onFreePorts = await portsOf(`${commands}\n${shown.join('\n')}`);
  const files = Object.fromEntries(shown.map(([path, text]) => [path, onFreePorts(text)]));
  if (!isOwnWorld(page)) {
    files['gatehouse.yaml'] = settingsFor(commands, files['gatehouse.yaml'] ?? '');
    files['.curlrc'] = 'fail-with-body\n';
  }
  const isServed = /\bcurl\b/.test(commands) && !isOwnWorld(page);
  const { code, stdout, stderr } = await runDocumented({
    script: onFreePorts([isServed ? SERVE : '', before, commands].join('\n')),
    files,
    typed: { 'connect websearch': `${sandbox.apiKey}\n` },
    env: { GATEHOUSE_PORT: onFreePorts('3000') },
    ...(!isOwnWorld(page) && { visit }),
  });
  expect([code, code === 0 ? '' : `${stdout}\n${stderr}`]).toEqual([0, '']);
  for (const pattern of prints) expect(stdout).toMatch(pattern);
}

/** A server with a token, for pages whose reader has both from the README. */
const SERVE = `gatehouse serve > "$HOME/serve.txt" 2> "$HOME/serve.log" &
until [ -s "$HOME/serve.txt" ]; do sleep 0.05; done
api=http://127.0.0.1:3000/api/v1
TOKEN=$(gatehouse token)`;

describe('documented commands', () => {
  it('say why where nothing runs them, which is seldom', () => {
    const left = BLOCKS.filter(({ notRun }) => notRun !== undefined);
    process.stdout.write(
      left.map(({ page, line, notRun }) => `not run: ${page}:${line}: ${notRun}\n`).join(''),
    );
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThanOrEqual(15);
  });

  const pages = PAGES.filter((page) => !ELSEWHERE.test(page));

  it.each(ROUNDS.everyPage ? pages : ['docs/tutorial.md', 'docs/mcp-servers.md'])(
    'work in a fresh home folder: those of %s',
    async (page) => {
      await run(page, WORLDS[page] ?? {});
    },
  );
});
