/** Judges the tools of a list before any of them is published: its name, obstacles, suspicious texts. Pure. */
import type { Catalog, Connector } from '../../catalog/model/types.ts';
import type { UpstreamTool } from '../../store/upstreams/upstream-store.ts';
import type { Finding, ListedTool } from '../../store/tables/upstream-tool-tables.ts';
import { textFindings } from '../definitions/text-check.ts';
import { namesIn } from '../published/names-in-catalog.ts';
import { obstacleOf } from '../published/upstream-tool.ts';

/** One form of a tool, with the judgment about it. */
export interface JudgedForm {
  listed: ListedTool;
  hash: string;
  /** Our name for it; `undefined` if none can be made. */
  name: string | undefined;
  /** Reason why it cannot be published, even if somebody approves it. */
  obstacle: string | undefined;
  findings: readonly Finding[];
}

/**
 * @param catalog of the environment
 * @param list.hashes of the listed tools, in their order
 * @param list.known forms of the connection
 */
export function judgedForms(
  catalog: Catalog,
  connector: Connector,
  list: { listed: readonly ListedTool[]; hashes: readonly string[]; known: readonly UpstreamTool[] },
): JudgedForm[] {
  const { listed, hashes, known } = list;
  const foreign = new Set(
    [...catalog.tools.values()].filter((tool) => tool.connector !== connector.name).map(({ name }) => name),
  );
  const names = namesIn(catalog, connector, known, listed);
  return listed.map((tool, i) => {
    const name = names.get(tool.name);
    return {
      listed: tool,
      hash: hashes[i] ?? '',
      name,
      obstacle: obstacleOf(tool, name),
      findings: textFindings(tool, foreign),
    };
  });
}
