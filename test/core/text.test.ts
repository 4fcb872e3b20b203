/** Words of commands that people copy into a shell. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../src/core/text.ts';

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
