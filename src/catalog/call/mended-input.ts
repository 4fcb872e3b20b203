/**
 * Corrects the input of a tool call if only one meaning is possible: the slips that language models make. For calls
 * over MCP; all others are strict. Pure.
 *
 * The rules depend on the effect of the tool (docs/contract.md#leniency). A guess must never decide what a call
 * changes or deletes, so the parameters that choose it are not touched.
 */
import { violation, type FieldViolation } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Parameter, Tool } from '../model/types.ts';
import { FORMATS } from '../model/formats.ts';
import { parameterSchema } from '../model/input-schema.ts';
import { coerced } from './coercion.ts';

type Input = Readonly<Record<string, unknown>>;

/** Input that differs from what the caller gave. */
export interface MendedInput {
  /** Not validated yet. */
  input: Input;
  /** The parameters whose value or name was changed, under their current names, each once. */
  coerced: readonly string[];
  /** A sentence for each thing that was not done as requested. */
  notes: readonly string[];
  /** The parameters with `OWN_MEMBER` instead of `me`. */
  me: readonly string[];
}

/**
 * Placeholder for the person of the account if a call says `me`, until the account is known. It is a UUID, so that
 * the input can be validated.
 */
export const OWN_MEMBER = '00000000-0000-4000-8000-00000000006d';

/** The word that callers write for themselves. */
const ME = 'me';

/** Names of parameters that select records. Without such a parameter more of them are selected. */
const FILTER = /(^|_)(filters?|query|where|conditions?)$/;

/** Names of parameters that identify the thing to change, if the catalog does not mark them. */
const IDENTIFIER = /(^|_)(ids?|handle)$/;

/** Effects of tools for which an empty optional value means that it is left out. */
const OMITTING: ReadonlySet<Tool['effect']> = new Set(['read', 'create']);

/**
 * Gives parameters their current name if the given one differs only in case and separators, unless the tool
 * deletes. It is the first step, so that every other rule knows the names.
 *
 * @returns the input unchanged if all its names are known
 */
export function withNamesMeant(tool: Tool, given: unknown): MendedInput {
  if (!isObject(given) || tool.effect === 'delete') return unchanged(given);
  const input: Record<string, unknown> = { ...given };
  const changed: string[] = [];
  for (const name of Object.keys(given).filter((key) => currentName(tool, key) === undefined)) {
    const meant = parameterMeant(tool, name, input);
    if (meant === undefined) continue;
    input[meant] = input[name];
    delete input[name];
    changed.push(meant);
  }
  return changed.length === 0 ? unchanged(given) : { input, coerced: changed, notes: [], me: [] };
}

/**
 * Leaves out optional parameters that are `null` or `""`, for tools that read or create.
 *
 * @returns the input unchanged if it has no such parameter
 */
export function withoutLeftOut(tool: Tool, given: unknown): MendedInput {
  if (!isObject(given) || !OMITTING.has(tool.effect)) return unchanged(given);
  const empty = Object.keys(given).filter((name) => isOmitted(tool, name, given[name]));
  if (empty.length === 0) return unchanged(given);
  const input = Object.fromEntries(Object.entries(given).filter(([name]) => !empty.includes(name)));
  return { input, coerced: empty, notes: [], me: [] };
}

/** Violations for empty filters of a call that changes something, unless the schema refuses them already. */
export function emptyFilterViolations(tool: Tool, given: unknown): FieldViolation[] {
  if (!isObject(given) || tool.effect === 'read') return [];
  return Object.keys(given)
    .filter((name) => given[name] === '')
    .filter((name) => {
      const known = currentName(tool, name);
      return known !== undefined && FILTER.test(known) && tool.parameters[known]?.min_length === undefined;
    })
    .map((name) =>
      violation(name, 'Must not be empty: give a condition, or leave the parameter out.', 'min_length'),
    );
}

function isOmitted(tool: Tool, name: string, value: unknown): boolean {
  const known = currentName(tool, name);
  if (known === undefined || !isLeftOut(tool, value) || tool.parameters[known]?.required !== false)
    return false;
  return tool.effect === 'read' || !FILTER.test(known);
}

/** Whether this value of an optional parameter means for this tool that it is not given. */
export function isLeftOut({ effect }: Tool, value: unknown): boolean {
  return OMITTING.has(effect) && (value === null || value === '');
}

/**
 * The parameters with `OWN_MEMBER`, including those that were corrected before, because the call of a further page
 * still has them.
 */
export function ownMemberNames(tool: Tool, input: Input): string[] {
  return Object.keys(input).filter(
    (name) =>
      Object.hasOwn(tool.parameters, name) &&
      tool.parameters[name]?.me !== undefined &&
      JSON.stringify(input[name]).includes(OWN_MEMBER),
  );
}

