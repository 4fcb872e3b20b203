/** What a command sees of the process it runs in. Data goes to stdout, everything said to a person to stderr. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { app, type App } from './app.ts';

/** Streams, places and the program behind a command. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
  /** Absolute. */
  homeDir: string;
  /** Absolute path of the file that Node was told to run. */
  programPath: string;
  /** Absolute path of the Node executable. */
  nodePath: string;
  input: Readable;
  output: Writable;
  messages: Writable;
  /** Somebody sits there and can be asked: stdin and stderr are terminals. */
  isInteractive: boolean;
  outputIsTerminal: boolean;
  messagesAreTerminal: boolean;
  app: App;
}

/** The real process. */
export function processTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedReader);
  return {
    env: process.env,
    cwd: process.cwd(),
    homeDir: homedir(),
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

/** `gatehouse tools list | head -1` closes the pipe early; that is no failure. */
function ignoreClosedReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** A line of data. */
export function print(terminal: Terminal, text: string): void {
  terminal.output.write(`${text}\n`);
}

/** A line for the person at the terminal. */
export function say(terminal: Terminal, text: string): void {
  terminal.messages.write(`${text}\n`);
}
