/** Runs command lines in this process: streams in memory, a folder of its own, and an app that records what it is asked. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach } from 'vitest';
import type { Admin, App } from '../../src/cli/terminal/app.ts';
import { run } from '../../src/cli/run.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { SCOPES } from '../../src/core/caller.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder with `work` and `home`, removed after the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
  folders.push(folder);
  for (const name of ['work', 'home']) mkdirSync(join(folder, name));
  return folder;
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `gatehouse …argv` without a terminal. */
export async function gatehouse(
  argv: readonly string[],
  options: { app?: Partial<App>; stdin?: string; folder?: string; terminal?: Partial<Terminal> } = {},
): Promise<CommandResult> {
  const folder = options.folder ?? emptyFolder();
  const [output, messages] = [new MemoryStream(), new MemoryStream()];
  const code = await run(argv, {
    env: {},
    cwd: join(folder, 'work'),
    homeDir: join(folder, 'home'),
    platform: 'linux',
    programPath: '/opt/gatehouse/bin/gatehouse.js',
    nodePath: '/opt/node',
    input: Readable.from([options.stdin ?? '']),
    output,
    messages,
    isInteractive: false,
    outputIsTerminal: false,
    messagesAreTerminal: false,
    app: refusing(options.app ?? {}),
    ...options.terminal,
  });
  return { code, stdout: output.text, stderr: messages.text };
}

/** An openAdmin whose services are the given fakes; records whether it was closed. */
export function fakeAdmin(services: Record<string, Record<string, (...args: never[]) => unknown>>): {
  openAdmin: App['openAdmin'];
  state: { closed: number };
} {
  const state = { closed: 0 };
  const openAdmin = async (): Promise<Admin> =>
    ({
      ...services,
      environmentId: async () => 'env_1',
      caller: async () => ({
        kind: 'operator',
        environmentId: 'env_1',
        actor: 'local',
        scopes: new Set(SCOPES),
        source: 'cli',
        ip: '',
      }),
      close: async () => {
        state.closed += 1;
      },
    }) as unknown as Admin;
  return { openAdmin, state };
}

class MemoryStream extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Everything a test does not fake fails it. Of mistakes in the settings the catalog knows no more. */
function refusing(app: Partial<App>): App {
  const withDeclaredProblems: App['withDeclaredProblems'] = async (error) => error;
  return new Proxy(
    { withDeclaredProblems, ...app },
    {
      get: (target, name: keyof App) =>
        target[name] ??
        (() => {
          throw new TypeError(`the command used ${name}`);
        }),
    },
  ) as App;
}
