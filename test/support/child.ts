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
  /** Settles with the line of this number, from 0, when the child has written it; fails when it ends without it. */
  lineAt(index: number): Promise<string>;
  /** Settles with the exit code when the child has ended and all its output was read; null: by a signal. */
  ended: Promise<number | null>;
}

/** Starts `node …options file …args` under the Node that runs the tests. */
export function startChild(
  file: string,
  args: readonly string[],
  options: readonly string[] = [],
): TestChild {
  const child = spawn(process.execPath, [...options, file, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdin.on('error', () => {});
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const ended = once(child, 'close').then(() => child.exitCode);
  /** Settles when what is looked for is among the lines. */
  const until = async (isThere: () => boolean, what: string): Promise<void> => {
    if (isThere()) return;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!isThere()) return;
        reader.off('line', look);
        resolve();
      };
      reader.on('line', look);
      void ended.then(() => reject(new Error(`The child ended without writing ${what}. ${errors}`)));
    });
  };
  const line = async (text: string): Promise<void> => until(() => lines.includes(text), text);
  const lineAt = async (index: number): Promise<string> => {
    await until(() => lines.length > index, `line ${index}`);
    return lines[index] ?? '';
  };
  return { process: child, lines, line, lineAt, ended };
}
