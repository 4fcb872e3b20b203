/**
 * The log of a running process: pino, JSON lines on stderr, written at once so that nothing is lost when the
 * process exits.
 *
 * Only the fields of LogFields reach a line, whatever else an object carries at run time. An unexpected error
 * is written with its name, message and the stack frames of our own code. Of its cause only name and code are
 * written, because a cause's message may quote text from a provider or a caller.
 */
import { createRequire } from 'node:module';
import type { destination as Destination, Logger } from 'pino';
import { codeOf } from './errors.ts';
import { keysOf } from './json.ts';
import type { Log, LogFields } from './log.ts';

/** Every field of a line except `err`; a missing field here does not compile. */
const FIELDS = keysOf({
  environment_id: true,
  actor: true,
  connected_account_id: true,
  connection_id: true,
  connector: true,
  tool_name: true,
  execution_id: true,
  interceptor_id: true,
  trigger_point: true,
  error_code: true,
  status: true,
  duration_ms: true,
  method: true,
  route: true,
  trace_id: true,
  count: true,
  pid: true,
  path: true,
  host: true,
  message: true,
} satisfies Record<Exclude<keyof LogFields, 'err'>, true>);

const MAX_TEXT = 1000;

/** Bytes of lines kept while stderr cannot be written; further lines are lost. */
const MAX_HELD = 65_536;

const MAX_FRAMES = 12;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

type Level = (typeof LEVELS)[number];

/** Destination of lines: stderr unless a test collects them. */
interface LineSink {
  write(line: string): void;
}

/**
 * Returns a log that writes lines of `level` and above: `{level, time, event, …fields}`.
 *
 * @param level `debug`, `info`, `warn` or `error`
 */
export function createLog(level: Level, sink?: LineSink): Log {
  let logger: Logger | undefined;
  const write = (at: Level, event: string, fields: LogFields | undefined): void => {
    if (LEVELS.indexOf(at) < LEVELS.indexOf(level)) return;
    (logger ??= openLogger(level, sink))[at](allowed(fields), event);
  };
  return {
    debug: (event, fields) => write('debug', event, fields),
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, fields) => write('error', event, fields),
  };
}

/** Loaded with the first line, which saves 15 ms in a session that has nothing to report. */
function openLogger(level: Level, sink: LineSink | undefined): Logger {
  const { destination, pino, stdTimeFunctions } = createRequire(import.meta.url)(
    'pino',
  ) as typeof import('pino');
  return pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: stdTimeFunctions.isoTime,
      // serialized() has already done it; pino's own serializer would add further properties of the error
      // object.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }) },
    },
    sink ?? stderr(destination),
  );
}

/** A full disk behind stderr must not end the process or fail a call: there is nowhere left to report it. */
function stderr(destination: typeof Destination): LineSink {
  const lines = destination({ fd: 2, sync: true, maxLength: MAX_HELD });
  lines.on('error', () => undefined);
  return lines;
}

function allowed(fields: LogFields | undefined): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  if (fields === undefined) return line;
  for (const name of FIELDS) {
    const value = fields[name];
    if (typeof value === 'string') line[name] = value.slice(0, MAX_TEXT);
    else if (typeof value === 'number') line[name] = value;
  }
  if (fields.err !== undefined) line['err'] = serialized(fields.err);
  return line;
}

function serialized(err: unknown): Record<string, unknown> {
  if (!(err instanceof Error)) return { name: typeof err };
  const { cause } = err;
  return {
    name: err.name,
    // A parser's message quotes the text it could not read.
    ...(err instanceof SyntaxError ? {} : { message: err.message.slice(0, MAX_TEXT) }),
    stack: ownFrames(err.stack ?? ''),
    ...(cause instanceof Error && {
      cause: { name: cause.name, code: codeOf(cause) },
    }),
  };
}

/**
 * Stack lines such as `at run (/app/src/main.ts:3:1)`, without the message and the frames of Node and
 * packages.
 */
function ownFrames(stack: string): string[] {
  const frames = stack.split('\n').flatMap((line) => /^ {4}at (.+)$/.exec(line)?.[1] ?? []);
  return frames
    .filter((frame) => /[/\\]/.test(frame) && !/node:|node_modules/.test(frame))
    .slice(0, MAX_FRAMES);
}
