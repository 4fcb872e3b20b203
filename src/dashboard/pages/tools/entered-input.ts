/** The entered input of a tool, as form fields or as JSON, and the input value made from it. Pure. */
import { inputViolations } from '../../../catalog/call/input.ts';
import type { PublishedSchema, Tool } from '../../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import { tools as words } from '../../words/tools.ts';
import { rowMembersOf, rowsOf, textsOfRows, withoutField, type EnteredTexts } from './entered-rows.ts';

/** Kind of input element for a parameter. */
export type EntryKind = 'select' | 'yes-no' | 'number' | 'ticks' | 'lines' | 'rows' | 'json' | 'text';

/** The input as a page sent it. */
export interface Entered {
  as: 'form' | 'json';
  texts: EnteredTexts;
  /** The whole input; used with `json` only. */
  json: string;
}

/** The input of a call, or violations. */
export interface MadeInput {
  input: Readonly<Record<string, unknown>>;
  violations: readonly FieldViolation[];
}

/** Nothing was typed. */
export const NOTHING_ENTERED: Entered = { as: 'form', texts: {}, json: '' };

/** Name of the field for the whole input. */
export const JSON_FIELD = 'json';

/** Name of a parameter's field in the form. */
export function fieldName(parameter: string): string {
  return `in.${parameter}`;
}

/** The parameter that a field of the form belongs to, also for a member of one of its rows. */
export function parameterOf(field: string): string | undefined {
  return field.startsWith('in.') ? field.slice('in.'.length) : undefined;
}

/** The parameters of a tool, in order. */
export function parametersOf({ inputSchema }: Pick<Tool, 'inputSchema'>): [string, PublishedSchema][] {
  return Object.entries(inputSchema.properties ?? {});
}

export function entryKindOf(schema: PublishedSchema): EntryKind {
  if (schema.enum !== undefined) return 'select';
  if (schema.type === 'boolean') return 'yes-no';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'array' && schema.items?.type === 'string')
    return schema.items.enum === undefined ? 'lines' : 'ticks';
  if (rowMembersOf(schema) !== undefined) return 'rows';
  return schema.type === 'string' ? 'text' : 'json';
}

/**
 * Violations of the entered texts, with the tool's rules for the fields around them; empty if the input was entered
 * as JSON.
 */
export function textViolations(tool: Tool, { as }: Entered, { input, violations }: MadeInput) {
  if (violations.length === 0 || as === 'json') return violations;
  const unread = new Set(violations.map(({ field }) => field));
  return [...violations, ...inputViolations(tool, input).filter(({ field }) => !unread.has(field))];
}

/** Makes the input. Only texts that JSON cannot express are violations here; the tool's own rules check the rest. */
export function inputOf(tool: Pick<Tool, 'inputSchema'>, { as, texts, json }: Entered): MadeInput {
  if (as === 'json') return wholeInput(json);
  const input: [string, unknown][] = [];
  const violations: FieldViolation[] = [];
  for (const [name, schema] of parametersOf(tool)) {
    const members = rowMembersOf(schema);
    if (members !== undefined) {
      const objects = objectsOf(name, members, texts);
      // A required list without rows is an empty list.
      if (objects.length > 0 || tool.inputSchema.required?.includes(name) === true)
        input.push([name, objects]);
      continue;
    }
    const text = (texts[name] ?? '').replaceAll('\r\n', '\n');
    if (text.trim() === '') continue;
    const kind = entryKindOf(schema);
    const parsed = kind === 'json' ? parsedJson(text) : { value: valueOf(kind, text) };
    if (parsed === undefined) violations.push(violation(name, words.input.notJson, 'json'));
    else input.push([name, parsed.value]);
  }
  return { input: Object.fromEntries(input), violations };
}

/** The objects of all rows that are not empty. */
function objectsOf(
  parameter: string,
  members: readonly [string, PublishedSchema][],
  texts: EnteredTexts,
): Readonly<Record<string, unknown>>[] {
  const kinds = new Map(members.map(([name, member]) => [name, entryKindOf(member)]));
  return rowsOf(parameter, members, texts)
    .filter((row) => Object.keys(row).length > 0)
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, text]) => [
          name,
          valueOf(kinds.get(name) ?? 'text', text.replaceAll('\r\n', '\n')),
        ]),
      ),
    );
}

function wholeInput(json: string): MadeInput {
  if (json.trim() === '') return { input: {}, violations: [] };
  const parsed = parsedJson(json);
  const wrong = (description: string): MadeInput => ({
    input: {},
    violations: [violation(JSON_FIELD, description, 'json')],
  });
  if (parsed === undefined) return wrong(words.input.notJson);
  return isObject(parsed.value) ? { input: parsed.value, violations: [] } : wrong(words.input.notObject);
}

function valueOf(kind: EntryKind, text: string): unknown {
  const trimmed = text.trim();
  switch (kind) {
    case 'number':
      // Other texts stay as they are, so that the tool's own rules refuse them.
      return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : trimmed;
    case 'yes-no':
      return trimmed === 'true';
    case 'ticks':
    case 'lines':
      return trimmed
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    default:
      return text;
  }
}

/** The same input, entered the other way. Returns a violation for values that have no field in the form. */
export function switched(tool: Pick<Tool, 'inputSchema'>, entered: Entered, to: Entered['as']) {
  const { input, violations } = inputOf(tool, entered);
  if (violations.length > 0 || to === entered.as) return { entered, violations };
  if (to === 'json')
    return { entered: { ...entered, as: to, json: JSON.stringify(input, null, 2) }, violations };
  const known = tool.inputSchema.properties ?? {};
  const without = Object.entries(input).flatMap(([name, value]) => {
    const schema = known[name];
    if (schema === undefined) return [name];
    return entryKindOf(schema) === 'rows'
      ? (withoutField(name, rowMembersOf(schema) ?? [], value) ?? [])
      : [];
  });
  if (without.length > 0)
    return {
      entered,
      violations: without.map((name) => violation(JSON_FIELD, words.input.noField(name), 'unknown')),
    };
  const texts = Object.assign(
    {},
    ...Object.entries(input).map(([name, value]) => textsOf(name, known[name], value)),
  ) as EnteredTexts;
  return { entered: { ...entered, as: to, texts }, violations };
}

function textsOf(name: string, schema: PublishedSchema | undefined, value: unknown): EnteredTexts {
  const members = schema?.items?.properties ?? {};
  if (schema === undefined || rowMembersOf(schema) === undefined || !Array.isArray(value))
    return { [name]: textOf(schema, value) };
  const rows = (value as Record<string, unknown>[]).map((item) =>
    Object.fromEntries(Object.entries(item).map(([member, one]) => [member, textOf(members[member], one)])),
  );
  return textsOfRows(name, rows);
}

function textOf(schema: PublishedSchema | undefined, value: unknown): string {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  const kind = schema === undefined ? 'json' : entryKindOf(schema);
  if (isList && (kind === 'lines' || kind === 'ticks')) return value.join('\n');
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parsedJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
