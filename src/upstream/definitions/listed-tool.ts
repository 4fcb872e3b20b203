/** The part of a listed tool that counts. Nothing in it is trusted. */
import type { ListedTool } from '../../store/tables/upstream-tool-tables.ts';

/** The members of a listed tool that are used. Icons and `_meta` are left out. */
export function listedTool(tool: ListedTool): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = tool;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(execution !== undefined && { execution }),
  };
}
