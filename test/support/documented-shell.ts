/**
 * A shell in a fresh home folder for the commands of a page: `gatehouse` is the program, and somebody opens the links
 * that commands print and consents there.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { collect } from '../mcp/real-processes.ts';
import { freePort } from './free-port.ts';
import { PROGRAM } from './program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Far more than any page takes: what takes longer waits for something that never comes. */
const LIMIT_MS = 280_000;

/** What a shell runs, and what it finds. */
export interface DocumentedRun {
  script: string;
  /** Files of the home folder, by path below it. */
  files?: Readonly<Record<string, string>>;
  /** What is typed where `gatehouse` asks, by the beginning of its arguments. */
  typed?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  /** Opens a link that a command has printed for a person. */
  visit?: (link: string) => Promise<void>;
}

/** How a script ended. */
export interface DocumentedEnd {
  /** null: by a signal. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command: each of its runs that asks reads what is typed for it. */
function command(typed: Readonly<Record<string, string>>): string {
  const cases = Object.keys(typed).map((start, i) => `"${start}"*) exec < "$HOME/typed/${i}" ;;`);
  const run = `exec '${process.execPath}' '${PROGRAM}' "$@"`;
  return ['#!/bin/sh', 'case "$*" in', ...cases, 'esac', run, ''].join('\n');
}

/** @returns what puts free ports in the place of those that a text names, and of 3000 */
export async function onFreePortsOf(text: string): Promise<(text: string) => string> {
  const named = new Set(
    [...text.matchAll(/(?:127\.0\.0\.1|localhost):(\d{4})\b|--port (\d{4})\b/g)].map(
      ([, host, port]) => host ?? port!,
    ),
  );
  const ports = new Map(
    await Promise.all([...named, '3000'].map(async (port) => [port, String(await freePort())] as const)),
  );
  const pattern = new RegExp(`\\b(?:${[...ports.keys()].join('|')})\\b`, 'g');
  return (given) => given.replaceAll(pattern, (port) => ports.get(port)!);
}

/** Runs a script in bash until its end or its first command that fails. What it left in the background ends with it. */
export async function runDocumented(given: DocumentedRun): Promise<DocumentedEnd> {
  const { script, files = {}, typed = {}, env = {}, visit } = given;
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-documented-'));
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode });
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  for (const [i, lines] of Object.values(typed).entries()) write(`typed/${i}`, lines);
  write('bin/gatehouse', command(typed), 0o755);
  const shell = spawn(
    'bash',
    ['-c', `set -eo pipefail\ntrap 'kill $(jobs -p) 2> /dev/null || :' EXIT\n${script}`],
    {
      cwd: home,
      // A group of its own, which can be ended as a whole.
      detached: true,
      env: {
        PATH: `${home}/bin:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
        HOME: home,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
        ...env,
      },
    },
  );
  const stop = (): void => void process.kill(-shell.pid!, 'SIGKILL');
  const limit = setTimeout(stop, LIMIT_MS);
  const visits: Promise<string>[] = [];
  let unread = '';
  shell.stderr.on('data', (chunk: Buffer) => {
    unread += chunk.toString();
    const link = /http:\S+\/connect\/[A-Za-z0-9_-]{43}\b/.exec(unread)?.[0];
    if (link === undefined || visit === undefined) return;
    unread = '';
    const failed = (error: unknown): string => {
      // The command would wait for ever.
      stop();
      return `${link}: ${String(error)}\n`;
    };
    visits.push(visit(link).then(() => '', failed));
  });
  try {
    const ended = await collect(shell);
    return { ...ended, stderr: ended.stderr + (await Promise.all(visits)).join('') };
  } finally {
    clearTimeout(limit);
    rmSync(home, { recursive: true, force: true });
  }
}
