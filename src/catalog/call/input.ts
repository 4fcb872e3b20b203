/**
 * Checks the input of a tool call: reports everything that is wrong with it at once, each with its field.
 * Pure.
 */
import { invalidArgument, type FieldViolation } from '../../core/errors.ts';
import { membersOf } from '../../core/json.ts';
import { nearest } from '../../core/text.ts';
import type * as z from 'zod';
import { aliasViolations, renamedIn, withCurrentNames } from '../model/aliases.ts';
import { ruleViolations } from '../model/constraints.ts';
import { FORMATS } from '../model/formats.ts';
import { issueText } from '../grammar/issue-text.ts';
import { placementViolations, withDefaults } from './request.ts';
import { MAX_TEXT, shownKey, unsafeValues } from '../../core/safe-json.ts';
import type { Parameter, Tool } from '../model/types.ts';
import { validateParameters } from './value-schema.ts';

/** More than anyone fixes at once; an answer must not grow with the number of invented keys. */
const MAX_VIOLATIONS = 100;

/**
 * The input that the request is built from: under current names, with defaults filled in unless a rule
 * forbids them.
 *
 * @throws ServiceError INVALID_ARGUMENT with every violation
 */
export function checkInput(tool: Tool, input: unknown): Record<string, unknown> {
  const violations = inputViolations(tool, input);
  if (violations.length > 0) throw invalidArgument(violations);
  return withDefaults(tool, asDeclared(tool, membersOf(input)));
}

/** The input under current names, with lists as text where a parameter accepts both (`accepts_list`). */
export function asDeclared<T extends object>(tool: Tool, input: T): T {
  const current = withCurrentNames(tool, input);
  const lists = Object.entries(current).filter(
    ([name, value]) =>
      Object.hasOwn(tool.parameters, name) &&
      tool.parameters[name]?.accepts_list === true &&
      Array.isArray(value) &&
      value.every((item) => typeof item === 'string'),
  );
  if (lists.length === 0) return current;
  return { ...current, ...Object.fromEntries(lists.map(([name, list]) => [name, JSON.stringify(list)])) };
}

/** Things that the provider does not do as requested, from the warnings of the parameters. */
export function inputWarnings(tool: Tool, input: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(tool.parameters).flatMap(([name, { warnings }]) => {
    const value = input[name];
    if (warnings === undefined || !['string', 'boolean'].includes(typeof value)) return [];
    return Object.hasOwn(warnings, String(value)) ? [warnings[String(value)] ?? ''] : [];
  });
}

/**
 * Every violation, in this order: old names next to new ones, unknown names, unsafe text, types and limits,
 * rules, placement. Empty if the input is valid.
 *
 * `field` is a path such as `include_domains[0]`, '' for the input as a whole.
 */
export function inputViolations(tool: Tool, input: unknown): readonly FieldViolation[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return [{ field: '', description: 'The tool input must be a JSON object.', constraint: 'type' }];
  const current = asDeclared(tool, input);
  const given = Object.entries(current).filter(([, value]) => value !== undefined);
  const known = Object.fromEntries(given.filter(([name]) => Object.hasOwn(tool.parameters, name)));
  const unknown =
    tool.inputSchema.additionalProperties === true
      ? []
      : given.map(([name]) => name).filter((name) => !Object.hasOwn(tool.parameters, name));
  const typed = inOrder(tool, [...emptyTexts(tool, known), ...typeViolations(tool, known)]);
  const wrongType = new Set(typed.map(({ field }) => field));
  // Any JSON may stand where text should: not even `String(value)` is safe there.
  const ofRightType = Object.fromEntries(Object.entries(known).filter(([name]) => !wrongType.has(name)));
  const found = [
    ...unknown.map((name, i) => unknownParameter(tool, name, i < MAX_VIOLATIONS)),
    ...Object.entries(known).flatMap(([name, value]) =>
      unsafeValues(value, name, 2, textLimit(tool.parameters[name])),
    ),
    ...typed,
    ...ruleViolations(tool, known),
    ...placementViolations(tool, ofRightType),
  ];
  return capped([...aliasViolations(tool, input), ...saidByAlias(tool, input, distinct(found))]);
}

/** A violation carries the current name; a caller that used an old name also learns that it was meant. */
function saidByAlias(tool: Tool, input: object, violations: readonly FieldViolation[]): FieldViolation[] {
  const old = new Map(renamedIn(tool, tool.name, input).map(({ from, to }) => [to, from]));
  return violations.map((violation) => {
    const from = old.get(rootOf(violation.field));
    return from === undefined
      ? violation
      : { ...violation, description: `${violation.description} It was given as ${from}, its old name.` };
  });
}

