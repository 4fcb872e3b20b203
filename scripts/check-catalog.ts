/**
 * `npm run catalog [-- DIR…]`: checks the shipped catalog, and the folders named beside it, and prints what it costs
 * in a tool list. Exit code 1 with every problem when there is one.
 */
import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { checkCatalog } from '../src/catalog/lint.ts';
import { handlers } from '../src/connectors/index.ts';

const shipped = relative(process.cwd(), fileURLToPath(new URL('../catalogs', import.meta.url))) || '.';
const { problems, summary } = checkCatalog([shipped, ...process.argv.slice(2)], {
  handlers: new Set(handlers.keys()),
});

console.log(
  `${'toolset'.padEnd(32)}${'tools'.padStart(6)}${'bytes'.padStart(9)}${'bytes/tool'.padStart(12)}`,
);
for (const { connector, toolset, tools, bytes } of summary) line(`${connector}.${toolset}`, tools, bytes);
for (const connector of new Set(summary.map((row) => row.connector)))
  sum(connector, (row) => row.connector === connector);
sum('all', () => true);

if (problems.length > 0) {
  console.error(`\n${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}:`);
  for (const { file, line: number, message } of problems) console.error(`  ${file}:${number}: ${message}`);
  process.exitCode = 1;
}

function sum(name: string, wanted: (row: (typeof summary)[number]) => boolean): void {
  const rows = summary.filter(wanted);
  const total = (key: 'tools' | 'bytes'): number => rows.reduce((result, row) => result + row[key], 0);
  line(name, total('tools'), total('bytes'));
}

function line(name: string, tools: number, bytes: number): void {
  const each = tools === 0 ? 0 : Math.round(bytes / tools);
  console.log(
    `${name.padEnd(32)}${String(tools).padStart(6)}${String(bytes).padStart(9)}${String(each).padStart(12)}`,
  );
}
