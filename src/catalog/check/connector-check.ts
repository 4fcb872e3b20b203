/**
 * Finds faults of a connector.yaml that its shape cannot show: hosts, placeholders, settings, errors. Pure.
 */
import { authFaults } from './auth-check.ts';
import { credentialCheckFaults } from './credential-check.ts';
import { rulesOf } from '../../authorization-types/blocks.ts';
import { hostsOf, type ConnectorEntry } from '../grammar/connector-schema.ts';
import type { Fault } from './fault.ts';
import { headerFaults } from './header-check.ts';
import { mcpFaults } from './mcp-check.ts';
import { badPattern, isPlaceholderHostPattern, placeholdersIn } from './placeholder-check.ts';
import { proxyFaults } from './proxy-check.ts';
import { resultFaults } from './result-check.ts';

/** @returns faults with paths below the root of the file */
export function connectorFaults(entry: ConnectorEntry): Fault[] {
  const connector = { ...entry, hosts: hostsOf(entry) };
  const types = connector.auth.map(({ type }) => type);
  return [
    ...(entry.mcp === undefined
      ? entry.hosts.flatMap((host, i) => hostFaults(host, ['hosts', i]))
      : hostFaults(entry.mcp, ['mcp'])),
    ...mcpFaults(entry),
    ...settingFaults(connector),
    ...proxyFaults(entry),
    ...headerFaults(connector),
    ...connector.auth.flatMap((auth, i) => [
      ...authFaults(connector, auth, ['auth', i]),
      ...credentialCheckFaults(connector, auth, ['auth', i]),
      ...(types.indexOf(auth.type) === i
        ? []
        : [{ path: ['auth', i, 'type'], message: `${auth.type} is declared twice` }]),
    ]),
    ...resultFaults(connector.result),
    ...errorFaults(connector.errors),
  ];
}

/**
 * An answer means either that the credential is no longer valid or that it lacks a scope. This decides
 * whether the account ends or stays.
 */
function errorFaults(errors: ConnectorEntry['errors']): Fault[] {
  const { reconnect, missing_scope } = errors;
  const faults = (missing_scope?.statuses ?? []).flatMap((status, i) =>
    reconnect.includes(status)
      ? [
          {
            path: ['errors', 'missing_scope', 'statuses', i],
            message: `${status} is also in reconnect: it can mean only one of them`,
          },
        ]
      : [],
  );
  return [...faults, ...refusalCodeFaults(errors)];
}

/** Codes of a refused credential require a path to the code, and must have no second meaning. */
function refusalCodeFaults(errors: ConnectorEntry['errors']): Fault[] {
  const { code, reconnect_codes: codes, reconnect_except, conflicts, missing_scope } = errors;
  if (codes === undefined) return [];
  const path = ['errors', 'reconnect_codes'];
  const others = [
    ['reconnect_except', reconnect_except],
    ['conflicts', conflicts],
    ['missing_scope.codes', missing_scope?.codes],
  ] as const;
  return [
    ...(code.length === 0 ? [{ path, message: 'needs code: where the error code is' }] : []),
    ...codes.flatMap((name, i) =>
      others
        .filter(([, meant]) => meant?.includes(name) === true)
        .map(([key]) => ({
          path: [...path, i],
          message: `${name} is also in ${key}: it can mean only one of them`,
        })),
    ),
  ];
}

/** @param host one of the hosts, or the block of an MCP server, whose address may end with a slash */
function hostFaults(
  host: Pick<ConnectorEntry['hosts'][number], 'url' | 'placeholders'>,
  path: (string | number)[],
): Fault[] {
  const faults: Fault[] = [];
  const isServer = path[0] === 'mcp';
  const used = placeholdersIn([host.url]);
  const sample = host.url.replaceAll(/\{[^{}]*\}/g, 'x');
  if (!isBaseUrl(isServer ? sample.replace(/\/$/, '') : sample))
    faults.push({
      path: [...path, 'url'],
      message: `must be https://host (or http://host inside your own network), perhaps with a path, without query${isServer ? ' and user name' : ', user name and final slash'}`,
    });
  for (const name of used)
    if (!Object.hasOwn(host.placeholders, name))
      faults.push({
        path: [...path, 'url'],
        message: `has the placeholder {${name}}, which placeholders does not describe`,
      });
  for (const [name, pattern] of Object.entries(host.placeholders)) {
    if (!used.has(name)) faults.push({ path: [...path, 'placeholders', name], message: 'is not in the url' });
    if (!isPlaceholderHostPattern(pattern)) faults.push(badPattern([...path, 'placeholders', name]));
  }
  return faults;
}

/** A setting without a placeholder is a misspelled name. */
function settingFaults({ hosts, headers = {}, auth, settings }: ConnectorEntry): Fault[] {
  const known = new Set([
    ...placeholdersIn(Object.values(headers)),
    ...hosts.flatMap(({ placeholders }) => Object.keys(placeholders)),
    ...auth.flatMap((entry) => Object.keys(rulesOf(entry)?.placeholders ?? {})),
  ]);
  return Object.keys(settings ?? {})
    .filter((name) => !known.has(name))
    .map((name) => ({ path: ['settings', name], message: 'is not the name of a placeholder' }));
}

function isBaseUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#@\\\s]+(\/[^?#\\\s]*[^/?#\\\s])?$/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === '' && url.password === '';
}
