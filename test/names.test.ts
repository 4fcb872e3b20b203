/**
 * Names of tests: somebody who reads a name alone knows the subject and the behavior.
 *
 * `it` is a clause of at least four words. It does not begin with a word that only continues the name of its group. A
 * `describe` at the top of a file contains a word that documentation explains.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..');
const FILES = globSync('test/**/*.test.ts', { cwd: ROOT });
const PAGES = globSync('docs/**/*.md', { cwd: ROOT });

const MIN_WORDS = 4;
const CONTINUATION = /^(is|are|that|of|but)\b/i;

/** Words of headings that name no subject; decisions have whole sentences for headings. */
const FUNCTION_WORDS = new Set(
  (
    'a all alternatives an and answered any are as asked at before behind beside by can closed come consequences consist ' +
    'context decision decisions did do every everybody exercise extend first five fixed for from further get give go happened ' +
    'has have held hold how in into is it its itself kept long low made make may mean meant might new not ' +
    'nothing of old on once one or other our out outside own per promised replaced run runs same see set ' +
    'several shared short some start stay still than that the their them themselves then this three ' +
    'through time to try twice two up usable use used watched what when where which while who whole whom ' +
    'whose with without word write yes you your'
  ).split(' '),
);

interface Group {
  kind: 'describe' | 'it';
  /** As the source has it, with placeholders. */
  name: string;
  /** No group contains it. */
  isTop: boolean;
}

/** What the walk reads of a node of the syntax tree. */
type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** The function that a call goes through: `it` of `it.skipIf(x).each(rows)(name, run)`. */
function calledName(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined;
  if (callee['type'] === 'Identifier') return String(callee['name']);
  if (callee['type'] === 'MemberExpression') return calledName(callee['object']);
  if (callee['type'] === 'CallExpression') return calledName(callee['callee']);
  return callee['type'] === 'TaggedTemplateExpression' ? calledName(callee['tag']) : undefined;
}

/** The text of a name, with `${…}` for what a template literal fills in; undefined: it is neither text nor template. */
function textOf(argument: unknown): string | undefined {
  if (!isNode(argument)) return undefined;
  if (argument['type'] === 'Literal' && typeof argument['value'] === 'string') return argument['value'];
  if (argument['type'] !== 'TemplateLiteral') return undefined;
  const parts = (argument['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  return parts.join('${…}');
}

/** Names of all groups and tests of a source text, in its order. */
function namesIn(text: string): Group[] {
  const found: Group[] = [];
  const walk = (value: unknown, isTop: boolean): void => {
    if (!isNode(value)) return;
    const called = value['type'] === 'CallExpression' ? calledName(value['callee']) : undefined;
    const [first, ...rest] = Array.isArray(value['arguments']) ? (value['arguments'] as unknown[]) : [];
    const name = textOf(first);
    if (name === undefined || rest.length === 0 || !['describe', 'it', 'test'].includes(called ?? '')) {
      for (const child of Object.values(value)) walk(child, isTop);
      return;
    }
    found.push({ kind: called === 'describe' ? 'describe' : 'it', name, isTop });
    walk(value['callee'], isTop);
    for (const child of rest) walk(child, isTop && called !== 'describe');
  };
  walk(parseAst(text, { lang: 'ts' }).body, true);
  return found;
}

/** What is wrong with the name of a test; undefined when nothing is. */
function testFault(name: string): string | undefined {
  if (CONTINUATION.test(name)) return 'begins with a word that continues another name';
  return name.trim().split(/\s+/).length < MIN_WORDS ? `has fewer than ${MIN_WORDS} words` : undefined;
}

/** Lower-case words of a text that may name a subject; a plural counts as its singular. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\d_]{2,}/gu) ?? [];
  return words.filter((word) => !FUNCTION_WORDS.has(word)).map(singular);
}

/** Enough for nouns of documentation: entries, addresses, accounts. */
function singular(word: string): string {
  if (word.length < 4) return word;
  return word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/([^su])s$/, '$1');
}

/** Words that documentation explains: those of the glossary and of headings. */
function explainedWords(): Set<string> {
  const glossary = /^## Glossary$([^]*)/m.exec(read('docs/concepts.md'))?.[1] ?? '';
  const terms = [...glossary.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, term = '']) => term);
  const headings = PAGES.flatMap((page) => {
    const text = read(page).replaceAll(/^ *(`{3,}|~{3,})[^]*?^ *\1`*$/gm, '');
    return [...text.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => heading);
  });
  return new Set([...terms, ...headings].flatMap(wordsOf));
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

const named = FILES.flatMap((file) => namesIn(read(file)).map((group) => ({ file, ...group })));

describe('names of tests in the documentation’s words', () => {
  it('consist of at least four words that make sense alone', () => {
    const tests = named.filter(({ kind }) => kind === 'it');
    expect(tests.length).toBeGreaterThan(3_000);
    const faults = tests.flatMap(({ file, name }) => {
      const fault = testFault(name);
      return fault === undefined ? [] : [`${file}: "${name}" ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it('contain for each group at the top a word of the glossary or of a heading', () => {
    const explained = explainedWords();
    const groups = named.filter(({ kind, isTop }) => kind === 'describe' && isTop);
    expect(groups.length).toBeGreaterThan(500);
    const strange = groups.filter(({ name }) => !wordsOf(name).some((word) => explained.has(word)));
    expect(strange.map(({ file, name }) => `${file}: "${name}"`)).toEqual([]);
  });

  it('include those of chained calls and of nested groups', () => {
    const source = [
      "describe.each(rows)('group', () => {",
      "  it.skipIf(x).each([['row', it]])('table %s', async () => {});",
      "  it.concurrent.for(rows)('loop', () => { other.it('none', run); });",
      '  test(`template ${name}`, run);',
      "  describe('inner', () => {});",
      "  items.each('no test', () => {});",
      '});',
    ].join('\n');
    expect(namesIn(source).map(({ kind, name, isTop }) => `${kind} ${name} ${isTop}`)).toEqual([
      'describe group true',
      'it table %s false',
      'it loop false',
      'it template ${…} false',
      'describe inner false',
    ]);
  });

  it.each([
    ['is refused with a message', true],
    ['of a user with several', true],
    ['refuses %s', true],
    ['issues a token once', false],
  ])('fail the check where they should: "%s" %s', (name, isFaulty) => {
    expect(testFault(name) !== undefined).toBe(isFaulty);
  });
});
