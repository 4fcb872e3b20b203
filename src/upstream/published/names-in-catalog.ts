/** Names of the tools of a remote MCP server beside those that its environment has already. Pure. */
import type { Catalog, Connector } from '../../catalog/model/types.ts';
import type { UpstreamTool } from '../../store/upstreams/upstream-store.ts';
import type { ListedTool } from '../definitions/listed-tool.ts';
import { toolNames } from '../definitions/names.ts';

/**
 * Our names, by those of the server. A name that was approved stays; an operator's wins.
 *
 * @param known forms of the connection, whatever their state
 * @param listed what its server lists now
 */
export function namesIn(
  catalog: Catalog,
  connector: Connector,
  known: readonly UpstreamTool[],
  listed: readonly ListedTool[],
): Map<string, string | undefined> {
  const aliases = new Set([...catalog.tools.values()].flatMap((tool) => tool.aliases ?? []));
  const fixed = new Map(known.flatMap(({ tool, name }) => (name === null ? [] : [[tool, name] as const])));
  const taken = new Set(fixed.values());
  const isTakenName = (name: string): boolean => {
    const other = catalog.tools.get(name);
    return (
      aliases.has(name) || taken.has(name) || (other !== undefined && other.connector !== connector.name)
    );
  };
  const originals = [...known.map(({ tool }) => tool), ...listed.map(({ name }) => name)];
  const free = [...new Set(originals)].filter((tool) => !fixed.has(tool));
  const names = new Map([...toolNames(connector.name, free, isTakenName), ...fixed]);
  for (const [tool, { name }] of Object.entries(connector.tools?.override ?? {}))
    if (name !== undefined && names.has(tool)) names.set(tool, name);
  return names;
}
