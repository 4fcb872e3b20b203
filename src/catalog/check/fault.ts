/** A mistake in a catalog entry, before it is known on which line it stands. */
import type { YamlPath } from '../../core/strict-yaml.ts';
import type { ToolEntry } from '../grammar/toolset-schema.ts';

/** `path` is below the entry; `message` ends the sentence that the path starts. */
export interface Fault {
  path: YamlPath;
  message: string;
}

/** A fault for every name that is no parameter. */
export function unknownNames(names: readonly string[], tool: ToolEntry, path: YamlPath): Fault[] {
  return names
    .filter((name) => !Object.hasOwn(tool.parameters, name))
    .map((name) => ({ path, message: `names the parameter ${name}, which the tool does not have` }));
}
