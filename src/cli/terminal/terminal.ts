/** The part of the process that commands use. Data goes to stdout, messages for people go to stderr. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { app, type App } from './app.ts';

/** Streams, folders and the program behind a command. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
  /** Absolute. */
  homeDir: string;
  platform: NodeJS.Platform;
  /** Absolute path of the file that Node runs. */
  programPath: string;
  /** Absolute path of the Node executable. */
  nodePath: string;
  input: Readable;
  output: Writable;
  messages: Writable;
  /** Somebody can be asked: stdin and stderr are terminals. */
  isInteractive: boolean;
  outputIsTerminal: boolean;
  messagesAreTerminal: boolean;
  app: App;
}

/** The terminal of the running process. */
export function processTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedReader);
  return {
    env: process.env,
    cwd: process.cwd(),
    homeDir: homedir(),
    platform: process.platform,
    programPath: realpathSync(process.argv[1] ?? '.'),
    nodePath: process.execPath,
    input: process.stdin,
    output: process.stdout,
    messages: process.stderr,
    isInteractive: isatty(0) && isatty(2),
    outputIsTerminal: isatty(1),
    messagesAreTerminal: isatty(2),
    app,
  };
}

/** `gatehouse tools list | head -1` closes the pipe early; that is not a failure. */
function ignoreClosedReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Prints a line of data. */
export function print(terminal: Terminal, text: string): void {
  terminal.output.write(`${text}\n`);
}

/** Prints a line on stderr for the user of the command. */
export function say(terminal: Terminal, text: string): void {
  terminal.messages.write(`${text}\n`);
}
