/** Whether results keep what their tools promise. They pass in any case; clients may refuse those that do not. */
import { valueSchema } from '../../catalog/call/value-schema.ts';
import type { OutputSchema, PublishedSchema } from '../../catalog/model/types.ts';
import { withOpenObjects } from '../published/upstream-tool.ts';

/** By published schema; built with the first result. */
const built = new WeakMap<OutputSchema, ReturnType<typeof valueSchema>>();

/** Whether a structured result fits the output schema that is published for its tool. */
export function fitsSchema(published: OutputSchema, result: unknown): boolean {
  const known = built.get(published);
  const schema = known ?? valueSchema(withOpenObjects(published) as PublishedSchema);
  if (known === undefined) built.set(published, schema);
  return schema.safeParse(result).success;
}
