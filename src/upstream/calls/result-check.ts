/**
 * Whether results match the output schema of their tools. They are passed on in any case; a client may refuse those
 * that do not match.
 */
import { valueSchema } from '../../catalog/call/value-schema.ts';
import type { OutputSchema, PublishedSchema } from '../../catalog/model/types.ts';
import { withOpenObjects } from '../published/upstream-tool.ts';

/** Validators by published schema, each built with its first result. */
const built = new WeakMap<OutputSchema, ReturnType<typeof valueSchema>>();

/** Whether a structured result matches the published output schema of its tool. */
export function fitsSchema(published: OutputSchema, result: unknown): boolean {
  const known = built.get(published);
  const schema = known ?? valueSchema(withOpenObjects(published) as PublishedSchema);
  if (known === undefined) built.set(published, schema);
  return schema.safeParse(result).success;
}
