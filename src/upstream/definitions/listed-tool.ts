/** A tool as another MCP server lists it. Nothing in it is trusted. Types only. */
import type { JsonObject } from '../../core/json.ts';

/** Hints of the server about what a tool does; proposals, never facts. */
export interface ListedAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** The members of a definition that a model or a client sees. The hash covers exactly these. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: JsonObject;
  outputSchema?: JsonObject | undefined;
  annotations?: ListedAnnotations | undefined;
  execution?: { taskSupport?: string | undefined } | undefined;
}

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
