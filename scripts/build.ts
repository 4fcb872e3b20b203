/**
 * Builds dist/ (or the folder given as argument), which the published package runs: the program in a few
 * JavaScript files, and the shipped catalog, checked and compiled.
 *
 * Code that a command loads lazily stays in a file of its own, so that a start reads only what it needs. Code
 * that every running Gatehouse needs is one file, because each file costs start time and memory. Files lie
 * flat in dist/: the program finds its catalog and package.json next to or above its own file.
 */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { compileCatalog } from '../src/catalog/index.ts';
import type { CompiledCatalog } from '../src/catalog/model/compiled.ts';
import { handlers } from '../src/connectors/index.ts';
import { bundledLicenses } from './bundled-licenses.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = resolve(process.argv[2] ?? join(ROOT, 'dist'));

/**
 * Left to node_modules, and so dependencies of the package: better-sqlite3 contains a native binary; pino and yaml are loaded by require when
 * needed; OpenTelemetry's packages are there only where traces are exported.
 */
const EXTERNAL = [
  'better-sqlite3',
  'pino',
  're2js',
  'yaml',
  'pg-native',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
];

/** The modules that the MCP SDK takes from its platform. */
const SDK_SHIMS = '@modelcontextprotocol/server/_shims';

/**
 * The SDK's other validator for answers of a client's user: a seventh of the size, and Gatehouse asks for no
 * forms.
 */
const SMALL_SHIMS = `
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
export { default as process } from 'node:process';
`;

rmSync(DIST, { recursive: true, force: true });

const bundle = await rolldown({
  input: {
    main: join(ROOT, 'src/main.ts'),
    // A thread and a process begin with a file of their own.
    'sqlite-worker': join(ROOT, 'src/store/engine/sqlite-worker.ts'),
    'sqlite-check': join(ROOT, 'src/store/engine/sqlite-check.ts'),
    'migration-worker': join(ROOT, 'src/store/migrations/migration-worker.ts'),
  },
  platform: 'node',
  external: (id) => EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)),
  cwd: ROOT,
  tsconfig: join(ROOT, 'tsconfig.json'),
  // Its main file finds its parts in a way that a bundle does not have.
  resolve: { alias: { 'jsonc-parser': join(ROOT, 'node_modules/jsonc-parser/lib/esm/main.js') } },
  // A dependency of oidc-provider.
  checks: { eval: false },
  preserveEntrySignatures: 'allow-extension',
  plugins: [
    {
      name: 'small-validator',
      resolveId: (id) => (id === SDK_SHIMS ? `\0${SDK_SHIMS}` : undefined),
      load: (id) => (id === `\0${SDK_SHIMS}` ? SMALL_SHIMS : undefined),
    },
  ],
});
let ofProcess: ReadonlySet<string> | undefined;
const { output } = await bundle.write({
  dir: DIST,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: {
    groups: [
      {
        debugName: 'process',
        name: (id, graph) => {
          ofProcess ??= modulesOfProcess((of) => graph.getModuleInfo(of)?.importedIds ?? []);
          return ofProcess.has(id) ? 'process' : null;
        },
        includeDependenciesRecursively: false,
      },
    ],
  },
  // Shorter code starts a third faster. Names stay: stack traces and oidc-provider need them.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  keepNames: true,
  comments: { legal: true, annotation: false, jsdoc: false },
  plugins: [
    {
      name: 'ascii',
      generateBundle: (_options, chunks) => {
        for (const chunk of Object.values(chunks))
          if (chunk.type === 'chunk') chunk.code = inAscii(chunk.code);
      },
    },
  ],
});
await bundle.close();

const catalog = compileCatalog([join(ROOT, 'catalogs')], { handlers: new Set(handlers.keys()) });
const build = createHash('sha256');
for (const chunk of output) if (chunk.type === 'chunk') build.update(chunk.code);
writeFileSync(
  join(DIST, 'catalog.json'),
  inAscii(JSON.stringify({ ...catalog, build: build.digest('hex') } satisfies CompiledCatalog)),
);

writeFileSync(
  join(DIST, 'licenses.txt'),
  bundledLicenses(output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))),
);

const entry = output.find((chunk) => chunk.fileName === 'main.js');
const atStart = new Set([entry?.fileName, ...(entry?.type === 'chunk' ? entry.imports : [])]);
let total = 0;
for (const name of readdirSync(DIST).toSorted()) {
  const { size } = statSync(join(DIST, name));
  total += size;
  console.log(`${kilobytes(size)}  ${name}${atStart.has(name) ? '  (at start)' : ''}`);
}
console.log(`${kilobytes(total)}  in all`);

/**
 * Modules that both `serve` and `mcp` start with, without those needed by every command or by commands that
 * only read the catalog.
 *
 * Closed under imports, except for modules that those commands start with, so the file is in no import cycle.
 */
function modulesOfProcess(importsOf: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = (path: string): Set<string> => {
    const found = new Set([join(ROOT, 'src', path)]);
    for (const id of found) for (const imported of importsOf(id)) found.add(imported);
    return found;
  };
  const [server, session] = [reached('app/serve/serve.ts'), reached('app/serve/stdio.ts')];
  const [commands, catalog] = [reached('main.ts'), reached('app/services/installed-catalog.ts')];
  return new Set([...server].filter((id) => session.has(id) && !commands.has(id) && !catalog.has(id)));
}

/**
 * Writes every non-ASCII character as `\\uXXXX`, which texts, patterns and JSON read the same. The engine
 * stores a source with one such character in two bytes per character: 2 MB more of resident memory.
 */
function inAscii(text: string): string {
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1).padStart(8)} kB`;
}
