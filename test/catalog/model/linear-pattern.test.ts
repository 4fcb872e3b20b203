/** Patterns of catalogs mean what ECMAScript says, and no text makes one of them take long. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern, patternProblem, wholePattern } from '../../../src/catalog/model/linear-pattern.ts';

const CATALOGS = join(import.meta.dirname, '../../../catalogs');

/** Published by real providers, or made for the purpose; each takes forever in an engine that backtracks. */
const HOSTILE = [
  ['^(a+)+$', 'a'],
  [String.raw`(([a-z0-9-_ ]|[^\x00-\x7F])+.(json|yaml|yml))`, 'é'],
  ['^(x+x+)+y$', 'x'],
  ['^(a|a)*$', 'a'],
  ['^([a-z]+)*(,[a-z]+)*!$', 'a'],
] as const;

/** Milliseconds of CPU that a piece of work takes. */
function cpuMs(work: () => void): number {
  const { user, system } = process.cpuUsage();
  work();
  const spent = process.cpuUsage({ user, system });
  return (spent.user + spent.system) / 1_000;
}

describe('a pattern that could backtrack', () => {
  it.each(HOSTILE)('%s answers within 50 ms for any text up to its limit', (source, letter) => {
    const pattern = linearPattern(source);
    for (const length of [28, 46, 1_000, pattern.maxLength - 1]) {
      const text = `${letter.repeat(length)}\n`;
      expect(pattern.test(text)).toBe(false);
      expect(Math.min(...[0, 1, 2].map(() => cpuMs(() => pattern.test(text))))).toBeLessThan(50);
    }
    expect(pattern.maxLength).toBe(10_000);
  });

  it.each(['^([a-z]{1,20},?){0,20}$', '^(a{0,30}){0,10}$', '(.*a){10}.*$'])(
    '%s runs on as much text as its size allows in 50 ms',
    (source) => {
      const pattern = linearPattern(source);
      const text = `${'a'.repeat(pattern.maxLength - 1)}!`;
      pattern.test(text);
      expect(Math.min(...[0, 1, 2].map(() => cpuMs(() => pattern.test(text))))).toBeLessThan(50);
      expect(pattern.test(`${text}a`)).toBe(false);
    },
  );
});

describe('problems of a catalog pattern', () => {
  it.each([
    ['(', 'is not a valid regular expression'],
    ['a**', 'is not a valid regular expression'],
    ['(?=a)b', 'looks ahead, which cannot be matched in linear time'],
    ['(?!a)b', 'looks ahead, which cannot be matched in linear time'],
    ['(?<=a)b', 'looks behind, which cannot be matched in linear time'],
    ['(?<!a)b', 'looks behind, which cannot be matched in linear time'],
    [String.raw`(a)\1`, 'refers back to a group, which cannot be matched in linear time'],
    [String.raw`(?<n>a)\k<n>`, 'refers back to a group, which cannot be matched in linear time'],
    ['(?i:a)', 'changes its flags, which cannot be matched in linear time'],
    ['a{1001}', 'repeats too often for a check in linear time'],
    ['((a{100}){100}){100}', 'repeats too often for a check in linear time'],
  ])('refuses the catalog pattern %s', (source, problem) => {
    expect(patternProblem(source)).toBe(problem);
  });

  it('names the longest text for a pattern that is too large', () => {
    const [, length = ''] =
      /at most (\d+), or simplify it$/.exec(patternProblem('^([a-z]{1,20},?){0,50}$') ?? '') ?? [];
    expect(Number(length)).toBeGreaterThan(100);
    expect(patternProblem('^([a-z]{1,20},?){0,50}$', Number(length))).toBeUndefined();
    expect(patternProblem('^([a-z]{1,20},?){0,50}$', Number(length) + 1)).toBeDefined();
  });

  it('accepts what looks like a group inside a character class', () => {
    expect(patternProblem('[(?=]')).toBeUndefined();
    expect(linearPattern('^[(?<=]+$').test('(?<=')).toBe(true);
  });
});

