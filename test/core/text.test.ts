/** Words of commands that people copy into a shell, and the word that a misspelt one means. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { nearest, shellWord } from '../../src/core/text.ts';

it.each([
  ['a path', '/opt/gatehouse/bin/gatehouse.js', '/opt/gatehouse/bin/gatehouse.js'],
  ['spaces', 'a b', "'a b'"],
  ['an apostrophe', "it's", String.raw`'it'\''s'`],
  ['what a shell would run', '$(exit 1)`exit 1`;!#&', "'$(exit 1)`exit 1`;!#&'"],
  ['what zsh would replace', '=ls', "'=ls'"],
  ['nothing', '', "''"],
])('quotes the arguments of a shell command where needed: %s', (_what, text, word) => {
  expect(shellWord(text)).toBe(word);
  expect(execFileSync('/bin/sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(text);
});

it.each([
  ['two letters changed places', 'hots', 'host'],
  ['a letter is missing', 'ype', 'type'],
  ['the end is missing', 'lim', 'limit'],
  ['the first letter is another one', 'tuery', 'query'],
  ['a long word differs in a third', 'nun_resluts', 'num_results'],
  ['half of a short word differs, and its beginning', 'nope', undefined],
  ['no letter is the same', 'x', undefined],
  ['there is no word', '', undefined],
])('guesses the word that was meant, or none: %s', (_what, word, meant) => {
  expect(nearest(word, ['host', 'type', 'limit', 'query', 'num_results', 'q'])).toBe(meant);
});
