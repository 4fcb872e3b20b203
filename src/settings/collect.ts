/**
 * Merges file, environment and flags, checks every value where it was written, and remembers the source of
 * each.
 *
 * Later sources win (file, environment, flags), but a bad value is a problem even if another source overrides
 * it.
 */
import * as z from 'zod/mini';
import { isObject } from '../core/json.ts';
import type { SettingInForce } from '../core/telemetry/installation-report.ts';
import { nearest } from '../core/text.ts';
import { fileSchema, type FileSettings } from './settings-schema.ts';
import type { SettingsProblem } from './types.ts';
import { readSettingsFile, type SettingsFile } from './settings-file.ts';
import {
  dotted,
  faultyPart,
  fromTheEnd,
  place,
  remove,
  valueAt,
  type Group,
  type Path,
} from '../core/yaml/yaml-tree.ts';
import { fromText, settingInfo } from './values.ts';
import {
  listVariables,
  readEnvironment,
  readFlags,
  settingAt,
  unwrapped,
  type Given,
  type SettingsFlags,
} from './variables.ts';

/** Sources that the settings are read from. */
export interface SettingsSources {
  flags: SettingsFlags;
  env: Readonly<Record<string, string | undefined>>;
  /** Working directory, absolute. */
  cwd: string;
  /** The user's home, absolute. */
  homeDir: string;
}

/**
 * All values of all sources. Faulty ones are left out, so that the rules between settings can still be
 * checked.
 */
export class CollectedSettings {
  readonly file: SettingsFile;
  readonly values: FileSettings;
  readonly problems: SettingsProblem[];
  /** Of the file, with the values of the other sources in their places. */
  readonly #tree: Group;
  readonly #origins = new Map<string, { source: 'env' | 'flag'; key: string }>();
  /** Faulty paths, in the positions of the file, like origins and problems. */
  readonly #faulty = new Set<string>();
  /** By list: positions in the file of the entries that are left. */
  readonly #places = new Map<string, readonly number[]>();

  constructor({ flags, env, cwd, homeDir }: SettingsSources) {
    const convert = (written: string, path: Path): unknown => {
      const schema = settingAt(path);
      const info = schema === undefined ? undefined : settingInfo(schema);
      return info === undefined ? written : fromText(info.kind, written);
    };
    this.file = readSettingsFile({ flag: flags.config, env, cwd, homeDir, convert });
    const variables = listVariables();
    const fromEnvironment = readEnvironment(env, variables);
    this.problems = [...this.file.problems];
    if (this.file.yaml.tree === undefined) this.#faulty.add('');
    for (const { path } of this.file.yaml.problems) this.#faulty.add(dotted(path));

    const tree = this.#root();
    this.#tree = tree;
    for (const given of [...fromEnvironment.given, ...readFlags(flags, cwd, variables)])
      this.#take(tree, given);
    this.values = this.#parse(tree);
    this.problems.push(...fromEnvironment.problems);
  }

  /** A value as its source gives it, and that source; a default is `undefined`. */
  written(path: Path): { value: unknown; from: SettingInForce['from'] } {
    const value = valueAt(this.#tree, path);
    const origin = this.#origins.get(dotted(path))?.source;
    if (origin !== undefined) return { value, from: origin === 'env' ? 'environment' : 'flag' };
    return { value, from: value === undefined ? 'default' : 'file' };
  }

  /**
   * Reports a problem at the source of a value; does nothing if that value, or another that the rule looks
   * at, is already faulty.
   */
  report(path: Path, message: string, concerns: readonly Path[] = []): void {
    const problem = this.problemAt(path, message, concerns);
    if (problem !== undefined) this.problems.push(problem);
  }

  /** Returns the problem that `report` would report. */
  problemAt(path: Path, message: string, concerns: readonly Path[] = []): SettingsProblem | undefined {
    const written = this.#written(path);
    const isRepeated =
      this.#isFaulty(written) ||
      concerns
        .map((other) => this.#written(other))
        .some((other) => this.#isFaulty(other) || this.#holdsFaulty(other));
    return isRepeated ? undefined : this.#problem(written, message);
  }

  /** Replaces the file's value with one of the environment or a flag. */
  #take(tree: Group, { variable: { path, kind, schema }, origin, text }: Given): void {
    const value = fromText(kind, text);
    const inFile = valueAt(tree, path);
    if (inFile !== undefined && !this.#origins.has(dotted(path))) this.#checkInFile(schema, inFile, path);
    if (this.#check(schema, value, origin)) {
      if (place(tree, path, value)) this.#origins.set(dotted(path), origin);
    } else {
      this.#faulty.add(dotted(path));
      remove(tree, path);
    }
  }

  #root(): Group {
    const { tree, problems } = this.file.yaml;
    if (isObject(tree)) return structuredClone(tree);
    if (tree !== undefined && problems.length === 0)
      this.problems.push(this.#problem([], 'the file must be a group of keys'));
    return {};
  }

  /** Names entries of a list by their number, from 1, because a value may be a secret. */
  #check(schema: z.ZodMiniType, value: unknown, origin: { source: 'env' | 'flag'; key: string }): boolean {
    const { error } = schema.safeParse(value);
    const messages = new Set(
      error?.issues.map(({ path: [index], message }) =>
        typeof index === 'number' ? `entry ${index + 1} ${message}` : message,
      ),
    );
    for (const message of messages) this.problems.push({ ...origin, message });
    return messages.size === 0;
  }

  #checkInFile(schema: z.ZodMiniType, value: unknown, path: Path): void {
    for (const issue of schema.safeParse(value).error?.issues ?? []) {
      const inner = issue.path as Path;
      this.problems.push(this.#problem([...path, ...inner], explain(issue, valueAt(value, inner))));
    }
  }

  /**
   * Parses, reports and leaves out faulty parts until the rest is valid. Ends because every pass removes
   * something.
   */
  #parse(tree: Group): FileSettings {
    for (;;) {
      const { data, error } = fileSchema.safeParse(tree);
      if (data !== undefined) return data;
      const faults = error.issues.flatMap((issue) => explained(issue, tree));
      for (const [path, message] of faults) {
        this.report(path, message);
        this.#faulty.add(dotted(this.#written(path)));
      }
      const parts = new Map(
        faults.map(([path]) => {
          const part = faultyPart(tree, path, isDeclaration);
          return [dotted(part), part];
        }),
      );
      for (const part of [...parts.values()].sort(fromTheEnd)) this.#leaveOut(tree, part);
    }
  }

  /** Removes a part. The entries after it keep their positions in the file. */
  #leaveOut(tree: Group, part: Path): void {
    const written = this.#written(part);
    if (part.length > 0) this.#faulty.add(dotted(written));
    const index = part.at(-1);
    if (typeof index === 'number') {
      const list = dotted(written.slice(0, -1));
      const { length } = valueAt(tree, part.slice(0, -1)) as unknown[];
      const places = this.#places.get(list) ?? Array.from({ length }, (_, i) => i);
      this.#places.set(list, places.toSpliced(index, 1));
    }
    remove(tree, part);
  }

