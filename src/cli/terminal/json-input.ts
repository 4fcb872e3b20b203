/** JSON given to a command: on the command line, in a file (`@file`), or on stdin (`-`). */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { codeOf } from '../../core/errors.ts';
import { isObject, parsedJson } from '../../core/json.ts';
import { UsageError } from './failure.ts';
import type { Terminal } from './terminal.ts';

/**
 * Reads and parses the value of an option.
 *
 * @param option the option's name, for messages
 * @throws UsageError if the value cannot be read or is not JSON
 */
export async function readJson(terminal: Terminal, option: string, written: string): Promise<unknown> {
  const source = await read(terminal, option, written);
  try {
    return parsedJson(source);
  } catch {
    throw new UsageError(`${option} is not valid JSON. Give JSON, @FILE or - for stdin.`);
  }
}

/** Reads and parses the value of an option that has to be a JSON object. */
export async function readJsonObject(
  terminal: Terminal,
  option: string,
  written: string,
): Promise<Record<string, unknown>> {
  const value = await readJson(terminal, option, written);
  if (!isObject(value)) throw new UsageError(`${option} must be a JSON object.`);
  return value;
}

async function read(terminal: Terminal, option: string, written: string): Promise<string> {
  if (written === '-') return text(terminal.input);
  if (!written.startsWith('@')) return written;
  const path = resolve(terminal.cwd, written.slice(1));
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${option}: ${path} cannot be read (${codeOf(error) ?? 'unknown reason'}).`);
  }
}
