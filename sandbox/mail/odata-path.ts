/** Paths such as `start/dateTime` in events. Pure. */
import { badRequest } from './refusal.ts';

/** @throws MailRefusal 400 for a property that does not exist */
export function propertyOf(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (found === null) return null;
    if (typeof found !== 'object' || Array.isArray(found) || !Object.hasOwn(found, name))
      throw unknownProperty(name);
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

/** The refusal for a name that events do not have. */
export function unknownProperty(name: string) {
  return badRequest(
    `Could not find a property named '${name}' on type 'microsoft.graph.event'.`,
    'RequestBroker--ParseUri',
  );
}
