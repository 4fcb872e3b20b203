/**
 * Call settings in an account's `api_config` and its connection's `params`: calls per minute, timeout, and the address
 * that replaces the connector's own (docs/contract.md#configuration-of-an-account). Pure.
 *
 * Those of `params` are checked when they are written. Values that are not understood have no effect.
 */
import { parseDuration } from '../core/clock.ts';
import type { FieldViolation } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Account } from '../store/accounts/account.ts';

/** Longest timeout of a whole call. */
export const MAX_TIMEOUT_MS = 55_000;

/** Shortest timeout: no provider answers faster. */
const MIN_TIMEOUT_MS = 100;

const MAX_PER_MINUTE = 100_000;

/** Values of `per` in a rate, in minutes. */
const MINUTES: ReadonlyMap<string, number> = new Map([
  ['second', 1 / 60],
  ['minute', 1],
  ['hour', 60],
]);

/** Limits of one account's calls. For absent members the catalog and the settings decide. */
export interface CallSettings {
  /** Calls per minute of this account, all tools together. */
  accountPerMinute?: number;
  /** Calls per minute of all accounts of its connection together. */
  connectionPerMinute?: number;
  /** Timeout of a whole call. */
  timeoutMs?: number;
  /** Base address, at one of the connector's hosts. */
  endpoint?: string;
}

/** The parts of an account that configure its calls. */
export interface ConfiguredAccount {
  apiConfig: Account['apiConfig'];
  connection: Pick<Account['connection'], 'params'>;
}

/** The settings in force for an account. Its own timeout takes precedence over its connection's. */
export function callSettings({
  apiConfig: own,
  connection: { params: shared },
}: ConfiguredAccount): CallSettings {
  const accountPerMinute = atMost(MAX_PER_MINUTE, rateOf(own['rate_limit']));
  const connectionPerMinute = atMost(MAX_PER_MINUTE, rateOf(shared['rate_limit']));
  const timeoutMs = atMost(MAX_TIMEOUT_MS, timeoutOf(own['timeout']) ?? timeoutOf(shared['timeout']));
  const { endpoint } = own;
  return {
    ...(accountPerMinute !== undefined && { accountPerMinute }),
    ...(connectionPerMinute !== undefined && { connectionPerMinute }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(typeof endpoint === 'string' && { endpoint }),
  };
}

/** Violations in the call settings of a connection's `params`: a rate and a timeout. Its address is `overrides.base_url`. */
export function callParamViolations(params: Readonly<Record<string, unknown>>): FieldViolation[] {
  const out: FieldViolation[] = [];
  const { rate_limit: rate, timeout } = params;
  if (rate !== undefined && rate !== null && (rateOf(rate) ?? Infinity) > MAX_PER_MINUTE)
    out.push({
      field: 'params.rate_limit',
      description: `Must be a whole number of calls a minute, from 1 to ${MAX_PER_MINUTE}.`,
      constraint: 'range',
    });
  if (timeout !== undefined && timeout !== null && (timeoutOf(timeout) ?? Infinity) > MAX_TIMEOUT_MS)
    out.push({
      field: 'params.timeout',
      description:
        'Must be the longest time of a call, from 100ms to 55s: milliseconds such as 20000, or text such as "20s".',
      constraint: 'range',
    });
  return out;
}

/**
 * Calls a minute that a value allows: a number of them, or `{requests, per}`.
 *
 * @returns `undefined` for another form, and for less than one call a minute
 */
export function rateOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 1 ? value : undefined;
  if (!isObject(value)) return undefined;
  const { requests, per, ...others } = value;
  if (typeof requests !== 'number' || !Number.isInteger(requests) || Object.keys(others).length > 0)
    return undefined;
  const minutes = typeof per === 'string' ? MINUTES.get(per) : undefined;
  const rate = minutes === undefined ? 0 : Math.floor(requests / minutes);
  return rate >= 1 ? rate : undefined;
}

/**
 * Milliseconds that a value names: text such as `30s`, or a number. Numbers below 100 are seconds, as all numbers were
 * before; no call is that short.
 *
 * @returns `undefined` for another form, and for less than 100 ms
 */
export function timeoutOf(value: unknown): number | undefined {
  const ms =
    typeof value === 'number'
      ? value * (value < MIN_TIMEOUT_MS ? 1_000 : 1)
      : typeof value === 'string'
        ? parseDuration(value)
        : undefined;
  return ms !== undefined && ms >= MIN_TIMEOUT_MS ? Math.round(ms) : undefined;
}

/** Upper bound of a value that may be missing. */
function atMost(max: number, value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.min(value, max);
}