  /** Position in the file of the value that is at `path` in `values`. */
  #written(path: Path): Path {
    const written: (string | number)[] = [];
    for (const part of path) {
      const places = typeof part === 'number' ? this.#places.get(dotted(written)) : undefined;
      written.push(places?.[Number(part)] ?? part);
    }
    return written;
  }

  #isFaulty(path: Path): boolean {
    return (
      this.#faulty.has('') || path.some((_, index) => this.#faulty.has(dotted(path.slice(0, index + 1))))
    );
  }

  #holdsFaulty(path: Path): boolean {
    const whole = dotted(path);
    return [...this.#faulty].some((part) => part.startsWith(`${whole}.`) || part.startsWith(`${whole}[`));
  }

  /**
   * A problem at the value's own source, otherwise at the nearest surrounding or contained value that was
   * written somewhere.
   */
  #problem(path: Path, message: string): SettingsProblem {
    const whole = dotted(path);
    for (let length = path.length; length > 0; length--) {
      const part = dotted(path.slice(0, length));
      const origin =
        this.#origins.get(part) ?? [...this.#origins].find(([key]) => key.startsWith(`${part}.`))?.[1];
      if (origin !== undefined)
        return { ...origin, message: length === path.length ? message : `${whole} ${message}` };
      const line = this.file.yaml.lineOf(path.slice(0, length));
      if (line !== undefined) return this.#inFile(whole, line, message);
    }
    return this.#inFile(whole, 1, message);
  }

  #inFile(key: string, line: number, message: string): SettingsProblem {
    const { path } = this.file;
    return path === undefined
      ? { source: 'file', key, message }
      : { source: 'file', file: path, line, key, message };
  }
}

/**
 * True for an entry that can be left out on its own: connections, interceptors, webhooks and environments.
 * Entries of other lists belong together.
 */
function isDeclaration(path: Path): boolean {
  const list = settingAt(path.slice(0, -1));
  return list !== undefined && settingInfo(list) === undefined;
}

/** Turns an issue into problems: one per unknown key, otherwise one. */
function explained(issue: z.core.$ZodIssue, tree: Group): [Path, string][] {
  const path = issue.path as Path;
  if (issue.code !== 'unrecognized_keys') return [[path, explain(issue, valueAt(tree, path))]];
  const group = unwrapped((path.length === 0 ? fileSchema : settingAt(path)) ?? fileSchema);
  const known = group instanceof z.ZodMiniObject ? Object.keys(group.shape) : [];
  return issue.keys.map((key) => {
    const suggestion = nearest(key, known);
    return [
      [...path, key],
      suggestion === undefined ? 'is not a setting' : `is not a setting. Did you mean ${suggestion}?`,
    ];
  });
}

function explain(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'has no value: give it one or remove the line';
  if (issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'record'))
    return 'must be a group of keys';
  if (issue.code === 'invalid_type' && issue.expected === 'array') return 'must be a list';
  return issue.message;
}
