/**
 * The log: JSON lines on stderr (stdout belongs to MCP), an event word and a closed set of fields.
 *
 * Fields are an allow-list by type, so a token, a link or a body cannot be logged by accident
 * (docs/security.md#credentials-in-two-places). An unexpected error is logged by name, message and stack of our own
 * code only.
 */

/** The allowed fields of a log line, by their names in the line. */
export interface LogFields {
  environment_id?: string;
  /** The sender of the request: `cred_…`, `usr_…`, `ses_…` or `local`. */
  actor?: string;
  connected_account_id?: string;
  connection_id?: string;
  connector?: string;
  tool_name?: string;
  execution_id?: string;
  interceptor_id?: string;
  trigger_point?: string;
  error_code?: string;
  status?: number;
  duration_ms?: number;
  method?: string;
  /** Route pattern (`/connect/:token`), never the path as requested. */
  route?: string;
  trace_id?: string;
  count?: number;
  pid?: number;
  path?: string;
  host?: string;
  message?: string;
  /** An unexpected failure. Provider answers and request bodies never get in here. */
  err?: unknown;
}

/** Levels in rising order of urgency; each line is `{level, time, event, …fields}`. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** Discards everything; for tests and short commands. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
