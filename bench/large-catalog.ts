/**
 * Measures 4,000 more tools in `catalog_dirs`, with discovery on: the start, idle memory and a search, compared
 * with the shipped tools alone. A part of `npm run bench`; alone `node bench/large-catalog.ts [--tools 4000]
 * [--starts 11]`.
 *
 * Both run the built program, in turns. The large catalog comes from the compiled form that an earlier start has
 * stored. A search is timed by the client, including the way to the server and back. Writes
 * bench/results/large-catalog.json. Ends with exit code 1 if a figure is beyond its bound, unless `--unbounded` is
 * given.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { builtProgram } from '../test/support/program.ts';
import { writeGeneratedCatalog } from './generated-catalog.ts';
import { median } from './measure.ts';
import { httpClient, stdioClient, stop, type BenchClient } from './mcp-clients.ts';
import { memoryMb } from './process-usage.ts';
import { accessToken, freePort, startAndRead } from './subjects.ts';

const { values: options } = parseArgs({
  options: {
    tools: { type: 'string', default: '4000' },
    starts: { type: 'string', default: '11' },
    unbounded: { type: 'boolean', default: false },
    results: { type: 'string', default: join(import.meta.dirname, 'results/large-catalog.json') },
  },
});
const STARTS = Number(options.starts);
const TRANSPORTS = ['stdio', 'http'] as const;
const SETTLE_MS = 3_000;
const SEARCH_ROUNDS = 10;

/** Bounds: time as a multiple of the shipped tools' time, additional megabytes (10^6), milliseconds. */
const MOST = { start: 1.5, memoryMb: 150, searchP99Ms: 10 };

type Transport = (typeof TRANSPORTS)[number];

/** One installation, and what was measured of it. Times in milliseconds, memory in megabytes (10^6). */
class Installation {
  readonly starts: Record<Transport, number[]> = { stdio: [], http: [] };
  readonly idleMb: Record<Transport, number> = { stdio: 0, http: 0 };
  readonly searches: number[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'gatehouse-large-catalog-'));
  readonly #env: Record<string, string>;
  #token = '';

  constructor(port: number, catalogDir: string | undefined) {
    this.#env = {
      GATEHOUSE_DATA_DIR: this.folder,
      GATEHOUSE_PORT: String(port),
      GATEHOUSE_LOG_LEVEL: 'warn',
      GATEHOUSE_CLIENT_ID: 'bench',
      GATEHOUSE_CLIENT_SECRET: 'bench-secret-bench-secret-bench-secret',
      GATEHOUSE_MCP_DISCOVERY: 'on',
      ...(catalogDir !== undefined && { GATEHOUSE_CATALOG_DIRS: catalogDir }),
    };
  }

  /** The first starts: make the database, keep the compiled catalog, and get a token for the later ones. */
  async prepare(): Promise<void> {
    const { child, baseUrl } = await this.#serve();
    this.#token = await accessToken(baseUrl, this.#env);
    await stop(child);
    await (await this.connect('stdio')).close();
  }

  /** Starts the program, connects and waits for the answer of tools/list. */
  async connect(transport: Transport): Promise<BenchClient> {
    const client = transport === 'stdio' ? await this.#stdio() : await this.#http();
    await client.request('tools/list', {});
    return client;
  }

  async start(transport: Transport): Promise<void> {
    const startedAt = performance.now();
    const client = await this.connect(transport);
    this.starts[transport].push(performance.now() - startedAt);
    await client.close();
  }

  async #stdio(): Promise<BenchClient> {
    return stdioClient([process.execPath, PROGRAM, 'mcp'], this.#env);
  }

  async #http(): Promise<BenchClient> {
    const { child, baseUrl } = await this.#serve();
    const headers = { authorization: `Bearer ${this.#token}`, 'gatehouse-user-id': 'local' };
    const client = await httpClient(`${baseUrl}/mcp`, child.pid ?? 0, headers, 1);
    return {
      ...client,
      close: async () => {
        await client.close();
        await stop(child);
      },
    };
  }

  async #serve() {
    const { child, line } = await startAndRead([process.execPath, PROGRAM, 'serve'], this.#env);
    return { child, baseUrl: (JSON.parse(line) as { base_url: string }).base_url };
  }
}

/** Memory some seconds after the first answer. */
async function measureMemory(installation: Installation, transport: Transport): Promise<void> {
  const client = await installation.connect(transport);
  await delay(SETTLE_MS);
  installation.idleMb[transport] = memoryMb(client.pid);
  await client.close();
}

