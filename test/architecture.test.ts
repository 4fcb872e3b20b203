/**
 * The shape of the source tree: who may import whom, what is loaded lazily, and a few habits that a text
 * search can check. The table is the one of docs/architecture.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Per module the modules it may import besides itself and core; `:types` allows types only, a path only that folder. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  settings: [],
  vault: [],
  outbound: [],
  sandbox: [],
  'authorization-types': [],
  store: ['authorization-types:types'],
  catalog: ['authorization-types'],
  connections: ['catalog', 'authorization-types', 'store', 'vault'],
  accounts: ['connections', 'catalog', 'authorization-types', 'store', 'vault'],
  credentials: ['accounts', 'connections', 'catalog', 'authorization-types', 'store', 'vault', 'outbound'],
  links: [
    'credentials',
    'accounts',
    'connections',
    'catalog',
    'authorization-types',
    'store',
    'vault',
    'outbound',
  ],
  connectors: ['catalog', 'outbound:types'],
  upstream: ['credentials', 'connections', 'catalog', 'authorization-types', 'store', 'vault', 'outbound'],
  executor: [
    'upstream',
    'links',
    'credentials',
    'accounts',
    'connections',
    'catalog',
    'authorization-types',
    'connectors',
    'store',
    'outbound',
  ],
  'signed-sender': ['store', 'vault', 'outbound'],
  webhooks: ['signed-sender', 'store'],
  interceptors: ['signed-sender', 'store'],
  'api-credentials': ['store'],
  people: ['interceptors', 'signed-sender', 'store', 'vault', 'outbound'],
  'authorization-server': ['people', 'api-credentials', 'interceptors', 'store', 'vault', 'outbound'],
  'virtual-servers': [
    'authorization-server',
    'people',
    'api-credentials',
    'executor',
    'accounts',
    'connections',
    'catalog',
    'store',
  ],
  mcp: ['executor', 'accounts', 'catalog'],
  http: [
    'upstream',
    'virtual-servers',
    'executor',
    'links',
    'credentials',
    'accounts',
    'connections',
    'catalog',
    'authorization-types',
    'authorization-server',
    'people',
    'api-credentials',
    'webhooks',
    'interceptors',
    'signed-sender',
  ],
  pages: [
    'executor:types',
    'links',
    'credentials:types',
    'accounts:types',
    'catalog',
    'people',
    'authorization-server',
  ],
  operations: ['store', 'vault'],
  dashboard: [
    'upstream',
    'pages/frame',
    'operations',
    'virtual-servers',
    'executor',
    'links',
    'credentials',
    'accounts',
    'connections',
    'catalog',
    'authorization-types',
    'authorization-server',
    'people',
    'api-credentials',
    'webhooks',
    'interceptors',
    'signed-sender',
  ],
  cli: ['app', 'authorization-types', 'settings'],
  main: ['cli', 'app'],
  app: [
    'settings',
    'vault',
    'outbound',
    'sandbox',
    'authorization-types',
    'store',
    'catalog',
    'connections',
    'accounts',
    'credentials',
    'links',
    'connectors',
    'upstream',
    'executor',
    'signed-sender',
    'webhooks',
    'interceptors',
    'api-credentials',
    'people',
    'authorization-server',
    'virtual-servers',
    'mcp',
    'http',
    'pages',
    'operations',
    'dashboard',
  ],
};

/**
 * Per module its folders in order: each may import those named before it, and `.` is the module's own files.
 * Folders that share a line may import each other's files.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  core: ['.', 'telemetry', 'yaml'],
  catalog: ['grammar', 'model', 'call', 'check', 'load', 'import', '.'],
  store: ['tables', 'engine', 'migrations accounts people tokens policy records upstreams installation', '.'],
  credentials: ['oauth', 'schemes', 'refresh', '.'],
  links: ['.', 'consent'],
  upstream: ['definitions', 'published', 'calls', 'lists', 'operators', '.'],
  executor: ['call', 'idempotency', 'proxy', '.'],
  people: ['.', 'sign-in'],
  mcp: ['results', 'search', '.', 'transports'],
  'authorization-server': ['protocol', 'tokens', 'library', '.'],
  http: ['listener', 'api', 'proxy', 'routes', '.'],
  pages: ['words', 'frame', 'reference', 'connect', 'sign-in', 'consent', 'accounts', 'people', '.'],
  dashboard: ['words', 'assets', 'frame', 'components', 'access', 'pages', '.'],
  cli: ['terminal', 'clients', 'commands', '.'],
  app: ['services', 'serve', 'commands demo', 'eval', '.'],
};

/** Packages that cost much at start, and the only modules that may import them. */
const HEAVY: Readonly<Record<string, readonly string[]>> = {
  'oidc-provider': ['authorization-server'],
  '@modelcontextprotocol/client': ['app', 'upstream', 'credentials'],
  '@modelcontextprotocol/node': ['mcp'],
  'prom-client': ['http'],
  'better-sqlite3': ['store', 'sandbox'],
  pg: ['store'],
  undici: ['outbound'],
  oauth4webapi: ['credentials'],
  'openid-client': ['people'],
  nodemailer: ['people'],
  '@opentelemetry/api': ['app'],
};

