/**
 * The parts of an account's `api_config` that Gatehouse uses (docs/contract.md#configuration-of-an-account).
 *
 * It is free-form: all of it is stored and returned. Only the values of placeholders are checked and may be
 * refused, because they decide where credentials are sent. Pure.
 */
import { metadataOf, rulesOf } from '../authorization-types/blocks.ts';
import { typeOf } from '../authorization-types/index.ts';
import type { Connector, ConnectorAuth } from '../catalog/model/types.ts';
import type { FieldViolation } from '../core/errors.ts';
import { hostOf } from './allowed-endpoint.ts';
import { MAX_TIMEOUT_MS, rateOf, timeoutOf } from './call-settings.ts';
import { completeValue, headerPlaceholders } from './placeholders.ts';

type Config = Readonly<Record<string, unknown>>;

/** Most members that one warning names. */
const MAX_NAMES = 10;

/** Values of placeholders that do not have the connector's form. */
export function apiConfigViolations(
  connector: Connector,
  auth: ConnectorAuth,
  config: Config,
): FieldViolation[] {
  return [...placeholdersOf(connector, auth)].flatMap(([name, patterns]) => {
    const value = givenIn(config, name);
    const setting = connector.settings?.[name];
    if (
      value === undefined ||
      patterns.some((pattern) => completeValue(value, pattern, setting) !== undefined)
    )
      return [];
    return [
      {
        field: `connected_account.api_config.${name}`,
        description: `${connector.title} needs ${name} in the form ${patterns.join(' or ')}.`,
        constraint: 'pattern',
      },
    ];
  });
}

/** Says of each member that Gatehouse does not use, or not as given, what becomes of it. */
export function apiConfigWarnings(connector: Connector, auth: ConnectorAuth, config: Config): string[] {
  const out = [
    timeoutWarning(givenIn(config, 'timeout')),
    rateWarning(connector, givenIn(config, 'rate_limit')),
    endpointWarning(connector, givenIn(config, 'endpoint')),
  ].filter((warning) => warning !== undefined);
  const used = new Set(['timeout', 'rate_limit', 'endpoint', ...placeholdersOf(connector, auth).keys()]);
  for (const name of [...(typeOf(auth).readOnlyConfig ?? []), ...metadataOf(auth)]) used.add(name);
  const unused = Object.keys(config).filter((name) => !used.has(name) && givenIn(config, name) !== undefined);
  if (unused.length > 0) out.push(`${STORED} and Gatehouse does not use it: ${listed(unused)}.`);
  return out;
}

const STORED = 'This part of api_config is stored and given back,';

function timeoutWarning(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const ms = timeoutOf(value);
  if (ms === undefined)
    return `${STORED} but has no effect: timeout. Give milliseconds such as 30000, or text such as "30s"; at least 100ms.`;
  return ms > MAX_TIMEOUT_MS
    ? `A call ends after ${MAX_TIMEOUT_MS / 1_000} s, also with a longer timeout.`
    : undefined;
}

function rateWarning({ title, limits = {} }: Connector, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const rate = rateOf(value);
  if (rate === undefined)
    return `${STORED} but has no effect: rate_limit. Give calls a minute such as 100, or {"requests": 100, "per": "minute"}.`;
  const highest = Math.max(...Object.values(limits));
  return Number.isFinite(highest) && rate > highest
    ? `The limit of ${title} stays: ${highest} calls a minute, also with a higher rate_limit.`
    : undefined;
}

function endpointWarning(connector: Connector, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && hostOf(connector, value) !== undefined) return undefined;
  const hosts = connector.hosts.map(({ url }) => url).join(', ');
  return `${STORED} but has no effect: endpoint. Give a base address at a host of ${connector.title}, without query and user name: ${hosts}, perhaps with a longer path.`;
}

/** The placeholders of every address that an account of this type may need, each with its patterns. */
function placeholdersOf(connector: Connector, auth: ConnectorAuth): Map<string, string[]> {
  const rules = rulesOf(auth) ?? {};
  const blocks = [
    ...connector.hosts.map(({ placeholders }) => placeholders),
    headerPlaceholders(connector),
    rules.placeholders ?? {},
    typeOf(auth).placeholders?.(rules) ?? {},
  ];
  const out = new Map<string, string[]>();
  for (const [name, pattern] of blocks.flatMap((block) => Object.entries(block)))
    out.set(name, [...new Set([...(out.get(name) ?? []), pattern])]);
  return out;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, 100).toWellFormed());
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The value of a member. null removes a member, so there is nothing to check. */
function givenIn(object: Config, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}