describe('a pattern of ECMAScript', () => {
  it.each([
    [String.raw`^\s$`, '\ufeff', true],
    [String.raw`^\S$`, '\u00a0', false],
    [String.raw`^[\S]$`, '\u2028', false],
    [String.raw`^[^\s]$`, 'é', true],
    ['^.$', '\u2028', false],
    ['^.$', '\r', false],
    ['^.$', '\u{1f600}', true],
    ['^a$', 'a\n', false],
    [String.raw`^\d$`, '٣', false],
    [String.raw`^\w$`, 'é', false],
    ['^[]$', 'a', false],
    ['^[^]$', '\n', true],
    [String.raw`^\u0041\u{42}\x43\cJ\0$`, 'ABC\n\0', true],
    [String.raw`^\ud83d\ude00$`, '\u{1f600}', true],
    [String.raw`^[\u{1f600}-\u{1f602}]$`, '\u{1f601}', true],
    [String.raw`^\p{L}\p{Script=Greek}\P{Lu}$`, 'éαb', true],
    [String.raw`^[\p{Nd}\-_]+$`, '٣-_', true],
    ['^[[:alpha:]$', ':', true],
    [String.raw`^[\b]$`, '\b', true],
    [String.raw`\bcat\b`, 'a cat.', true],
    ['^(?<year>[0-9]{4})$', '2026', true],
    ['^[+--]$', ',', true],
  ])('%s on %j gives %j', (source, text, expected) => {
    expect(new RegExp(source, 'u').test(text)).toBe(expected);
    expect(linearPattern(source).test(text)).toBe(expected);
  });

  const atom = fc.constantFrom(
    'a',
    'b',
    'é',
    ' ',
    ',',
    '😀',
    '=',
    '<',
    '-',
    '!',
    '.',
    '[a-c]',
    '[]',
    '[^]',
    '[(?<=]',
    '[+--]',
    '[a^]',
    ...String.raw`\d \w \s \S \W \D [^a\s] [\S] [\^a-] [\]\-] \u0041 \u{1F600} \x41 \n \cA \0 \/ \$ \. [\b]`.split(
      ' ',
    ),
    ...String.raw`\p{L} \P{Lu} \p{Script=Greek} [\p{Nd}_] [&&] [[:alpha:] \ud83d\ude00`.split(' '),
  );
  const repeat = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?', '+?');
  const { source } = fc.letrec<{ source: string }>((tie) => ({
    source: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(atom, repeat).map(([a, times]) => `${a}${times}`),
      fc.constantFrom('^', '$', String.raw`\b`, String.raw`\B`),
      fc.tuple(tie('source'), tie('source')).map(([a, b]) => `${a}${b}`),
      fc.tuple(tie('source'), tie('source'), repeat).map(([a, b, times]) => `(${a}|${b})${times}`),
    ),
  }));
  const letters = Array.from('abcA0_- \n\r\u2028\u00a0\ufefféα😀\u0001\0,.$^(?=[]&\b/');
  const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });

  it('accepts the same texts as the engine of the language', () => {
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 5, maxLength: 20 }), (written, texts) => {
        const native = new RegExp(written, 'u');
        const pattern = linearPattern(written);
        for (const one of texts) expect([one, pattern.test(one)]).toEqual([one, native.test(one)]);
      }),
      { numRuns: 1_000, seed: 6 },
    );
  });
});

describe('the patterns of the shipped catalogs', () => {
  const files = readdirSync(CATALOGS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  const sources = files.flatMap((name) =>
    [
      ...readFileSync(join(CATALOGS, name), 'utf8').matchAll(
        /^ *(?:pattern|domain|tenant|region): '(.*)'$/gm,
      ),
    ].map(([, source = '']) => source),
  );

  it('accept the same texts as the engine of the language', () => {
    expect(sources.length).toBeGreaterThan(15);
    const near = fc.string({
      unit: fc.constantFrom(...Array.from('abAZ019_-,=.channelvideo\n')),
      maxLength: 30,
    });
    for (const source of sources) {
      const native = new RegExp(`^(?:${source})$`, 'u');
      const pattern = wholePattern(source);
      const matching = fc.stringMatching(native);
      fc.assert(
        fc.property(
          fc.oneof(
            near,
            matching,
            matching.map((one) => `${one}!`),
          ),
          (one) => {
            expect([source, one, pattern.test(one)]).toEqual([
              source,
              one,
              native.test(one) && one.length <= pattern.maxLength,
            ]);
          },
        ),
        { numRuns: 100, seed: 6 },
      );
    }
  });
});