/** What `gatehouse mcp` does without until somebody calls a tool or opens a link. */
const FOR_SERVERS = [...Object.keys(HEAVY), 'hono', '@hono/node-server', '@hono/zod-openapi'];

/** Where `import()` may stand: choosing a command, composition (also a module's own, in `build-…`), choosing a driver, opening the authorization server and ways to sign in, the first search, the first MCP message that needs the SDK. */
const LAZY_IMPORTS = [
  /^credentials\/oauth\/mcp-discovery\.ts$/,
  /^main\.ts$/,
  /^cli\//,
  /^app\//,
  /^store\/open\.ts$/,
  /^authorization-server\//,
  /^people\//,
  /^mcp\/discovery\.ts$/,
  /^mcp\/transports\/http\.ts$/,
  /^upstream\/build-upstreams\.ts$/,
  /\/build-[a-z-]+\.ts$/,
];

const MAX_LINES = 400;

/** Files that lie in one folder of src, without those of its folders. */
const MAX_FILES = 25;

interface Import {
  specifier: string;
  /** Path as in `SourceFile` for our own files, else undefined. */
  target: string | undefined;
  isTypeOnly: boolean;
  isLazy: boolean;
}

interface SourceFile {
  /** Path from src/; that of a stand-in begins with `sandbox/`. */
  path: string;
  module: string;
  text: string;
  imports: Import[];
}

const files: readonly SourceFile[] = ['src', 'sandbox'].flatMap((root) =>
  readdirSync(join(ROOT, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(ROOT, root, path), 'utf8');
      const name = nameOf(join(root, path));
      return { path: name, module: moduleOf(name), text, imports: importsOf(name, text) };
    }),
);

/** Path from the root of the repository as `SourceFile` has it. */
function nameOf(path: string): string {
  return path.replace(/^src\//, '');
}

function moduleOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, '');
}

/** The folder of a module that a file lies in, at any depth; `.` for the module's own files. */
function folderOf(path: string): string {
  const [, folder, ...deeper] = path.split('/');
  return deeper.length === 0 ? '.' : (folder ?? '.');
}

function importsOf(path: string, text: string): Import[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  const add = (specifier: string, isTypeOnly: boolean, isLazy: boolean): void => {
    const target = specifier.startsWith('.')
      ? nameOf(join(path.startsWith('sandbox/') ? '.' : 'src', dirname(path), specifier))
      : undefined;
    found.push({ specifier, target, isTypeOnly, isLazy });
  };
  for (const [, type, names, specifier] of code.matchAll(
    /^(?:import|export)\s+(type\s+)?((?:[\w*$]|\{[^}]*\}|,|\s)*?)\s*from\s+'([^']+)'/gm,
  )) {
    const braces = /^\{([^}]*)\}$/.exec(names?.trim() ?? '')?.[1];
    const namesTypesOnly =
      braces !== undefined &&
      braces
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .every((name) => name.startsWith('type '));
    add(specifier ?? '', type !== undefined || namesTypesOnly, false);
  }
  for (const [, specifier] of code.matchAll(/^import\s+'([^']+)'/gm)) add(specifier ?? '', false, false);
  for (const [, typeOf, specifier] of code.matchAll(/(typeof\s+)?\bimport\(\s*'([^']+)'/g)) {
    add(specifier ?? '', typeOf !== undefined, typeOf === undefined);
  }
  return found;
}

