/**
 * Call settings in an account's `api_config` and its connection's `params`: calls per minute, timeout, and the address
 * that replaces the connector's own (docs/contract.md#configuration-of-an-account). Pure.
 *
 * Checked when they are written. Stored values that are invalid all the same have no effect.
 */
import type { Connector } from '../catalog/model/types.ts';
import { parseDuration } from '../core/clock.ts';
import type { FieldViolation } from '../core/errors.ts';
import type { Account } from '../store/accounts/account.ts';
import { hostOf } from './allowed-endpoint.ts';

/** Longest timeout of a whole call. */
const MAX_TIMEOUT_MS = 55_000;

/** Shortest timeout: no provider answers faster. */
const MIN_TIMEOUT_MS = 100;

const MAX_PER_MINUTE = 100_000;

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
  const accountPerMinute = rateOf(own['rate_limit']);
  const connectionPerMinute = rateOf(shared['rate_limit']);
  const timeoutMs = timeoutOf(own['timeout']) ?? timeoutOf(shared['timeout']);
  const { endpoint } = own;
  return {
    ...(accountPerMinute !== undefined && { accountPerMinute }),
    ...(connectionPerMinute !== undefined && { connectionPerMinute }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(typeof endpoint === 'string' && { endpoint }),
  };
}

/** Violations in the call settings of an account's configuration. Other members belong to the connector. */
export function apiConfigViolations(
  connector: Connector,
  config: Readonly<Record<string, unknown>>,
): FieldViolation[] {
  const field = (name: string): string => `connected_account.api_config.${name}`;
  const catalog = Object.values(connector.limits ?? {});
  const highest = catalog.length === 0 ? MAX_PER_MINUTE : Math.max(...catalog);
  const out = sharedViolations(config, highest, field);
  const endpoint = givenIn(config, 'endpoint');
  if (endpoint !== undefined && (typeof endpoint !== 'string' || hostOf(connector, endpoint) === undefined)) {
    const hosts = connector.hosts.map(({ url }) => url).join(', ');
    out.push({
      field: field('endpoint'),
      description: `Must be a base address at a host of ${connector.title}, without query and user name: ${hosts}, perhaps with a longer path.`,
      constraint: 'host',
    });
  }
  return out;
}

/** The same for a connection's `params`: a rate and a timeout. Its address is `overrides.base_url`. */
export function callParamViolations(params: Readonly<Record<string, unknown>>): FieldViolation[] {
  return sharedViolations(params, MAX_PER_MINUTE, (name) => `params.${name}`);
}

/** @param highest rate that may be set: for an account never above the catalog's */
function sharedViolations(
  given: Readonly<Record<string, unknown>>,
  highest: number,
  field: (name: string) => string,
): FieldViolation[] {
  const out: FieldViolation[] = [];
  const rate = givenIn(given, 'rate_limit');
  if (rate !== undefined && (rateOf(rate) ?? Infinity) > highest)
    out.push({
      field: field('rate_limit'),
      description: `Must be a whole number of calls a minute, from 1 to ${highest}.`,
      constraint: 'range',
    });
  const timeout = givenIn(given, 'timeout');
  if (timeout !== undefined && timeoutOf(timeout) === undefined)
    out.push({
      field: field('timeout'),
      description:
        'Must be the longest time of a call, from 100ms to 55s: a number of seconds such as 20, or text such as "20s".',
      constraint: 'range',
    });
  return out;
}

/** The value of a member. null removes a member, so there is nothing to check. */
function givenIn(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}

function rateOf(value: unknown): number | undefined {
  const isRate =
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_PER_MINUTE;
  return isRate ? value : undefined;
}

function timeoutOf(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? value * 1_000 : parseDuration(String(value));
  return ms !== undefined && ms >= MIN_TIMEOUT_MS && ms <= MAX_TIMEOUT_MS ? Math.round(ms) : undefined;
}
