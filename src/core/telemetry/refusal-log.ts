/**
 * A log that a flood of refusals does not fill: of each kind the first line is written at once, and then one line a
 * minute says how many more there were (docs/operations.md#log-lines).
 *
 * Who is refused belongs to the kind. Everything else passes unchanged, also all lines at `debug`.
 */
import type { Log, LogFields } from '../log.ts';
import { systemTimers, type Timers } from '../timers.ts';

const WINDOW_MS = 60_000;

/** Kinds counted apart; beyond them only event and status tell kinds apart, so that memory is bounded. */
const MAX_KINDS = 1_000;

/** Events that only refusals cause. */
const REFUSALS = new Set(['unavailable', 'oauth_unavailable', 'page_unavailable']);

/** Without a token, without a right, too often, or not for now: nothing was done. */
const REFUSED_STATUSES = new Set([401, 403, 429, 503]);

type Level = 'info' | 'warn' | 'error';

interface Kind {
  /** Lines that were not written. */
  count: number;
  write: () => void;
  stop: () => void;
}

/** A log with lines that are still to be written. */
export interface RefusalLog extends Log {
  /** Writes what was counted. From then on every line is written. */
  end(): void;
}

/** @param log where the lines are written */
export function countingRefusals(log: Log, timers: Timers = systemTimers): RefusalLog {
  const kinds = new Map<string, Kind>();
  let hasEnded = false;

  const begin = (key: string, level: Level, event: string, shared: LogFields): void => {
    const kind: Kind = {
      count: 0,
      write: () => {
        if (kind.count > 0) log[level](event, { ...shared, count: kind.count });
        kind.count = 0;
      },
      stop: timers.every(WINDOW_MS, () => {
        if (kind.count > 0) return kind.write();
        kind.stop();
        kinds.delete(key);
      }),
    };
    kinds.set(key, kind);
  };

  const write = (level: Level, event: string, fields: LogFields = {}): void => {
    if (hasEnded || !isRefusal(event, fields)) return log[level](event, fields);
    const whole = sharedFields(fields);
    const wholeKey = keyOf(event, whole, fields);
    const isNew = !kinds.has(wholeKey);
    const isFull = isNew && kinds.size >= MAX_KINDS;
    const shared = isFull && fields.status !== undefined ? { status: fields.status } : isFull ? {} : whole;
    const key = isFull ? keyOf(event, shared) : wholeKey;
    const known = kinds.get(key);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    begin(key, level, event, shared);
    log[level](event, fields);
  };

  return {
    debug: (event, fields) => log.debug(event, fields),
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, fields) => write('error', event, fields),
    end: () => {
      hasEnded = true;
      for (const kind of kinds.values()) {
        kind.stop();
        kind.write();
      }
      kinds.clear();
    },
  };
}

function isRefusal(event: string, { status = 0, error_code: code, route }: LogFields): boolean {
  if (REFUSALS.has(event)) return true;
  if (event === 'request') return REFUSED_STATUSES.has(status) || route === 'refused';
  // A provider's own refusal is the outcome of a call that was made.
  return event === 'tool_call' && REFUSED_STATUSES.has(status) && code !== 'TOOL_ERROR';
}

/** The fields that all lines of a kind have in common. */
function sharedFields(fields: LogFields): LogFields {
  const { environment_id, actor, tool_name, method, route, status, error_code } = fields;
  return {
    ...(environment_id !== undefined && { environment_id }),
    ...(actor !== undefined && { actor }),
    ...(tool_name !== undefined && { tool_name }),
    ...(method !== undefined && { method }),
    ...(route !== undefined && { route }),
    ...(status !== undefined && { status }),
    ...(error_code !== undefined && { error_code }),
  };
}

/** The message of an error tells one cause from another. */
function keyOf(event: string, shared: LogFields, { err }: LogFields = {}): string {
  return JSON.stringify([event, shared, err instanceof Error ? err.message : '']);
}