function packageOf(specifier: string): string {
  const [scope, name] = specifier.split('/');
  return scope?.startsWith('@') ? `${scope}/${name}` : (scope ?? '');
}

/** Everything loaded when a file is: its imports without `import()`, and theirs. */
function loadedWith(entry: string): { files: Set<string>; packages: Set<string> } {
  const reached = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { specifier, target, isTypeOnly, isLazy } of files.find((file) => file.path === path)
      ?.imports ?? []) {
      if (isTypeOnly || isLazy) continue;
      if (target === undefined) packages.add(packageOf(specifier));
      else visit(target);
    }
  };
  visit(entry);
  return { files: reached, packages };
}

/** Every file that a file has to do with: its imports without `import()`, those of types too, and theirs. */
function namedBy(entry: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { target, isLazy } of files.find((file) => file.path === path)?.imports ?? []) {
      if (target !== undefined && !isLazy) visit(target);
    }
  };
  visit(entry);
  return reached;
}

describe('architecture: imports', () => {
  it('appear in this check in every syntax', () => {
    const text = [
      "import a from 'a';",
      "import type { B } from './b.ts';",
      "import { type C, type D } from '../c.ts';",
      "import { type E,\n  f } from 'e';",
      "import * as g from 'g';",
      "import './h.ts';",
      "export { i } from './i.ts';",
      "export type { J } from './j.ts';",
      "const k = await import('k');",
      "let l: typeof import('l');",
      "// import m from 'm';",
      "/* import n from 'n'; */",
    ].join('\n');
    expect(importsOf('mod/x.ts', text)).toEqual([
      { specifier: 'a', target: undefined, isTypeOnly: false, isLazy: false },
      { specifier: './b.ts', target: 'mod/b.ts', isTypeOnly: true, isLazy: false },
      { specifier: '../c.ts', target: 'c.ts', isTypeOnly: true, isLazy: false },
      { specifier: 'e', target: undefined, isTypeOnly: false, isLazy: false },
      { specifier: 'g', target: undefined, isTypeOnly: false, isLazy: false },
      { specifier: './i.ts', target: 'mod/i.ts', isTypeOnly: false, isLazy: false },
      { specifier: './j.ts', target: 'mod/j.ts', isTypeOnly: true, isLazy: false },
      { specifier: './h.ts', target: 'mod/h.ts', isTypeOnly: false, isLazy: false },
      { specifier: 'k', target: undefined, isTypeOnly: false, isLazy: true },
      { specifier: 'l', target: undefined, isTypeOnly: true, isLazy: false },
    ]);
  });

  it('exist, in modules that the table knows', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter(({ module }) => !Object.hasOwn(MAY_IMPORT, module)).map(({ path }) => path)).toEqual(
      [],
    );
  });

  it('stay inside src and resolve to files', () => {
    const known = new Set(files.map((file) => file.path));
    const lost = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target !== undefined && !known.has(target))
        .map(({ specifier }) => `${path} -> ${specifier}`),
    );
    expect(lost).toEqual([]);
  });

  it.each(Object.entries(MAY_IMPORT))('lead from %s only to core and %j', (module, allowed) => {
    const offences = files
      .filter((file) => file.module === module)
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target, isTypeOnly }) => {
            if (target === undefined) return false;
            const other = moduleOf(target);
            if (other === module || other === 'core' || allowed.includes(other)) return false;
            if (allowed.some((one) => one.includes('/') && target.startsWith(`${one}/`))) return false;
            return !(isTypeOnly && allowed.includes(`${other}:types`));
          })
          .map(({ specifier }) => `${path} -> ${specifier}`),
      );
    expect(offences).toEqual([]);
  });

  it.each(Object.entries(FOLDERS))('lead inside %s only to earlier folders of %j', (module, order) => {
    const rank = (path: string): number =>
      order.findIndex((folders) => folders.split(' ').includes(folderOf(path)));
    const own = files.filter((file) => file.module === module);
    expect(own.filter(({ path }) => rank(path) < 0).map(({ path }) => path)).toEqual([]);
    const offences = own.flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ target }) => target !== undefined && moduleOf(target) === module && rank(target) > rank(path),
        )
        .map(({ specifier }) => `${path} -> ${specifier}`),
    );
    expect(offences).toEqual([]);
  });

  it('load a module lazily only where they are listed', () => {
    const lazy = files.filter(({ imports }) => imports.some(({ isLazy }) => isLazy)).map(({ path }) => path);
    expect(lazy.filter((path) => !LAZY_IMPORTS.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it.each(Object.entries(HEAVY))('name the heavy package %s only in %j', (name, allowed) => {
    const offences = files
      .filter(({ module, imports }) =>
        imports.some(
          ({ specifier, isTypeOnly }) =>
            !isTypeOnly && packageOf(specifier) === name && !allowed.includes(module),
        ),
      )
      .map(({ path }) => path);
    expect(offences).toEqual([]);
  });

  it('leave database rows inside the store', () => {
    const rows = /\b[A-Z]\w*Row\b[^']*'[^']*\/store\//;
    const users = files
      .filter(({ module }) => module !== 'store')
      .filter(({ text }) =>
        [...text.matchAll(/^(?:import|export)\s[^;]*?\bfrom\s+'[^']*'/gm)].some(([found]) =>
          rows.test(found),
        ),
      );
    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it('contain no circular dependencies', () => {
    const circles = files.filter(({ path, imports }) =>
      imports.some(({ target, isLazy }) => target !== undefined && !isLazy && namedBy(target).has(path)),
    );
    expect(circles.map(({ path }) => path)).toEqual([]);
  });
});

describe('architecture: modules loaded at a start', () => {
  it('loads no heavy package before a command is known', () => {
    const { packages } = loadedWith('main.ts');
    expect(packages).toContain('commander');
    expect([...packages].filter((name) => Object.hasOwn(HEAVY, name))).toEqual([]);
  });

  it('serves MCP over stdio without what only a network server needs', () => {
    const { packages } = loadedWith('app/serve/stdio.ts');
    expect(packages).toContain('@modelcontextprotocol/server');
    expect([...packages].filter((name) => FOR_SERVERS.includes(name))).toEqual([]);
  });

  it('serves plain MCP messages over HTTP without the SDK', () => {
    const { files: loaded, packages } = loadedWith('mcp/transports/http.ts');
    expect([...loaded]).toContain('mcp/tool-call.ts');
    expect([...packages].filter((name) => name.startsWith('@modelcontextprotocol/'))).toEqual([]);
  });
});

describe('architecture: every folder of src', () => {
  it(`has at most ${MAX_FILES} files`, () => {
    const own = files.filter(({ module }) => module !== 'sandbox');
    const folders = Map.groupBy(own, ({ path }) => dirname(path));
    const full = [...folders].map(([folder, { length }]) => ({ folder, length }));
    expect(full.filter(({ length }) => length > MAX_FILES)).toEqual([]);
  });
});

describe('architecture: every source file', () => {
  it('begins with a comment about its purpose', () => {
    expect(files.filter(({ text }) => !text.startsWith('/**')).map(({ path }) => path)).toEqual([]);
  });

  it(`has at most ${MAX_LINES} lines`, () => {
    const long = files.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(long.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
  });

  it('uses named exports only', () => {
    expect(files.filter(({ text }) => /^export default\b/m.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('contains no TODO or FIXME', () => {
    expect(files.filter(({ text }) => /\b(TODO|FIXME|XXX)\b/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('has a name in kebab case', () => {
    expect(files.filter(({ path }) => !/^[a-z0-9/-]+(\.d)?\.ts$/.test(path)).map(({ path }) => path)).toEqual(
      [],
    );
  });
});
