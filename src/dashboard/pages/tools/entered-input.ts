/** What was typed for a tool, as a form or as JSON, and the input that is made of it. Pure. */
import type { PublishedSchema, Tool } from '../../../catalog/model/types.ts';
import { violation, type FieldViolation } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import { tools as words } from '../../words/tools.ts';

/** How a parameter is entered. */
export type EntryKind = 'select' | 'yes-no' | 'number' | 'ticks' | 'lines' | 'json' | 'text';

/** Text of each parameter in the form; several values of one stand in lines. */
export type EnteredTexts = Readonly<Record<string, string>>;

/** What a page was sent with. */
export interface Entered {
  as: 'form' | 'json';
  texts: EnteredTexts;
  /** The input as a whole; used with `json` only. */
  json: string;
}

/** The input of a call, or what is wrong with the texts. */
export interface MadeInput {
  input: Readonly<Record<string, unknown>>;
  violations: readonly FieldViolation[];
}

/** Nothing was typed. */
export const NOTHING_ENTERED: Entered = { as: 'form', texts: {}, json: '' };

/** Field of the input as a whole. */
export const JSON_FIELD = 'json';

/** Name of a parameter's field in the form. */
export function fieldName(parameter: string): string {
  return `in.${parameter}`;
}

/** The parameters of a tool in its order. */
export function parametersOf({ inputSchema }: Pick<Tool, 'inputSchema'>): [string, PublishedSchema][] {
  return Object.entries(inputSchema.properties ?? {});
}

export function entryKindOf(schema: PublishedSchema): EntryKind {
  if (schema.enum !== undefined) return 'select';
  if (schema.type === 'boolean') return 'yes-no';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'array' && schema.items?.type === 'string')
    return schema.items.enum === undefined ? 'lines' : 'ticks';
  return schema.type === 'string' ? 'text' : 'json';
}

/** The input; only what JSON cannot hold is wrong here, everything else is for the rules of the tool to say. */
export function inputOf(tool: Pick<Tool, 'inputSchema'>, { as, texts, json }: Entered): MadeInput {
  if (as === 'json') return wholeInput(json);
  const input: [string, unknown][] = [];
  const violations: FieldViolation[] = [];
  for (const [name, schema] of parametersOf(tool)) {
    const text = (texts[name] ?? '').replaceAll('\r\n', '\n');
    if (text.trim() === '') continue;
    const kind = entryKindOf(schema);
    const parsed = kind === 'json' ? parsedJson(text) : { value: valueOf(kind, text) };
    if (parsed === undefined) violations.push(violation(name, words.input.notJson, 'json'));
    else input.push([name, parsed.value]);
  }
  return { input: Object.fromEntries(input), violations };
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
      // Other texts stay texts, so that the rules of the tool refuse them in their words.
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

/** The same input in the other way of entering it; a violation for what the form has no field for. */
export function switched(tool: Pick<Tool, 'inputSchema'>, entered: Entered, to: Entered['as']) {
  const { input, violations } = inputOf(tool, entered);
  if (violations.length > 0 || to === entered.as) return { entered, violations };
  if (to === 'json')
    return { entered: { ...entered, as: to, json: JSON.stringify(input, null, 2) }, violations };
  const known = tool.inputSchema.properties ?? {};
  const without = Object.keys(input).filter((name) => !Object.hasOwn(known, name));
  if (without.length > 0)
    return {
      entered,
      violations: without.map((name) => violation(JSON_FIELD, words.input.noField(name), 'unknown')),
    };
  const texts = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, textOf(known[name], value)]),
  );
  return { entered: { ...entered, as: to, texts }, violations };
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
