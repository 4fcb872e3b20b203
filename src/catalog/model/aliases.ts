/**
 * Former names of tools and parameters: a call that uses one is treated as a call by the current name, and
 * the caller is notified.
 *
 * Pure. Old names are not published: a list shows each tool and parameter once, under its current name.
 */
import type { FieldViolation } from '../../core/errors.ts';
import { membersOf } from '../../core/json.ts';
import type { Tool } from './types.ts';

/** A tool or parameter that was called by an old name. */
export interface Renamed {
  kind: 'tool' | 'parameter';
  /** Name used by the caller. */
  from: string;
  /** Its current name. */
  to: string;
}

/** Built at the first unknown tool name; freed with its catalog. */
const indexes = new WeakMap<ReadonlyMap<string, Tool>, ReadonlyMap<string, Tool>>();

/**
 * The tool with this name or old name.
 *
 * @param tools of a catalog, by name
 */
export function toolNamed(tools: ReadonlyMap<string, Tool>, name: string): Tool | undefined {
  return tools.get(name) ?? indexOf(tools).get(name);
}

function indexOf(tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  const known = indexes.get(tools);
  if (known !== undefined) return known;
  const index = new Map(
    [...tools.values()].flatMap((tool) => (tool.aliases ?? []).map((alias) => [alias, tool] as const)),
  );
  indexes.set(tools, index);
  return index;
}

/** Old names used for the tool and its input, in the order of the input. */
export function renamedIn(tool: Tool, toolName: string, input: unknown): Renamed[] {
  return [
    ...(toolName === tool.name ? [] : [{ kind: 'tool' as const, from: toolName, to: tool.name }]),
    ...renamedParameters(tool, input),
  ];
}

/**
 * The input under current names; the same object if it has no old name. Of two names for one value the
 * current one stays.
 */
export function withCurrentNames<T>(tool: Tool, input: T): T {
  const renamed = renamedParameters(tool, input);
  if (renamed.length === 0) return input;
  const given = membersOf(input);
  const names = new Map(renamed.map(({ from, to }) => [from, to]));
  const entries = Object.entries(given)
    .filter(([name]) => !isBeside(given, names.get(name)))
    .map(([name, value]) => [names.get(name) ?? name, value]);
  return Object.fromEntries(entries) as T;
}

/**
 * Violations for an old name next to the current one or another old one: the intended value cannot be known.
 */
export function aliasViolations(tool: Tool, input: unknown): FieldViolation[] {
  const given = membersOf(input);
  const seen = new Set<string>();
  return renamedParameters(tool, input).flatMap(({ from, to }) => {
    const isSecond = isBeside(given, to) || seen.has(to);
    seen.add(to);
    return isSecond
      ? [
          {
            field: from,
            description: `${from} is now called ${to}, which is given too. Give ${to} only.`,
            constraint: 'exclusive',
          },
        ]
      : [];
  });
}

/** One sentence for each old name, for the caller that used it. */
export function renamedSentences(renamed: readonly Renamed[]): string {
  return renamed
    .map(({ kind, from, to }) => `The ${kind} ${from} is now called ${to}: use the new name.`)
    .join(' ');
}

function renamedParameters(tool: Tool, input: unknown): Renamed[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const names = oldNamesOf(tool);
  if (names.size === 0) return [];
  return Object.entries(input).flatMap(([from, value]) => {
    const to = value === undefined ? undefined : names.get(from);
    return to === undefined ? [] : [{ kind: 'parameter' as const, from, to }];
  });
}

/** Built with the first call of a tool, because a call asks several times; freed with its catalog. */
const oldNames = new WeakMap<Tool, ReadonlyMap<string, string>>();

/** Old name of a parameter -> its current name. */
function oldNamesOf(tool: Tool): ReadonlyMap<string, string> {
  const known = oldNames.get(tool);
  if (known !== undefined) return known;
  const names = new Map(
    Object.entries(tool.parameters).flatMap(([to, { aliases = [] }]) =>
      aliases.map((from) => [from, to] as const),
    ),
  );
  oldNames.set(tool, names);
  return names;
}

function isBeside(given: Readonly<Record<string, unknown>>, name: string | undefined): boolean {
  return name !== undefined && Object.hasOwn(given, name) && given[name] !== undefined;
}
