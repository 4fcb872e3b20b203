/** The program as its users start it: processes in an empty folder, without settings of this machine. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../test/support/free-port.ts';

/** The checkout. */
export const ROOT = join(import.meta.dirname, '../..');
/** `bin/gatehouse.js`, which stays where it is. */
export const PROGRAM = join(ROOT, 'bin/gatehouse.js');
const CLIENT_ID = 'surface-client';
const CLIENT_SECRET = 'a-secret-of-the-surface-that-is-long-enough-0123456789';

/** Text of the surface by its path in the snapshot. */
export type Pages = Record<string, string>;

/** Result of a process that has ended. */
export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder for the program's files, and the port in its settings. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'gatehouse-surface-'));
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  static async make(): Promise<Workplace> {
    return new Workplace(await freePort());
  }

  /** Runs `gatehouse …args` to its end. */
  async run(args: readonly string[], input = ''): Promise<Finished> {
    return this.runFile(PROGRAM, args, input);
  }

  /** Runs a file of the checkout in the same way as {@link run} runs the program. */
  async runFile(file: string, args: readonly string[], input = ''): Promise<Finished> {
    const child = spawn(process.execPath, [file, ...args], { cwd: this.folder, env: this.#env() });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    await once(child, 'close');
    return { code: child.exitCode, stdout: this.plain(stdout), stderr: this.plain(stderr) };
  }

  /** Starts `gatehouse serve`. */
  async serve(): Promise<Served> {
    const child = spawn(process.execPath, [PROGRAM, 'serve'], { cwd: this.folder, env: this.#env() });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const ready = once(createInterface({ input: child.stdout }), 'line').then(() => true);
    const ended = once(child, 'close').then(() => false);
    if (!(await Promise.race([ready, ended]))) throw new Error(`gatehouse serve ended: ${errors}`);
    const baseUrl = `http://127.0.0.1:${this.#port}`;
    const response = await fetch(`${baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
      }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return { baseUrl, token, stop: async () => stop(child) };
  }

  /** The text without values that differ from run to run: folder, port, process and identifiers. */
  plain(text: string): string {
    return text
      .replaceAll(this.folder, '<folder>')
      .replaceAll(`127.0.0.1:${this.#port}`, '<host>')
      .replaceAll(`"version":"${version()}"`, '"version":"<version>"')
      .replaceAll(`"version": "${version()}"`, '"version": "<version>"')
      .replace(/\b([a-z]{2,8})_[0-9a-hjkmnp-tv-z]{26}\b/g, '$1_<id>');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.folder,
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node-compile'),
      GATEHOUSE_DATA_DIR: join(this.folder, 'data'),
      GATEHOUSE_PORT: String(this.#port),
      GATEHOUSE_CLIENT_ID: CLIENT_ID,
      GATEHOUSE_CLIENT_SECRET: CLIENT_SECRET,
    };
  }
}

/** A running `gatehouse serve`. */
export interface Served {
  baseUrl: string;
  /** Access token of an API credential with every scope. */
  token: string;
  stop: () => Promise<void>;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

function version(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

/** JSON that diffs well. */
export function pretty(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
