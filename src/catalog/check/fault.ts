/** A mistake in a catalog entry, before its line is known. */
import type { YamlPath } from '../../core/yaml/strict-yaml.ts';
import type { ToolEntry } from '../grammar/toolset-schema.ts';

/** `path` is below the entry; `message` completes the sentence that the path starts. */
export interface Fault {
  path: YamlPath;
  message: string;
}

/** A fault for every name that is not a parameter. */
export function unknownNames(names: readonly string[], tool: ToolEntry, path: YamlPath): Fault[] {
  return names
    .filter((name) => !Object.hasOwn(tool.parameters, name))
    .map((name) => ({ path, message: `names the parameter ${name}, which the tool does not have` }));
}
