/** Finds faults of a connector.yaml for a remote MCP server (`mcp`, `tools`). Pure. */
import { typeOf } from '../../authorization-types/index.ts';
import { hostsOf, type ConnectorEntry } from '../grammar/connector-schema.ts';
import type { Fault } from './fault.ts';

/** Longest name of a published tool. */
const MAX_TOOL_NAME = 60;

/** Keys about requests to an API, which are not allowed for an MCP server. */
const API_KEYS = ['hosts', 'proxy_headers', 'result'] as const;

/** @returns faults with paths below the root of the file */
export function mcpFaults(connector: ConnectorEntry): Fault[] {
  if (connector.mcp === undefined)
    return [
      ...(hostsOf(connector).length === 0
        ? [{ path: ['hosts'], message: 'must name at least one host, or mcp the address of an MCP server' }]
        : []),
      ...(connector.tools === undefined
        ? []
        : [
            {
              path: ['tools'],
              message: 'is for MCP servers only: tools of an API are in files of their own',
            },
          ]),
      ...authFaults(connector, 'api'),
    ];
  return [
    ...API_KEYS.filter((key) => connector[key] !== undefined && [connector[key]].flat().length > 0).map(
      (key) => ({ path: [key], message: 'has no effect with mcp: remove it' }),
    ),
    ...Object.keys(connector.limits)
      .filter((group) => group !== 'calls')
      .map((group) => ({
        path: ['limits', group],
        message: 'is not counted: the tools of an MCP server have the group calls only',
      })),
    ...authFaults(connector, 'mcp'),
    ...issuerFaults(connector),
    ...overrideFaults(connector),
  ];
}

function authFaults({ auth }: ConnectorEntry, kind: 'api' | 'mcp'): Fault[] {
  return auth.flatMap((entry, i) => {
    const path = ['auth', i];
    const { provider = kind } = typeOf(entry);
    const faults: Fault[] = [];
    if (provider !== kind)
      faults.push({
        path: [...path, 'type'],
        message:
          kind === 'mcp'
            ? `${entry.type} is not for MCP servers`
            : `${entry.type} is for MCP servers only: it needs mcp`,
      });
    if (kind === 'mcp')
      for (const key of ['check', 'who'] as const)
        if (entry[key] !== undefined)
          faults.push({ path: [...path, key], message: 'has no effect with mcp: remove it' });
    return faults;
  });
}

/**
 * If accounts name their own servers, each server names its authorization server. If all of them could claim the
 * same issuer, one server could direct refresh tokens of another's accounts to itself.
 */
function issuerFaults({ mcp, auth }: ConnectorEntry): Fault[] {
  if (mcp?.url.includes('{') !== true) return [];
  return auth.flatMap((entry, i) =>
    entry.type === 'MCP_OAUTH' &&
    entry.mcp_oauth?.issuer !== undefined &&
    entry.mcp_oauth.authorization_server === undefined
      ? [
          {
            path: ['auth', i, 'mcp_oauth', 'issuer'],
            message: 'needs authorization_server beside it, because the url has placeholders',
          },
        ]
      : [],
  );
}

/** Faults of overrides: each must have the name of a published tool. */
function overrideFaults({ name: connector, tools }: ConnectorEntry): Fault[] {
  const given = Object.entries(tools?.override ?? {});
  const names = given.map(([, { name }]) => name);
  return given.flatMap(([upstream, { name }], i) => {
    if (name === undefined) return [];
    const path = ['tools', 'override', upstream, 'name'];
    const faults: Fault[] = [];
    if (!name.startsWith(`${connector}_`)) faults.push({ path, message: `must start with ${connector}_` });
    if (name.length > MAX_TOOL_NAME)
      faults.push({ path, message: `must have at most ${MAX_TOOL_NAME} characters` });
    if (names.indexOf(name) !== i) faults.push({ path, message: `${name} is the name of two tools` });
    return faults;
  });
}
