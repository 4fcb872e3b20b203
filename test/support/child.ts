/** Child processes of tests: TypeScript files that talk in lines. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface TestChild {
  process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Lines of stdout so far. */
  lines: string[];
  /** Settles when the child has written this line; fails when it ends without it. */
  line(text: string): Promise<void>;
  /** Settles with the exit code when the child has ended and all its output was read; null: by a signal. */
  ended: Promise<number | null>;
}

/** Starts `node file …args` under the Node that runs the tests. */
export function startChild(file: string, args: readonly string[]): TestChild {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdin.on('error', () => {});
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const ended = once(child, 'close').then(() => child.exitCode);
  const line = async (text: string): Promise<void> => {
    if (lines.includes(text)) return;
    await new Promise<void>((resolve, reject) => {
      reader.on('line', (written) => {
        if (written === text) resolve();
      });
      void ended.then(() => reject(new Error(`The child ended without writing ${text}. ${errors}`)));
    });
  };
  return { process: child, lines, line, ended };
}
