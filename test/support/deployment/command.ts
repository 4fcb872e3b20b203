/** Commands of the program, run beside the servers of a deployment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Deployment } from './deployment.ts';
import { PROGRAM } from './server-process.ts';

/** How a command ended. */
export interface CommandEnd {
  /** null: by a signal. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that has been started, to be killed or waited for. */
export interface StartedCommand {
  child: ChildProcess;
  ended: Promise<CommandEnd>;
}

/** Where commands run: a deployment, and another program than that of today. */
type CommandPlace = Pick<Deployment, 'dir' | 'env'> & { program?: string };

/** Starts `gatehouse …argv` with the settings of the deployment. @param env settings of this run alone */
export function startCommand(
  { dir, env, program = PROGRAM }: CommandPlace,
  argv: readonly string[],
  more: Readonly<Record<string, string>> = {},
): StartedCommand {
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: dir,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'close');
  const ended = Promise.all([text(child.stdout), text(child.stderr), gone]).then(([stdout, stderr]) => ({
    code: child.exitCode,
    stdout,
    stderr,
  }));
  return { child, ended };
}

/** Runs `gatehouse …argv` to its end. */
export async function runCommand(
  deployment: CommandPlace,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  return startCommand(deployment, argv, env).ended;
}
