/**
 * Names that tools and parameters had before: a call by one of them is the call by the name of today, and is told so.
 *
 * Pure. Old names are published nowhere: a list shows each thing once, under its name.
 */
import type { FieldViolation } from '../../core/errors.ts';
import type { Tool } from './types.ts';

/** Something that was named as it was once called. */
export interface Renamed {
  kind: 'tool' | 'parameter';
  /** As the caller said. */
  from: string;
  /** Its name. */
  to: string;
}

/** Made with the first name that is no tool's; it goes with its catalog. */
const indexes = new WeakMap<ReadonlyMap<string, Tool>, ReadonlyMap<string, Tool>>();

/**
 * The tool of a name or of an old name.
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

/** What of a tool's name and input was named as it was once called, in the order of the input. */
export function renamedIn(tool: Tool, toolName: string, input: unknown): Renamed[] {
  return [
    ...(toolName === tool.name ? [] : [{ kind: 'tool' as const, from: toolName, to: tool.name }]),
    ...renamedParameters(tool, input),
  ];
}

/** The input under the names of today; the same object where it has no old one. Of two names for one value the new one stays. */
export function withCurrentNames<T>(tool: Tool, input: T): T {
  const renamed = renamedParameters(tool, input);
  if (renamed.length === 0) return input;
  const given = input as Record<string, unknown>;
  const names = new Map(renamed.map(({ from, to }) => [from, to]));
  const entries = Object.entries(given)
    .filter(([name]) => !isBeside(given, names.get(name)))
    .map(([name, value]) => [names.get(name) ?? name, value]);
  return Object.fromEntries(entries) as T;
}

/** Old names beside the new one, or beside another old one: which value is meant cannot be known. */
export function aliasViolations(tool: Tool, input: unknown): FieldViolation[] {
  const given = input as Record<string, unknown>;
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

/** One sentence for each old name, for whoever used it. */
export function renamedSentences(renamed: readonly Renamed[]): string {
  return renamed
    .map(({ kind, from, to }) => `The ${kind} ${from} is now called ${to}: use the new name.`)
    .join(' ');
}

function renamedParameters(tool: Tool, input: unknown): Renamed[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const old = Object.entries(tool.parameters).flatMap(([to, { aliases = [] }]) =>
    aliases.map((from) => [from, to] as const),
  );
  if (old.length === 0) return [];
  const names = new Map(old);
  return Object.entries(input).flatMap(([from, value]) => {
    const to = value === undefined ? undefined : names.get(from);
    return to === undefined ? [] : [{ kind: 'parameter' as const, from, to }];
  });
}

function isBeside(given: Readonly<Record<string, unknown>>, name: string | undefined): boolean {
  return name !== undefined && Object.hasOwn(given, name) && given[name] !== undefined;
}