/**
 * @param isListed whether it will be shown, because looking for a similar name costs more than anything else
 * here
 */
function unknownParameter(tool: Tool, name: string, isListed: boolean): FieldViolation {
  const names = Object.keys(tool.parameters);
  const close = !isListed || name.length > 64 ? undefined : nearest(name, names);
  const hint = close === undefined ? `Parameters: ${names.join(', ') || 'none'}.` : `Did you mean ${close}?`;
  return {
    field: shownKey(name),
    description: `${tool.name} has no such parameter. ${hint}`,
    constraint: 'unknown',
  };
}

/** `min_length: 1`, which the published schema leaves out. */
function emptyTexts(tool: Tool, known: Record<string, unknown>): FieldViolation[] {
  return Object.entries(known)
    .filter(([name, value]) => value === '' && tool.parameters[name]?.min_length === 1)
    .map(([field]) => ({ field, description: 'Must not be empty.', constraint: 'min_length' }));
}

/** Violations sorted by parameter, in the order of the tool's declaration. */
function inOrder(tool: Tool, violations: readonly FieldViolation[]): FieldViolation[] {
  const names = Object.keys(tool.parameters);
  const place = ({ field }: FieldViolation): number => names.indexOf(rootOf(field));
  return violations.toSorted((a, b) => place(a) - place(b));
}

/** The name of a path's parameter. */
function rootOf(field: string): string {
  return /^[^.[]*/.exec(field)?.[0] ?? '';
}

/** The published schema knows no null and no local time: some clients refuse a list of types. */
function typeViolations(tool: Tool, known: Record<string, unknown>): FieldViolation[] {
  const typed = Object.entries(known).filter(
    ([name, value]) =>
      (value !== null || tool.parameters[name]?.nullable !== true) &&
      (!isLocalTime(value) || tool.parameters[name]?.accepts_local_time !== true),
  );
  const result = validateParameters(tool, Object.fromEntries(typed));
  return result.success ? [] : result.error.issues.flatMap(issueViolations);
}

/** A date, or a time without offset. */
function isLocalTime(value: unknown): boolean {
  return (
    typeof value === 'string' && (FORMATS.date.matches(value) || FORMATS['date-time'].matches(`${value}Z`))
  );
}

function issueViolations(issue: z.core.$ZodIssue): FieldViolation[] {
  const field = fieldPath(issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: `${field}.${shownKey(key)}`,
      description: 'There is no such member.',
      constraint: 'unknown',
    }));
  const text = issueText(issue);
  return [
    {
      field,
      description: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`,
      constraint: constraintWord(issue),
    },
  ];
}

const SIZES: Readonly<Record<string, string>> = { string: 'length', array: 'items', object: 'properties' };

/** The stable word for the violated constraint, in the spelling of the catalog grammar. */
function constraintWord(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : 'type';
    case 'too_small':
      return SIZES[issue.origin] === undefined ? 'minimum' : `min_${SIZES[issue.origin]}`;
    case 'too_big':
      return SIZES[issue.origin] === undefined ? 'maximum' : `max_${SIZES[issue.origin]}`;
    case 'invalid_value':
      return issue.input === undefined ? 'required' : typeof issue.input === 'string' ? 'enum' : 'type';
    case 'invalid_format':
      return 'pattern';
    default:
      return 'params' in issue ? String(issue.params?.['constraint']) : issue.code;
  }
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) =>
      typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${shownKey(String(part))}`,
    )
    .join('');
}

function distinct(violations: readonly FieldViolation[]): FieldViolation[] {
  const seen = new Set<string>();
  return violations.filter(({ field, constraint }) => {
    const key = `${field}\n${constraint}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

function capped(violations: readonly FieldViolation[]): readonly FieldViolation[] {
  if (violations.length <= MAX_VIOLATIONS) return violations;
  const rest = violations.length - MAX_VIOLATIONS;
  return [
    ...violations.slice(0, MAX_VIOLATIONS),
    { field: '', description: `And ${rest} more violations.`, constraint: 'too_many_violations' },
  ];
}

/** Longest text that a parameter may hold. The schema checks each member of an object; this only lets long ones reach it. */
function textLimit(parameter: Parameter | undefined): number {
  const members = Object.values(parameter?.items?.properties ?? {});
  const longest = Math.max(MAX_TEXT, ...members.map(({ maxLength = 0 }) => maxLength));
  return parameter?.max_length ?? longest;
}
