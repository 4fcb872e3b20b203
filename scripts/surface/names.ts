/**
 * Names that the program writes for others to search for, found as text in all folders of `src`. Also digests
 * of committed files that are part of the surface.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type Pages } from './program.ts';

/** A literal: quoted, or a template, whose expressions are written `*` below. */
const LITERAL = /(?:'(?<quoted>[^'\n\\]*)'|`(?<template>[^`\n\\]*)`)/.source;

/** Fields of requests that are written like actions. */
const FIELD = /\.(?:api_config|authorization_\w+|token_expires_at|email)$/;

const FILES = [
  'gatehouse.schema.json',
  'gatehouse.example.yaml',
  'docs/configuration.md',
  'docs/errors.md',
  'docs/tools.md',
  'catalogs/schema.json',
  'catalogs/**/*.{yaml,yml,json}',
];

/** Log events, audit actions and webhook events, and the digests. */
export function names(): Pages {
  const source = globSync('src/**/*.ts', { cwd: ROOT })
    .toSorted()
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
  return {
    'names/log-events.txt': sortedLines(logEvents(source)),
    'names/dotted.txt': sortedLines(dottedNames(source)),
    'files.txt': sortedLines(
      globSync(FILES, { cwd: ROOT }).map((file) => `${file} ${digest(readFileSync(join(ROOT, file)))}`),
    ),
  };
}

/** SHA-256, short enough to read in a diff. */
export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

/** `warn setting_without_effect` for `log.warn('setting_without_effect', …)`; `*` for a computed level. */
function logEvents(source: string): string[] {
  const calls = new RegExp(`[lL]og\\??(?:\\.(debug|info|warn|error)|\\[[^\\]]*\\])\\(\\s*${LITERAL}`, 'g');
  return [...source.matchAll(calls)].map((match) => `${match[1] ?? '*'} ${textOf(match)}`);
}

/**
 * `connection.update`: the value of an `action:`, and every other literal that begins with the noun of one.
 */
function dottedNames(source: string): string[] {
  const dotted = /^[a-z_*]+\.[a-z_*]+$/;
  const namesIn = (pattern: string): string[] =>
    [...source.matchAll(new RegExp(pattern, 'g'))].map(textOf).filter((name) => dotted.test(name));
  const actions = namesIn(`\\baction: ${LITERAL}`);
  const nouns = new Set(actions.map(nounOf).filter((noun) => !noun.includes('*')));
  const others = namesIn(LITERAL).filter((name) => nouns.has(nounOf(name)) && !FIELD.test(name));
  return [...actions, ...others];
}

function nounOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

function textOf({ groups }: RegExpMatchArray): string {
  return groups?.['quoted'] ?? (groups?.['template'] ?? '').replace(/\$\{[^}]*\}/g, '*');
}

function sortedLines(lines: Iterable<string>): string {
  return `${[...new Set(lines)].toSorted().join('\n')}\n`;
}
