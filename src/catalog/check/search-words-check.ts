/** Checks the everyday words of a connector, as far as that needs its tools. Pure. */
import type { Fault } from './fault.ts';
import type { Connector, Tool } from '../model/types.ts';

/**
 * Faults of `search_words.tools`: each name must be a tool of the connector itself, because words for any other
 * would never be found.
 *
 * @param tools all of the catalog, by name
 * @returns faults with paths below the connector entry
 */
export function searchWordFaults(
  { name, search_words: words }: Connector,
  tools: ReadonlyMap<string, Tool>,
): Fault[] {
  return Object.keys(words?.tools ?? {}).flatMap((tool) => {
    const owner = tools.get(tool)?.connector;
    if (owner === name) return [];
    const reason = owner === undefined ? 'which does not exist' : `which belongs to the connector ${owner}`;
    return [{ path: ['search_words', 'tools', tool], message: `names the tool ${tool}, ${reason}` }];
  });
}
