/**
 * Turns the parameters of an operation that go into path, query and headers into parameters of a tool. Pure.
 */
import type * as z from 'zod';
import { HEADER_NAME } from '../grammar/file-words.ts';
import type { toolSchema } from '../grammar/toolset-schema.ts';
import type { JsonObject } from '../model/types.ts';
import type { ImportedValue, ValueContext } from './value.ts';
import { unsupportedWord, valueOf } from './value.ts';
import { humanized, parameterName, sentence, terse } from './text.ts';
import { shapeOf, type Shape } from './shape.ts';

/** A parameter as written into a catalog file. */
export type ParameterInput = NonNullable<z.input<typeof toolSchema>['parameters']>[string];

/** A parameter before it gets its final name. */
export interface ImportedParameter {
  /** Name and place in the description. */
  wireName: string;
  in: 'path' | 'query' | 'header' | 'body';
  entry: ParameterInput;
}

/** Result of importing a list of parameters. `obstacle` is set if a required one cannot be expressed. */
export interface ImportedParameters {
  parameters: ImportedParameter[];
  /** Headers that every call sends, by address. */
  fixed: Record<string, string>;
  obstacle?: string;
}

const MAX_DESCRIPTION = 240;

/** Headers that OpenAPI describes in other parts of a description. */
const IGNORED_HEADERS = ['accept', 'authorization', 'content-type'];

const STYLES = { path: 'simple', query: 'form', header: 'simple' } as const;

/**
 * @param credential names of query parameters and headers that carry the credential, as `query.key`
 */
export function placedParameters(
  written: readonly JsonObject[],
  credential: ReadonlySet<string>,
  context: ValueContext,
): ImportedParameters {
  const parameters: ImportedParameter[] = [];
  const fixed: Record<string, string> = {};
  for (const parameter of written) {
    const { name, in: place } = parameter;
    if (typeof name !== 'string' || name === '' || typeof place !== 'string') continue;
    const label = `${place}.${name}`;
    if (credential.has(label.toLowerCase())) continue;
    if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) continue;
    const preset = place === 'header' ? presetHeader(name, parameter, context) : undefined;
    if (preset !== undefined) {
      fixed[label] = preset;
      context.notes.add(label, 'has a default, which every call sends; it cannot be given.');
      continue;
    }
    const problem = placedParameter(name, place, parameter, context);
    if (typeof problem !== 'string') parameters.push(problem);
    else if (parameter['required'] === true || place === 'path')
      return { parameters, fixed, obstacle: `${label} ${problem}` };
    else context.notes.add(label, `${problem}; it cannot be given.`);
  }
  return { parameters, fixed };
}

/** The default of a header. Providers do not fill it in themselves, so a call has to send it. */
function presetHeader(name: string, { schema }: JsonObject, context: ValueContext): string | undefined {
  if (schema === undefined || !HEADER_NAME.test(name)) return undefined;
  const { defaultValue } = shapeOf([schema], context.references, context.notes, `header.${name}`);
  if (
    typeof defaultValue !== 'string' &&
    typeof defaultValue !== 'number' &&
    typeof defaultValue !== 'boolean'
  )
    return undefined;
  const text = String(defaultValue);
  return /^[!-~]([ -~]*[!-~])?$/.test(text) ? text : undefined;
}

/** The parameter, or the reason why it cannot be expressed. */
function placedParameter(
  name: string,
  place: string,
  parameter: JsonObject,
  context: ValueContext,
): ImportedParameter | string {
  if (place !== 'path' && place !== 'query' && place !== 'header') return `goes into a ${terse(place, 40)}`;
  const isName = place === 'header' ? HEADER_NAME : /^[A-Za-z0-9_$.[\]-]+$/;
  if (place !== 'path' && !isName.test(name)) return 'has characters in its name that no address can have';
  const { schema, style = STYLES[place], explode } = parameter;
  if (schema === undefined) return 'is written as a document of its own';
  const label = `${place}.${name}`;
  const { value, shape } = valueOf([schema], label, context);
  const entry = textEntry(value, shape, place);
  if (entry === undefined) return `is ${unsupportedWord(value)}, which only a body can hold`;
  if (entry.type === 'array' && style !== STYLES[place])
    return `is a list in the style ${terse(String(style), 40)}`;
  if (entry.type === 'array' && (place !== 'query' || explode === false)) entry.encode = 'csv';
  if (entry.type !== 'array' && style !== STYLES[place]) return `has the style ${terse(String(style), 40)}`;
  const isRequired = parameter['required'] === true || place === 'path';
  const words = typeof parameter['description'] === 'string' ? parameter['description'] : shape.description;
  return { wireName: name, in: place, entry: withWords(entry, name, words, isRequired, shape) };
}

/** Values outside a body are text on the wire, so listed numbers are written as text. */
function textEntry(
  value: ImportedValue,
  shape: Shape,
  place: string,
): Omit<ParameterInput, 'description'> | undefined {
  if (value === 'any') return shape.type === undefined ? { type: 'string' } : undefined;
  if (value === undefined || value.type === 'object') return undefined;
  if (value.type === 'array' && (value.items?.type === 'object' || value.items?.type === 'array'))
    return undefined;
  const numbers = numbersOf(shape);
  if (numbers !== undefined && place !== 'body') return { type: 'string', enum: numbers.map(String) };
  return inputOf(value);
}

/** The possible values if they are numbers. */
export function numbersOf(shape: Shape): number[] | undefined {
  const { values } = shape;
  if (values === undefined || values.length < 2 || (shape.type !== 'integer' && shape.type !== 'number'))
    return undefined;
  return [...new Set(values.filter((value) => typeof value === 'number'))];
}

/** The parts of a value that a parameter starts with. */
export function inputOf(
  value: Exclude<ImportedValue, 'any' | undefined>,
): Omit<ParameterInput, 'description'> {
  const { description: _, required: __, ...entry } = value;
  return entry;
}

/** Adds description and `required`, in reading order. */
export function withWords(
  { type, ...entry }: Omit<ParameterInput, 'description'>,
  name: string,
  words: string,
  isRequired: boolean,
  shape: Shape,
): ParameterInput {
  const text = terse(words, MAX_DESCRIPTION);
  const description = sentence(text.length < 3 ? humanized(name) : text);
  const fallback = isRequired ? undefined : fallbackWords(shape.defaultValue);
  const notes = [shape.isDeprecated ? 'Deprecated.' : undefined, description, fallback].filter(
    (part) => part !== undefined,
  );
  return {
    type,
    ...(isRequired ? { required: true } : {}),
    ...entry,
    description: notes.join(' ').slice(0, 300),
  };
}

/** The provider fills in its own defaults; the catalog only mentions them. */
function fallbackWords(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = terse(String(value), 30);
  return text === '' ? undefined : `Left out, ${text}.`;
}

/** Parameters with these names (`account`, members of `Object.prototype`) would have another meaning. */
const RESERVED = new Set([
  'account',
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
]);

/**
 * Parameters by the name for callers, in snake case. The first of two equal names stays; the other gets its
 * place added. A path slot is renamed with its parameter.
 */
export function named(parameters: readonly ImportedParameter[]): Map<string, ImportedParameter> {
  const result = new Map<string, ImportedParameter>();
  for (const parameter of parameters) {
    const plain = parameterName(parameter.wireName);
    const placed = `${parameter.in}_${plain}`.slice(0, 64);
    let name = RESERVED.has(plain.replaceAll('_', '')) || result.has(plain) ? placed : plain;
    for (let n = 2; result.has(name); n++) name = `${placed.slice(0, 60)}_${n}`;
    result.set(name, parameter);
  }
  return result;
}
