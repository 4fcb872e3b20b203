/** Names of a remote MCP server's tools in the catalog of an environment, next to names that exist already. Pure. */
import type { Catalog, Connector } from '../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { UpstreamTool } from '../../store/upstreams/upstream-store.ts';
import type { ListedTool } from '../../store/tables/upstream-tool-tables.ts';
import { isNameFor, toolNames } from '../definitions/names.ts';

/**
 * Our names, by the names at the server. An approved name stays; a name that an operator gave takes precedence.
 *
 * @param known forms of the connection, in any state
 * @param listed the tools that its server lists now
 */
export function namesIn(
  catalog: Catalog,
  connector: Connector,
  known: readonly UpstreamTool[],
  listed: readonly ListedTool[],
): Map<string, string | undefined> {
  const fixed = fixedNames(known);
  const taken = new Set(fixed.values());
  const isOthers = othersNames(catalog, connector);
  const originals = [...known.map(({ tool }) => tool), ...listed.map(({ name }) => name)];
  const free = [...new Set(originals)].filter((tool) => !fixed.has(tool));
  const names = new Map([
    ...toolNames(connector.name, free, (name) => taken.has(name) || isOthers(name)),
    ...fixed,
  ]);
  for (const [tool, { name }] of Object.entries(connector.tools?.override ?? {}))
    if (name !== undefined && names.has(tool)) names.set(tool, name);
  return names;
}

/** Whether an operator may give a tool this name. @param known forms of the connection */
export function freeNames(
  catalog: Catalog,
  connector: Connector,
  known: readonly UpstreamTool[],
): (name: string, tool: string) => boolean {
  const fixed = fixedNames(known);
  const isOthers = othersNames(catalog, connector);
  return (name, tool) =>
    isNameFor(connector.name, name) &&
    !isOthers(name) &&
    ![...fixed].some(([other, own]) => own === name && other !== tool);
}

/**
 * Approvals that would give several tools the same name.
 *
 * @param names our names, by those at the server
 * @param connector its name
 */
export function doubleNames(
  approvals: readonly { tool: string }[],
  names: ReadonlyMap<string, string | undefined>,
  connector: string,
): FieldViolation[] {
  const first = new Map<string, string>();
  return approvals.flatMap(({ tool }, i) => {
    const name = names.get(tool);
    if (name === undefined) return [];
    const owner = first.get(name) ?? tool;
    first.set(name, owner);
    return owner === tool ? [] : [violation(`tools[${i}].name`, nameRule(connector), 'name')];
  });
}

/** The rule for names, as a sentence. */
export function nameRule(connector: string): string {
  return `A name begins with ${connector}_ and goes on with lower-case letters, digits and _. It has at most 60 characters, and no other tool has it.`;
}

function fixedNames(known: readonly UpstreamTool[]): Map<string, string> {
  return new Map(known.flatMap(({ tool, name }) => (name === null ? [] : [[tool, name] as const])));
}

function othersNames(catalog: Catalog, connector: Connector): (name: string) => boolean {
  const aliases = new Set([...catalog.tools.values()].flatMap((tool) => tool.aliases ?? []));
  return (name) => {
    const other = catalog.tools.get(name);
    return aliases.has(name) || (other !== undefined && other.connector !== connector.name);
  };
}
