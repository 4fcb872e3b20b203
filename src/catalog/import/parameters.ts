/** Parameters of an operation that go into path, query and headers, as parameters of a tool. Pure. */
import type * as z from 'zod';
import type { toolSchema } from '../grammar/toolset-schema.ts';
import type { JsonObject } from '../model/types.ts';
import type { RawSchema } from './references.ts';
import type { ImportedValue, ValueContext } from './value.ts';
import { unsupportedWord, valueOf } from './value.ts';
import { humanized, parameterName, sentence, terse } from './text.ts';
import type { Shape } from './shape.ts';

/** A parameter as it is written into a catalog file. */
export type ParameterInput = NonNullable<z.input<typeof toolSchema>['parameters']>[string];

/** A parameter before it has its final name. */
export interface ImportedParameter {
  /** Name in the description, and where it goes there. */
  wireName: string;
  in: 'path' | 'query' | 'header' | 'body';
  entry: ParameterInput;
}

/** What became of a list of parameters; `obstacle`: one that is needed cannot be expressed. */
export interface ImportedParameters {
  parameters: ImportedParameter[];
  obstacle?: string;
}

const MAX_DESCRIPTION = 240;

/** OpenAPI leaves these to other parts of a description. */
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
  for (const parameter of written) {
    const { name, in: place } = parameter;
    if (typeof name !== 'string' || name === '' || typeof place !== 'string') continue;
    const label = `${place}.${name}`;
    if (credential.has(label.toLowerCase())) continue;
    if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) continue;
    const problem = placedParameter(name, place, parameter, context);
    if (typeof problem !== 'string') parameters.push(problem);
    else if (parameter['required'] === true || place === 'path')
      return { parameters, obstacle: `${label} ${problem}` };
    else context.notes.add(label, `${problem}; it cannot be given.`);
  }
  return { parameters };
}

/** The parameter, or why there is none. */
function placedParameter(
  name: string,
  place: string,
  parameter: JsonObject,
  context: ValueContext,
): ImportedParameter | string {
  if (place !== 'path' && place !== 'query' && place !== 'header') return `goes into a ${terse(place, 40)}`;
  if (!/^[A-Za-z0-9_$.[\]-]+$/.test(name) && place !== 'path')
    return 'has characters in its name that no address can have';
  const { schema, style = STYLES[place], explode } = parameter;
  if (schema === undefined) return 'is written as a document of its own';
  const label = `${place}.${name}`;
  const { value, shape } = valueOf([schema as RawSchema], label, context);
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

/** Values outside a body are text on the wire: numbers of a list of possible ones are written as text. */
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

/** Possible values, where they are numbers. */
export function numbersOf(shape: Shape): number[] | undefined {
  const { values } = shape;
  if (values === undefined || values.length < 2 || (shape.type !== 'integer' && shape.type !== 'number'))
    return undefined;
  return [...new Set(values.filter((value) => typeof value === 'number'))];
}

/** A value as the beginning of a parameter. */
export function inputOf(
  value: Exclude<ImportedValue, 'any' | undefined>,
): Omit<ParameterInput, 'description'> {
  const { description: _, required: __, ...entry } = value;
  return entry;
}

/** With description and `required`, in the order in which they are read. */
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

/** The provider fills its defaults in itself: the catalog only says so. */
function fallbackWords(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = terse(String(value), 30);
  return text === '' ? undefined : `Left out, ${text}.`;
}

/** Names of parameters inside `account` and `Object.prototype` mean something else. */
const RESERVED = new Set([
  'account',
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
]);

/**
 * Parameters by the name a caller gives: snake case, the first of two equal names as it is, the other with its place.
 * A path slot is renamed with its parameter.
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
