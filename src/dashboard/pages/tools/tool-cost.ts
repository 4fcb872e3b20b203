/** What texts cost in the context of a model, by the rule that four bytes are one token. Pure. */
import { listedSchema } from '../../../catalog/model/listed-schema.ts';
import type { Tool } from '../../../catalog/model/types.ts';

/** @param text as it is sent, UTF-8 */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** A tool in the list that every agent reads. */
export function listCostOf(tool: Tool): number {
  const { name, title, description, annotations } = tool;
  return tokensOf(JSON.stringify({ name, title, description, inputSchema: listedSchema(tool), annotations }));
}
