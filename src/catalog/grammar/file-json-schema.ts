/** JSON Schema of catalog files, for editors and for checks outside this program. Generated; never edited by hand. */
import * as z from 'zod';
import { connectorSchema } from './connector-schema.ts';
import { toolSchema, toolsetSchema } from './toolset-schema.ts';

/**
 * One schema for both kinds of file, toolsets and connector.yaml, because an editor recognizes a file only by
 * its folder.
 *
 * @returns content of catalogs/schema.json (JSON Schema 2020-12)
 */
export function catalogFileJsonSchema(): Record<string, unknown> {
  const { $schema, $defs, ...toolset } = publish(
    z.strictObject({ ...toolsetSchema.shape, tools: z.array(toolSchema).min(1) }),
  );
  const { $schema: _, ...connector } = publish(connectorSchema);
  return { $schema, title: 'Gatehouse catalog file', anyOf: [toolset, connector], $defs };
}

function publish(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
