/**
 * Evaluates rules across parameters, and words each as one sentence.
 *
 * The sentence is appended to the tool's description, unless a parameter's own text says the rule, and is also the text
 * of the violation. A model thus reads the same words before and after a mistake. Pure. Rules are judged on the caller's input, before
 * defaults.
 */
import type { FieldViolation } from '../../core/errors.ts';
import type { Condition, Constraint, Group, Tool } from './types.ts';

type Input = Readonly<Record<string, unknown>>;

/** `0`, `false`, `""` and `[]` are values like any other. */
export function isGiven(input: Input, name: string): boolean {
  return Object.hasOwn(input, name) && input[name] !== undefined;
}

/** "x is given" or "x equals literal"; a table with several entries needs all of them. */
export function holds(condition: Condition, input: Input): boolean {
  if (typeof condition === 'string') return isGiven(input, condition);
  return Object.entries(condition).every(([name, value]) => isGiven(input, name) && input[name] === value);
}

/** The rule as one sentence. */
export function ruleSentence(rule: Constraint): string {
  if ('exactly_one_of' in rule) return `Give exactly one of: ${groupNames(rule.exactly_one_of)}.`;
  if ('at_most_one_of' in rule) return `Give at most one of: ${groupNames(rule.at_most_one_of)}.`;
  if ('at_least_one_of' in rule) return `Give at least one of: ${groupNames(rule.at_least_one_of)}.`;
  if ('together' in rule) return `Give ${words(rule.together, 'and')} together or not at all.`;
  const consequences = [
    rule.require && `${words(rule.require, 'and')} ${rule.require.length > 1 ? 'are' : 'is'} required`,
    rule.forbid && `${words(rule.forbid, 'and')} cannot be given`,
    ...Object.entries(rule.require_value ?? {}).map(([name, value]) => `${name} must be ${value}`),
  ].filter((text) => text !== undefined);
  return `When ${conditionWords(conditions(rule.when))}, ${words(consequences, 'and')}.`;
}

/** One violation per broken rule; `field` is the parameter to change first. */
export function ruleViolations(tool: Tool, input: Input): FieldViolation[] {
  return tool.constraints.flatMap((rule) => {
    const broken = breach(tool, rule, input);
    return broken === undefined ? [] : [{ ...broken, description: ruleSentence(rule) }];
  });
}

/** Parameters that a rule forbids for this input; their defaults must not be filled in. */
export function forbiddenParameters(tool: Tool, input: Input): ReadonlySet<string> {
  return new Set(
    tool.constraints.flatMap((rule) =>
      'when' in rule && rule.forbid !== undefined && applies(rule.when, input) ? rule.forbid : [],
    ),
  );
}

/** The names in a condition. */
export function conditionNames(condition: Condition): string[] {
  return typeof condition === 'string' ? [condition] : Object.keys(condition);
}

/** Every parameter that a rule mentions, once. */
export function ruleNames(rule: Constraint): string[] {
  if (!('when' in rule)) return [...new Set(choiceNames(rule))];
  const tested = conditions(rule.when).flatMap(conditionNames);
  const bound = [...(rule.require ?? []), ...(rule.forbid ?? []), ...Object.keys(rule.require_value ?? {})];
  return [...new Set([...tested, ...bound])];
}

/** The parameters that a rule without `when` chooses among. */
export function choiceNames(rule: Exclude<Constraint, { when: unknown }>): readonly string[] {
  if ('together' in rule) return rule.together;
  return Object.values(rule).flatMap((groups: readonly Group[]) => groups.flatMap(members));
}

/** The parameter whose description says the rule; `undefined` if that of the tool does. */
export function toldBy(rule: Constraint): string | undefined {
  return 'told_by' in rule ? rule.told_by : undefined;
}

/** A rule's conditions as a list; one of them is sufficient. */
function conditions(when: Condition | readonly Condition[]): readonly Condition[] {
  return isList(when) ? when : [when];
}

/** The members of a group. */
function members(group: Group): readonly string[] {
  return isList(group) ? group : [group];
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function applies(when: Condition | readonly Condition[], input: Input): boolean {
  return conditions(when).some((condition) => holds(condition, input));
}

/**
 * The violation, or `undefined` if the rule is kept. In "one of" rules a flag that is false counts as absent, unless the
 * tool updates: then it is a new value.
 */
function breach(
  { effect }: Tool,
  rule: Constraint,
  input: Input,
): { field: string; constraint: string } | undefined {
  const chosen = (name: string): boolean =>
    isGiven(input, name) && (effect === 'update' || input[name] !== false);
  if ('exactly_one_of' in rule) return oneOf(rule.exactly_one_of, 'exactly_one_of', chosen);
  if ('at_most_one_of' in rule) return tooMany(rule.at_most_one_of, 'at_most_one_of', chosen);
  if ('at_least_one_of' in rule) return noneComplete(rule.at_least_one_of, 'at_least_one_of', chosen);
  if ('together' in rule) {
    const missing = rule.together.find((name) => !isGiven(input, name));
    const some = rule.together.some((name) => isGiven(input, name));
    return some && missing !== undefined ? { field: missing, constraint: 'together' } : undefined;
  }
  if (!applies(rule.when, input)) return undefined;
  const required = rule.require?.find((name) => !isGiven(input, name));
  if (required !== undefined) return { field: required, constraint: 'require' };
  const forbidden = rule.forbid?.find((name) => isGiven(input, name));
  if (forbidden !== undefined) return { field: forbidden, constraint: 'forbid' };
  const wrong = Object.entries(rule.require_value ?? {}).find(([name, value]) => input[name] !== value);
  return wrong === undefined ? undefined : { field: wrong[0], constraint: 'require_value' };
}

type Chosen = (name: string) => boolean;

function oneOf(groups: readonly Group[], constraint: string, chosen: Chosen) {
  return tooMany(groups, constraint, chosen) ?? noneComplete(groups, constraint, chosen);
}

function tooMany(groups: readonly Group[], constraint: string, chosen: Chosen) {
  const [, second] = groups.filter((group) => members(group).some(chosen));
  const field = second && members(second).find(chosen);
  return field === undefined ? undefined : { field, constraint };
}

function noneComplete(groups: readonly Group[], constraint: string, chosen: Chosen) {
  if (groups.some((group) => members(group).every(chosen))) return undefined;
  const begun = groups.find((group) => members(group).some(chosen)) ?? groups[0] ?? [];
  return { field: members(begun).find((name) => !chosen(name)) ?? '', constraint };
}

function groupNames(groups: readonly Group[]): string {
  return groups.map((group) => members(group).join(' with ')).join(', ');
}

function conditionWords(list: readonly Condition[]): string {
  const names = list.filter((condition) => typeof condition === 'string');
  const tables = list.filter((condition) => typeof condition !== 'string');
  const given =
    names.length > 1 ? `any of ${words(names, 'and')} is given` : names.map((name) => `${name} is given`)[0];
  const equal = tables.map((table) =>
    Object.entries(table)
      .map(([name, value]) => `${name} is ${value}`)
      .join(' and '),
  );
  return words(
    [given, ...equal].filter((text) => text !== undefined),
    'or',
  );
}

/** `a`, `a and b`, `a, b and c`. */
function words(list: readonly string[], last: 'and' | 'or'): string {
  if (list.length < 2) return list.join('');
  return `${list.slice(0, -1).join(', ')} ${last} ${list.at(-1)}`;
}
