/** Cost of texts in the context of a model. Four bytes are estimated as one token. Pure. */
import { listedSchema } from '../../../catalog/model/listed-schema.ts';
import type { Tool } from '../../../catalog/model/types.ts';

/** @param text in the form in which it is sent, as UTF-8 */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** Cost of a tool in the list that every agent reads, in tokens. */
export function listCostOf(tool: Tool): number {
  const { name, title, description, annotations } = tool;
  return tokensOf(JSON.stringify({ name, title, description, inputSchema: listedSchema(tool), annotations }));
}
