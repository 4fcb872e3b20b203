/** The tools of a virtual server, and their cost in the context of a model. */
import { toolsOfServer } from '../../../catalog/model/server-selection.ts';
import { toolsetOf } from '../../../catalog/model/tool-selection.ts';
import type { Catalog, Tool } from '../../../catalog/model/types.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { listCostOf } from '../tools/tool-cost.ts';

/** Address of the list; one server is below it. */
export const SERVERS = '/dashboard/servers';

/** The selection of a server, as the form stores it. */
export interface Ticked {
  connections: readonly string[];
  toolsets: readonly string[];
  tools: readonly string[];
  read_only: boolean;
}

/** Catalog connector by name of the connection. */
export type Connectors = ReadonlyMap<string, string>;

/** The connections of an environment. */
export async function connectorsOf(
  { connections }: Pick<DashboardDependencies, 'connections'>,
  environmentId: string,
): Promise<Connectors> {
  const listed = await connections.list(environmentId);
  return new Map(listed.map(({ name, connector }) => [name, connector]));
}

/** The tools that agents see, in the order of the catalog. */
export function servedTools(catalog: Catalog, all: Connectors, ticked: Ticked): Tool[] {
  const { connections, toolsets, tools, read_only: readOnly } = ticked;
  const connectors = connections.flatMap((name) => all.get(name) ?? []);
  const served = toolsOfServer([...catalog.tools.values()], {
    connections,
    connectors,
    toolsets,
    tools,
    readOnly,
  });
  return served.filter(({ effect }) => !readOnly || effect === 'read');
}

/** Cost of a list of tools, in tokens. */
export function costOf(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + listCostOf(tool), 0);
}

/** Tools of a connector, by the name of their toolset. */
export function byToolset(catalog: Catalog, connector: string): ReadonlyMap<string, readonly Tool[]> {
  const own = [...catalog.tools.values()].filter((tool) => tool.connector === connector);
  return Map.groupBy(own, toolsetOf);
}
