/**
 * Notes every statement that the program sends to a database of a test, for test/store/statement-plans.test.ts, which
 * runs after all other files. Statements that a test itself wrote are left out: the stack tells who sent one.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statements } from '../../src/core/telemetry/measured.ts';
import type { Dialect } from '../../src/store/engine/database.ts';

/** In the folder of this run. */
const FILE = join(tmpdir(), 'statements.jsonl');

/** Frames between a statement and who sent it. */
const PASSED_ON =
  /node_modules|node:internal|Promise\.all|\/src\/store\/engine\/|noted-statements|measured\.ts/;
const FRAMES = 60;

/** What a migration does once is not a statement of the running program. */
const LEFT_OUT = /\/test\/|\/src\/store\/migrations\//;

const READS_OR_WRITES = /^\s*(select|insert|update|delete|with)\b/i;

/** Each file of tests in this process may load this module anew. */
const inProcess: { isNoting?: boolean } = globalThis as object;
if (inProcess.isNoting !== true) noteAll();
inProcess.isNoting = true;

function noteAll(): void {
  const seen = new Set<string>();
  statements.listen(({ sql }) => {
    if (seen.has(sql) || !READS_OR_WRITES.test(sql)) return;
    const sender = senderOf();
    if (sender === undefined || LEFT_OUT.test(sender)) return;
    seen.add(sql);
    appendFileSync(FILE, `${JSON.stringify({ sql, sender } satisfies NotedStatement)}\n`);
  });
}

/** The first line of the stack that is not of the database or a library. */
function senderOf(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error('stack');
  Error.stackTraceLimit = stackTraceLimit;
  return stack
    .split('\n')
    .slice(1)
    .find((line) => !PASSED_ON.test(line));
}

/** A statement, and the place in src that sent it. */
export interface NotedStatement {
  sql: string;
  sender: string;
}

/** The statements that were noted so far, each once; those without values are of both databases. */
export function notedStatements(dialect: Dialect): NotedStatement[] {
  if (!existsSync(FILE)) return [];
  const lines = readFileSync(FILE, 'utf8').trim().split('\n');
  const noted = lines.map((line) => JSON.parse(line) as NotedStatement);
  const foreign = dialect === 'sqlite' ? /\$\d/ : /\+\?/;
  return [...new Map(noted.map((one) => [one.sql, one])).values()].filter(({ sql }) => !foreign.test(sql));
}
