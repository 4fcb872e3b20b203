/** Pages of the documentation and their fenced blocks, for the tests that run them and compare them with the code. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = new URL('../../docs/', import.meta.url);

/** A fenced block of a page. */
export interface Block {
  /** Path of the page below the root of the repository. */
  page: string;
  /** Line of the page on which its fence opens. */
  line: number;
  /** '' where the fence names none. */
  language: string;
  text: string;
  /** From `<!-- not run: why -->` before the fence: why nothing runs it. */
  notRun: string | undefined;
  /** The file that its first line names (`# gatehouse.yaml`, `// books.mjs`): where a reader saves it. */
  file: string | undefined;
}

const FENCED =
  /^(?:[ ]*<!-- not run: (?<why>.+) -->\n\n?)?(?<indent> *)```(?<language>\w*)\n(?<text>[\s\S]*?)^\k<indent>```$/gm;

const FILE = /^(?:#|\/\/) ([\w./-]+\.\w+)\n/;

/** Whether a block shows commands about an example connector, which need a provider of their own: documented-examples.test.ts. */
export function isAboutExample({ page: path, text }: Block): boolean {
  return /^docs\/adding-a-connector\/(?!README|openapi)/.test(path) && !/\breaders/.test(text);
}

/** @param name path below `docs/` */
export function page(name: string): string {
  return readFileSync(new URL(name, DOCS), 'utf8');
}

/** All pages of `docs/adding-a-connector/` in one text, by file name. */
export function connectorPages(): string {
  const names = readdirSync(new URL('adding-a-connector/', DOCS)).sort();
  return names.map((name) => page(`adding-a-connector/${name}`)).join('\n');
}

/** Every page for readers, as paths below the root. */
export function documentedPages(): string[] {
  const pages = globSync(['*.md', 'docs/**/*.md', 'catalogs/*/README.md', 'data/*.md', 'evals/*.md'], {
    cwd: ROOT,
  });
  return pages.toSorted();
}

/** The fenced blocks of a page, in order. @param path below the root of the repository */
export function blocksOf(path: string): Block[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return [...text.matchAll(FENCED)].map(({ index, 0: whole, groups = {} }) => {
    const indent = new RegExp(`^${groups['indent']}`, 'gm');
    const block = groups['text']!.replaceAll(indent, '');
    const fenceAt = index + whole.search(/^ *```/m);
    return {
      page: path,
      line: text.slice(0, fenceAt).split('\n').length,
      language: groups['language']!,
      text: block,
      notRun: groups['why'],
      file: FILE.exec(block)?.[1],
    };
  });
}