/** Whether input has a value for a parameter, by its name, an old one, or one that differs in case and separators only. */
export function isParameterGiven(tool: Tool, name: string, input: Input): boolean {
  const names = new Set([name, ...(tool.parameters[name]?.aliases ?? [])].map(plain));
  return Object.keys(input).some((key) => names.has(plain(key)) && !isLeftOut(tool, input[key]));
}

/**
 * Corrects values that a validation refused. Parameters without a violation stay as they are.
 *
 * @param refused from the validation of this input
 * @returns `undefined` if nothing can be corrected
 */
export function mendedInput(
  tool: Tool,
  given: unknown,
  refused: readonly FieldViolation[],
): MendedInput | undefined {
  if (!isObject(given) || tool.effect === 'delete') return undefined;
  const input: Record<string, unknown> = { ...given };
  const changed = new Set<string>();
  const notes: string[] = [];
  const me: string[] = [];
  const wrong = new Set(refused.map(({ field }) => field.replace(/[.[].*$/s, '')));
  for (const name of wrong) {
    const parameter = Object.hasOwn(tool.parameters, name) ? tool.parameters[name] : undefined;
    const key = Object.keys(input).find((given) => currentName(tool, given) === name);
    if (parameter === undefined || key === undefined) continue;
    if (isDateOfAnotherZone(name, input[key], input)) continue;
    const { value, note } = mendedValue(tool, name, parameter, input[key]);
    if (value === input[key]) continue;
    input[key] = value;
    changed.add(name);
    if (note !== undefined) notes.push(note);
    if (JSON.stringify(value).includes(OWN_MEMBER)) me.push(name);
  }
  return changed.size === 0 ? undefined : { input, coerced: [...changed], notes, me };
}

function mendedValue(
  tool: Tool,
  name: string,
  parameter: Parameter,
  given: unknown,
): { value: unknown; note?: string } {
  if (tool.effect === 'update' && choosesWhat(tool, name, parameter)) return { value: given };
  if (parameter.comma_separated === true && Array.isArray(given)) return { value: joined(given) };
  const value = withOwnMember(parameter, coerced(parameterSchema(parameter), given));
  const { maximum } = parameter;
  const isPageSize = tool.effect === 'read' && tool.paging?.size === name;
  if (!isPageSize || maximum === undefined || typeof value !== 'number' || value <= maximum) return { value };
  return { value: maximum, note: `${name} is at most ${maximum}: that many were asked for.` };
}

/** The value with `OWN_MEMBER` instead of `me`, if the catalog says that the parameter means a member (`me`). */
function withOwnMember({ me }: Parameter, value: unknown): unknown {
  if (me === undefined) return value;
  if (me === true) return value === ME ? OWN_MEMBER : value;
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) =>
    isObject(item) && item[me] === ME ? { ...item, [me]: OWN_MEMBER } : item,
  );
}

/**
 * Whether a time is only a date, while another parameter names its zone. The beginning of a day in that zone is not
 * known here.
 */
function isDateOfAnotherZone(name: string, value: unknown, input: Input): boolean {
  if (typeof value !== 'string' || !name.endsWith('_datetime')) return false;
  const zone = input[name.replace(/_datetime$/, '_timezone')];
  return zone !== undefined && zone !== 'UTC' && FORMATS.date.matches(value.trim());
}

/** Whether a parameter identifies what the call changes. */
function choosesWhat(tool: Tool, name: string, { from, to }: Parameter): boolean {
  const isInPath = tool.requests.some(({ path }) => path.includes(`{${name}}`));
  return (
    from !== undefined ||
    isInPath ||
    to?.startsWith('path.') === true ||
    IDENTIFIER.test(name) ||
    FILTER.test(name)
  );
}

/** A list as text with commas; the same list if an entry contains a comma or is not a text. */
function joined(values: readonly unknown[]): unknown {
  const isPlain = values.every((value) => typeof value === 'string' && value !== '' && !value.includes(','));
  return values.length > 0 && isPlain ? values.join(',') : values;
}

/**
 * The only parameter that has or had this name, ignoring case and separators, and is not given under its current one.
 */
function parameterMeant(tool: Tool, name: string, given: Input): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const found = Object.entries(tool.parameters)
    .filter(([known, { aliases = [] }]) => [known, ...aliases].some((each) => plain(each) === plain(name)))
    .map(([known]) => known);
  return found.length === 1 && found[0] !== undefined && !Object.hasOwn(given, found[0])
    ? found[0]
    : undefined;
}

/** Longest name that is compared; no parameter is longer, with its separators. */
const MAX_NAME = 128;

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.\s]/g, '');
}

/** The current name of the parameter that has this name or had it. */
function currentName(tool: Tool, name: string): string | undefined {
  if (Object.hasOwn(tool.parameters, name)) return name;
  return Object.entries(tool.parameters).find(([, { aliases }]) => aliases?.includes(name) === true)?.[0];
}

function unchanged(input: unknown): MendedInput {
  return { input: input as Input, coerced: [], notes: [], me: [] };
}
