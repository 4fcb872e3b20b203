/** A tool in one line, `crm_add_to_list(list, record_id, entry_values?)`: enough for a model to choose and often to call. Pure. */
import type { Tool } from '../../catalog/model/types.ts';

/** Parameters of a tool in the order of its schema, optional ones with `?`: `(list, record_id, entry_values?)`. */
export function signatureOf({ parameters }: Tool): string {
  const names = Object.entries(parameters).map(([name, { required }]) => (required ? name : `${name}?`));
  return `(${names.join(', ')})`;
}

/** All tools, one line each. */
export function signatureIndex(tools: readonly Tool[]): string {
  return tools.map((tool) => `${tool.name}${signatureOf(tool)}`).join('\n');
}
