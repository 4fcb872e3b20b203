/** How often the long tests repeat. `npm run test:long` sets GATEHOUSE_TEST_ROUNDS=full: the figures promised in docs/security.md. */
const full = process.env.GATEHOUSE_TEST_ROUNDS === 'full';

export const ROUNDS = {
  full,
  /** Whether tests of many processes run on Postgres too, beside SQLite. */
  slowOnPostgres: full,
  /** Requests of the seeded fuzz test. */
  fuzzRequests: full ? 10_000 : 200,
  /** Seeded MCP requests whose answers are compared with the SDK's own. */
  strangeMcpRequests: full ? 15_000 : 200,
  /** Random writes cut short by kill -9. */
  killRounds: full ? 200 : 3,
  /** Servers killed by kill -9 under load. */
  serverKills: full ? 10 : 1,
  /** Callers that ask for one token at once. */
  callersAtOnce: full ? 200 : 20,
  /** Processes that they ask. */
  processesAtOnce: full ? 4 : 2,
  /** Refreshes that they ask for. */
  refreshStorms: full ? 15 : 1,
  /** Accounts whose tokens end in the same second; a hundred times as many in bench/refresh.ts. */
  tokensEndingTogether: full ? 100 : 20,
  /** Callers with tokens that live for a second. */
  shortTokenCallers: full ? 20 : 6,
  /** Seconds of their calls. */
  shortTokenSeconds: full ? 60 : 3,
  /** How long the slow provider thinks about a refresh, in seconds. */
  slowRefreshSeconds: full ? 25 : 3,
  /** Kills at random times in each step of connecting and refreshing. */
  killsPerStep: full ? 40 : 1,
  /** Secrets that a rotation of keys goes through while servers are busy. */
  rotatedSecrets: full ? 5_000 : 500,
  /** Rotations cut short by kill -9 on each database, and restores. */
  rotationKills: full ? 20 : 1,
  /** Example connectors whose documented commands are run. */
  documentedExamples: full ? /./ : /^accounting$/,
  /** Whether the commands of every documented page are run, or of a few. */
  everyPage: full,
  /** Whether MCP clients of every kind start a process of their own, or one of each era. */
  everyClient: full,
  /** Parallel verifies of one auth request. */
  parallelVerifies: 50,
  /** Interleaved MCP calls of several users. */
  interleavedCalls: full ? 1_000 : 40,
  /** Whether pages are looked at in both themes at both sizes, or each in one of them. */
  everyTheme: full,
  /** Inputs of tools that leniency is tried with, for each property. */
  anyInput: full ? 40_000 : 100,
  /** Tool lists compared byte for byte. */
  toolLists: full ? 100 : 5,
} as const;

/** Rows of a table of tests for the full rounds alone: another row is of the same kind as each of them. */
export const inFullRounds = <const Row>(...rows: readonly Row[]): readonly Row[] => (full ? rows : []);
