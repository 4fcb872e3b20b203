/**
 * References to documentation and to code: every path and heading that code, tests and pages name is there, and nobody
 * cites what a reader of this repository cannot open.
 *
 * Headings become anchors as GitHub makes them: lower case, punctuation removed, spaces as hyphens, `-1` for the second of
 * a name.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** What may cite pages. */
const CODE = globSync('{src,sandbox,test,scripts,bench,catalogs,data,evals,ops}/**/*.{ts,js,css,yaml}', {
  cwd: ROOT,
});
const PAGES = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules'] });

/** A page or folder named from the root of the repository, anywhere in a text: path and heading. */
const NAMED = /(?<![\w./-])(docs\/[\w./-]*\w)(?:#([\w-]+))?/g;

/** The target of a link of Markdown that is no address of a web site. */
const LINKED = /\]\((?![a-z]+:)<?([^)#\s>]*)(?:#([^)\s>]+))?>?\)/g;

/** Files of code, which comments and pages name by their path or by the end of it. */
const CODE_FILES = globSync('{src,sandbox,test,scripts,bench}/**/*.ts', { cwd: ROOT });

/** A file of code named in a sentence, such as `links/links.ts`. */
const NAMED_CODE = /(?<![\w./<>*…-])((?:[\w-]+\/)*[\w-]+(?:\.test)?\.ts)\b/g;

/** Papers from before this repository. A class or an escape in each word keeps them from finding themselves. */
const UNREADABLE = [
  /contract[\s*/]+sections?\b/i,
  /security[\s*/]+(page\b|rows?\s*\d)/i,
  /specification[\s*/]+(section\s*)?\d/i,
  /promises?[\s*/]+P\d/,
];

interface Reference {
  /** From the root. */
  path: string;
  heading: string | undefined;
}

/** Pages that a text names by their path in the repository. */
function namedPages(text: string): Reference[] {
  return [...text.matchAll(NAMED)].map(([, path = '', heading]) => ({ path, heading }));
}

/** Files that a page links to, from the folder of that page. */
function linkedFiles(page: string, text: string): Reference[] {
  return [...withoutCode(text).matchAll(LINKED)].map(([, path = '', heading]) => ({
    path: path === '' ? page : normalize(join(dirname(page), decodeURI(path))),
    heading,
  }));
}

/** Code blocks and code spans hold no links and no headings. */
function withoutCode(text: string): string {
  return text.replaceAll(/^ *(`{3,}|~{3,})[^]*?^ *\1`*$/gm, '').replaceAll(/(?<!`)(`+)(?!`)[^\n]*?\1/g, '');
}

/** Anchors of a page: of its headings, and those written out. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  const blocksRemoved = text.replaceAll(/^ *(`{3,}|~{3,})[^]*?^ *\1`*$/gm, '');
  const counts = new Map<string, number>();
  for (const [, heading = ''] of blocksRemoved.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading);
    const before = counts.get(slug) ?? 0;
    counts.set(slug, before + 1);
    anchors.add(before === 0 ? slug : `${slug}-${before}`);
  }
  return anchors;
}

/** The anchor GitHub gives a heading. */
function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/** Files of code that a text names and that are nowhere in the repository. */
function missingCode(text: string): string[] {
  return [...text.matchAll(NAMED_CODE)]
    .map(([, name = '']) => name)
    .filter((name) => !CODE_FILES.some((path) => path === name || path.endsWith(`/${name}`)));
}

function commentsOf(code: string): string {
  return (code.match(/\/\*[^]*?\*\/|^ *\/\/.*$/gm) ?? []).join('\n');
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** What is wrong with a reference; undefined when it leads somewhere. */
function fault({ path, heading }: Reference): string | undefined {
  if (!existsSync(join(ROOT, path))) return `${path} does not exist`;
  if (heading === undefined || !path.endsWith('.md')) return undefined;
  return anchorsOf(read(path)).has(heading) ? undefined : `${path} has no heading #${heading}`;
}

/** Faults of all references of some files, as `file: fault`. */
function faults(files: readonly string[], references: (file: string, text: string) => Reference[]): string[] {
  return files.flatMap((file) =>
    references(file, read(file)).flatMap((reference) => {
      const found = fault(reference);
      return found === undefined ? [] : [`${file}: ${found}`];
    }),
  );
}

it('finds every documentation page and heading that code and tests cite', () => {
  const citing = CODE.filter((file) => namedPages(read(file)).length > 0);
  expect(citing.length).toBeGreaterThan(10);
  expect(faults(CODE, (_, text) => namedPages(text))).toEqual([]);
});

it('finds every file and heading that documentation pages link to', () => {
  expect(PAGES.length).toBeGreaterThan(30);
  expect(faults(PAGES, linkedFiles)).toEqual([]);
});

it('finds every documentation page that another page names by its path', () => {
  expect(faults(PAGES, (_, text) => namedPages(text))).toEqual([]);
});

it('finds every file of code that a comment names', () => {
  const missing = CODE_FILES.flatMap((file) =>
    missingCode(commentsOf(read(file))).map((name) => `${file}: ${name}`),
  );
  expect(missing).toEqual([]);
  expect(missingCode('// see links/link.ts')).toEqual(['links/link.ts']);
});

it('finds every file of code that a documentation page names', () => {
  const pages = PAGES.filter((page) => page !== 'CHANGELOG.md');
  const missing = pages.flatMap((page) => missingCode(read(page)).map((name) => `${page}: ${name}`));
  expect(missing).toEqual([]);
});

it('finds every test file that a documentation page names', () => {
  const named = PAGES.flatMap((file) =>
    [...read(file).matchAll(/`(test\/[a-z0-9/.-]+)`/g)].map(([, path = '']) => ({ file, path })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('finds every test sentence that the faults in docs/operations.md name', () => {
  const [, section = ''] = read('docs/operations.md').split('## The faults of a bad day');
  const rows =
    section
      .split('\n## ')[0]
      ?.match(/^\| .*$/gm)
      ?.slice(2) ?? [];
  expect(rows.length).toBeGreaterThan(12);
  const named = rows.map((row) =>
    [...row.matchAll(/`(test\/[a-z0-9/.-]+)`: _([^|]+?)_(?=<br>| *\|)/g)].map(
      ([, path = '', sentence = '']) => ({ path, sentence }),
    ),
  );
  expect(named.filter((tests) => tests.length === 0)).toEqual([]);
  expect(named.flat().filter(({ path, sentence }) => !read(path).includes(sentence))).toEqual([]);
});

it.each(UNREADABLE)('finds no citation of a paper outside the repository: %s', (pattern) => {
  const citing = [...CODE, ...PAGES].filter((file) => pattern.test(read(file)));
  expect(citing).toEqual([]);
});

it.each([
  ['## 6. Links and verification', '6-links-and-verification'],
  ['### `connections[]`', 'connections'],
  ["### An organization's own OpenID provider", 'an-organizations-own-openid-provider'],
  ['## What to do when …', 'what-to-do-when-'],
  ['## Keys\n\n## Keys', 'keys-1'],
])('gives the heading %j the anchor %s', (text, anchor) => {
  expect(anchorsOf(text)).toContain(anchor);
});