/** Milliseconds of a `search_tools`, as the client waits for it. */
async function search(client: BenchClient, task: string): Promise<number> {
  const startedAt = performance.now();
  await client.request('tools/call', { name: 'search_tools', arguments: { query: task } });
  return performance.now() - startedAt;
}

/** The questions whose answers test/mcp/discovery-search.test.ts judges. */
function questions(): string[] {
  const folder = join(import.meta.dirname, '../test/mcp/search-questions');
  return readdirSync(folder).flatMap((file) => {
    const byConnector = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, [string][]>;
    return Object.values(byConnector).flatMap((asked) => asked.map(([question]) => question));
  });
}

/** Searches with every question, in turns. @returns memory afterwards, and the time of the first search, which makes the index */
async function measureSearches(small: Installation, large: Installation) {
  const opened = [];
  for (const installation of [small, large])
    opened.push({ installation, client: await installation.connect('stdio') });
  const asked = questions();
  const firstMs = [];
  for (const { client } of opened) firstMs.push(await search(client, asked[0] ?? ''));
  for (let round = 0; round < SEARCH_ROUNDS; round++)
    for (const question of asked)
      for (const { client, installation } of opened)
        installation.searches.push(await search(client, question));
  const [smallMb = 0, largeMb = 0] = opened.map(({ client }) => memoryMb(client.pid));
  for (const { client } of opened) await client.close();
  return { memoryMb: { small: smallMb, large: largeMb }, firstMs: { small: firstMs[0], large: firstMs[1] } };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

const PROGRAM = builtProgram();
const catalogDir = mkdtempSync(join(tmpdir(), 'gatehouse-large-catalog-'));
writeGeneratedCatalog(catalogDir, Number(options.tools));
const small = new Installation(await freePort(), undefined);
const large = new Installation(await freePort(), catalogDir);
try {
  for (const installation of [small, large]) await installation.prepare();
  process.stderr.write(`large catalog: ${STARTS} starts each over both transports, in turns\n`);
  for (let i = 0; i < STARTS; i++)
    for (const transport of TRANSPORTS)
      for (const installation of [small, large]) await installation.start(transport);
  process.stderr.write('large catalog: idle memory, searches\n');
  for (const transport of TRANSPORTS)
    for (const installation of [small, large]) await measureMemory(installation, transport);
  const searched = await measureSearches(small, large);
  const figures = [
    ...TRANSPORTS.map((transport) => ({
      figure: `start over ${transport}, ms`,
      small: median(small.starts[transport]),
      large: median(large.starts[transport]),
      // Each start is compared with its neighbor, so that a slower machine slows both.
      judged: median(large.starts[transport].map((ms, i) => ms / (small.starts[transport][i] ?? Number.NaN))),
      most: MOST.start,
    })),
    ...TRANSPORTS.map((transport) => ({
      figure: `idle memory over ${transport}, MB`,
      small: small.idleMb[transport],
      large: large.idleMb[transport],
      judged: large.idleMb[transport] - small.idleMb[transport],
      most: MOST.memoryMb,
    })),
    {
      figure: 'memory after the searches, MB',
      ...searched.memoryMb,
      judged: searched.memoryMb.large - searched.memoryMb.small,
      most: MOST.memoryMb,
    },
    ...[0.5, 0.99].map((share) => ({
      figure: `search p${share * 100}, ms`,
      small: quantile(small.searches, share),
      large: quantile(large.searches, share),
      judged: quantile(large.searches, share),
      most: MOST.searchP99Ms,
    })),
  ].map((row) => ({
    ...row,
    small: rounded(row.small),
    large: rounded(row.large),
    judged: rounded(row.judged),
  }));
  console.table(figures);
  const document = {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    load: loadavg().map(rounded),
    addedTools: Number(options.tools),
    starts: STARTS,
    searches: large.searches.length,
    firstSearchMs: searched.firstMs,
    figures,
  };
  writeFileSync(options.results, `${JSON.stringify(document, null, 2)}\n`);
  const missed = figures.filter(({ judged, most }) => !(judged <= most));
  if (missed.length > 0 && !options.unbounded) {
    console.error(`Beyond the bound: ${missed.map(({ figure }) => figure).join('; ')}`);
    process.exitCode = 1;
  }
} finally {
  for (const folder of [catalogDir, small.folder, large.folder]) rmSync(folder, { recursive: true });
}
