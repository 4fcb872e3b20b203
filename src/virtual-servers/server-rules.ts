/** Checks the names in a virtual MCP server and reports every violation at once. Pure. */
import { OWN_TOOL_NAMES, TOOLSET_WORDS } from '../catalog/model/tool-selection.ts';
import type { Tool } from '../catalog/model/types.ts';
import type { FieldViolation } from '../core/errors.ts';

/** The changeable part of a virtual server. */
export interface ServerInput {
  /** Names of connections: at least one. */
  connections: readonly string[];
  /** `<connector>.<toolset>`, `<connector>` for all of its toolsets, or one of TOOLSET_WORDS. */
  toolsets: readonly string[];
  /** Tool names, including old ones. With no toolsets and no tools: all tools of the connections but the unlisted. */
  tools: readonly string[];
  readOnly: boolean;
}

/** The names that exist. */
export interface Nameable {
  /** Name of each connection and the catalog connector it uses. */
  connections: ReadonlyMap<string, string>;
  tools: readonly Tool[];
}

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Whether a text is a valid name of a virtual server, which is the last part of its address. */
export function isServerName(text: string): boolean {
  return NAME.test(text);
}

/** The violations of a name. */
export function serverNameViolations(name: string): FieldViolation[] {
  if (isServerName(name)) return [];
  const description =
    'Must have 1 to 63 lower-case letters, digits and hyphens, and begin with a letter or digit: it is the end of the address.';
  return [{ field: 'name', description, constraint: 'format' }];
}

/**
 * Reports names of a selection that do not exist, or whose connector has no named connection.
 *
 * @param input its lists may hold any value
 */
export function selectionViolations(input: ServerInput, { connections, tools }: Nameable): FieldViolation[] {
  const out: FieldViolation[] = [];
  if (input.connections.length === 0) {
    const description = 'Name at least one connection: calls go through these and no others.';
    out.push({ field: 'connections', description, constraint: 'min_items' });
  }
  const mapped = new Set<string>();
  for (const [at, name] of input.connections.entries()) {
    const connector = connections.get(name);
    if (connector === undefined) {
      const known = [...connections.keys()].join(', ') || 'none';
      out.push(unknown(`connections.${at}`, `There is no connection of this name. There are: ${known}.`));
    } else mapped.add(connector);
  }
  const check = (list: 'toolsets' | 'tools', at: number, connector: string | undefined): void => {
    const field = `${list}.${at}`;
    const [kind, where] =
      list === 'tools'
        ? ['tool', 'GET /api/v1/tools lists them.']
        : [
            'toolset',
            'Write default, core or all, <connector>.<toolset>, or <connector> for all of its toolsets.',
          ];
    if (connector === undefined) out.push(unknown(field, `There is no ${kind} of this name. ${where}`));
    else if (mapped.size > 0 && !mapped.has(connector)) {
      const description = `This ${kind} needs a connection to ${connector}, and connections names none.`;
      out.push({ field, description, constraint: 'connection_missing' });
    }
  };
  const toolsets = new Map(
    tools.flatMap(({ connector, toolset }) => [
      [connector, connector],
      [`${connector}.${toolset}`, connector],
    ]),
  );
  const names = new Map(
    tools.flatMap(({ name, aliases = [], connector }) => [name, ...aliases].map((any) => [any, connector])),
  );
  const words: readonly unknown[] = TOOLSET_WORDS;
  for (const [at, name] of input.toolsets.entries())
    if (!words.includes(name)) check('toolsets', at, toolsets.get(name));
  const own: readonly unknown[] = OWN_TOOL_NAMES;
  for (const [at, name] of input.tools.entries())
    if (!own.includes(name)) check('tools', at, names.get(name));
  return out;
}

function unknown(field: string, description: string): FieldViolation {
  return { field, description, constraint: 'unknown' };
}
