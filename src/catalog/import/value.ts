/**
 * Converts a schema into a value of the catalog's grammar. What the grammar cannot express is noted and left
 * to the provider. Pure.
 */
import type { ValueEntry } from '../grammar/toolset-schema.ts';
import { FORMATS, type Format } from '../model/formats.ts';
import { patternProblem } from '../model/linear-pattern.ts';
import type { References } from './references.ts';
import type { Notes } from './report.ts';
import { wordOf } from './schema-parts.ts';
import { shapeOf, type Shape } from './shape.ts';
import { terse } from './text.ts';

/**
 * Result for a schema: a value; `any` if every JSON value is allowed; `undefined` if no value can be given.
 */
export type ImportedValue = ValueEntry | 'any' | undefined;

/** Maximum length of the description of a member inside an object or a list. */
const MAX_MEMBER_DESCRIPTION = 120;

/** Allowed names of object members in a catalog file. */
const MEMBER_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Formats without a rule that a check could use. */
const SILENT_FORMATS = [
  'int32',
  'int64',
  'float',
  'double',
  'decimal',
  'string',
  'password',
  'text',
  'html',
  'markdown',
];

/** Context in which values are built: the document, the report, and the size limit of a tool. */
export interface ValueContext {
  references: References;
  notes: Notes;
  /** Levels of objects and lists inside a parameter for which members are described. */
  maxDepth: number;
  /** Number of values that may still be built; below 0 the tool is too large at this depth. */
  budget: { left: number };
}

/** Position of a value: its name in notes, its level from 0, the references above it. */
interface Position {
  place: string;
  depth: number;
  above: ReadonlySet<string>;
}

/**
 * @param place for notes, e.g. `body.filter`
 * @param above references followed to get here
 */
export function valueOf(
  schemas: readonly unknown[],
  place: string,
  context: ValueContext,
  above: ReadonlySet<string> = new Set(),
): { value: ImportedValue; shape: Shape } {
  const shape = shapeOf(schemas, context.references, context.notes, place);
  return { value: fromShape(shape, { place, depth: 0, above }, context), shape };
}

function fromShape(shape: Shape, position: Position, context: ValueContext): ImportedValue {
  const { place } = position;
  const { notes, budget } = context;
  budget.left -= 1;
  if (shape.isNullable) notes.add(place, 'may be null, which cannot be given.');
  if (shape.type === undefined) return 'any';
  const containsItself = [...shape.refs].some((ref) => position.above.has(ref));
  if (shape.type === 'object') return objectValue(shape, position, context, containsItself);
  if (shape.type === 'array') {
    if (!containsItself) return listValue(shape, position, context);
    notes.add(place, 'is a list that contains itself and cannot be given.');
    return undefined;
  }
  noteOthers(shape, place, notes);
  if (shape.type === 'string') return textValue(shape, place, notes);
  if (shape.type === 'boolean') {
    if (shape.values?.length === 1)
      notes.add(place, `has to be ${String(shape.values[0])}, which is not checked.`);
    return { type: 'boolean' };
  }
  return numberValue(shape, place, notes);
}

function textValue(shape: Shape, place: string, notes: Notes): ValueEntry | undefined {
  if (shape.values !== undefined) {
    const values = [...new Set(shape.values.filter((value) => typeof value === 'string'))];
    if (values.length > 0) return { type: 'string', enum: values };
    notes.add(place, 'allows no value at all.');
    return undefined;
  }
  const formats = shape.formats.filter((format) => !SILENT_FORMATS.includes(format));
  const [format] = formats.filter(isFormat);
  for (const other of formats)
    if (other !== format) notes.add(place, `has the format ${terse(other, 40)}, which is not checked.`);
  const [pattern] = shape.patterns.filter((one) => patternProblem(one, shape.maxLength) === undefined);
  for (const other of shape.patterns)
    if (other !== pattern) notes.add(place, 'has a pattern that is not checked.');
  return {
    type: 'string',
    ...count('min_length', shape.minLength === 0 ? undefined : shape.minLength),
    ...count('max_length', shape.maxLength),
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}

function numberValue(shape: Shape, place: string, notes: Notes): ValueEntry {
  const numbers = shape.values?.filter((value) => typeof value === 'number') ?? [];
  if (numbers.length > 1)
    notes.add(place, `has to be one of ${terse(numbers.join(', '), 80)}; only the range is checked.`);
  const minimum = numbers.length > 0 ? Math.min(...numbers) : shape.minimum;
  const maximum = numbers.length > 0 ? Math.max(...numbers) : shape.maximum;
  return {
    type: shape.type === 'integer' ? 'integer' : 'number',
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
}

function listValue(shape: Shape, position: Position, context: ValueContext): ImportedValue {
  const { place, depth } = position;
  const { notes } = context;
  noteOthers(shape, place, notes);
  if (shape.items.length === 0) return 'any';
  const inner = shapeOf(shape.items, context.references, notes, `${place}[]`);
  const items = fromShape(
    inner,
    { place: `${place}[]`, depth: depth + 1, above: union(position.above, shape.refs) },
    context,
  );
  if (items === 'any' || items === undefined) return items;
  return {
    type: 'array',
    ...count('min_items', shape.minItems === 0 ? undefined : shape.minItems),
    ...count('max_items', shape.maxItems),
    items,
  };
}

function objectValue(
  shape: Shape,
  position: Position,
  context: ValueContext,
  containsItself: boolean,
): ValueEntry | undefined {
  const { place, depth } = position;
  const { notes } = context;
  noteOthers(shape, place, notes);
  for (const { groups } of shape.choices)
    notes.add(place, `needs one of ${groups.length} sets of members, which is not checked.`);
  if (shape.dependent.size > 0) notes.add(place, 'has members that need others, which is not checked.');
  const free: ValueEntry = { type: 'object', ...count('min_properties', shape.minProperties) };
  if (shape.properties.size === 0) {
    if (shape.further === 'shaped') notes.add(place, 'has members of a certain shape, which is not checked.');
    if (shape.required.size > 0)
      notes.add(
        place,
        `needs the members ${terse([...shape.required].join(', '), 80)}, which is not checked.`,
      );
    return free;
  }
  if (containsItself || depth >= context.maxDepth) {
    notes.add(
      place,
      `${containsItself ? 'contains itself' : 'is nested too deeply'}: its members are not checked.`,
    );
    return free;
  }
  return closedObject(shape, position, context) ?? free;
}

/** `undefined`, and a note, if a required member cannot be named: the object then has to stay open. */
function closedObject(
  shape: Shape,
  { place, depth, above }: Position,
  context: ValueContext,
): ValueEntry | undefined {
  const { notes } = context;
  const properties: Record<string, ValueEntry> = {};
  const inside = union(above, shape.refs);
  for (const [name, schemas] of shape.properties) {
    const at = `${place}.${name}`;
    if (context.budget.left < 0) return undefined;
    const inner = shapeOf(schemas, context.references, notes, at);
    if (inner.isReadOnly) continue;
    const member = MEMBER_NAME.test(name)
      ? fromShape(inner, { place: at, depth: depth + 1, above: inside }, context)
      : undefined;
    const isRequired = shape.required.has(name);
    if (member === undefined || member === 'any') {
      if (isRequired) {
        notes.add(
          place,
          `needs the member ${terse(name, 64)}, which cannot be described: its members are not checked.`,
        );
        return undefined;
      }
      notes.add(
        at,
        member === 'any'
          ? 'may be any value, which a member cannot; it cannot be given.'
          : 'cannot be given.',
      );
      continue;
    }
    properties[name] = { ...described(member, inner.description), ...(isRequired ? { required: true } : {}) };
  }
  if (Object.keys(properties).length === 0) {
    notes.add(place, 'has no members that could be given.');
    return undefined;
  }
  if (shape.further === 'shaped') notes.add(place, 'takes further members, which cannot be given.');
  if (shape.minProperties !== undefined && shape.minProperties > 0)
    notes.add(place, `needs at least ${shape.minProperties} members, which is not checked.`);
  return { type: 'object', properties };
}

/** Notes limits that only the provider checks. */
function noteOthers({ others }: Shape, place: string, notes: Notes): void {
  for (const keyword of others) notes.add(place, `has the limit ${keyword}, which is not checked.`);
}

function described(value: ValueEntry, description: string): ValueEntry {
  const text = terse(description, MAX_MEMBER_DESCRIPTION);
  const { type, ...rest } = value;
  return text.length < 3 ? value : { type, description: text, ...rest };
}

function count<K extends string>(key: K, value: number | undefined): Partial<Record<K, number>> {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0
    ? ({ [key]: value } as Record<K, number>)
    : {};
}

function isFormat(format: string): format is Format {
  return Object.hasOwn(FORMATS, format);
}

function union(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return b.size === 0 ? a : new Set([...a, ...b]);
}

/** The word in notes for a value that the grammar cannot express. */
export function unsupportedWord(value: ImportedValue): string {
  return value === undefined ? 'a value' : value === 'any' ? wordOf(undefined) : wordOf(value.type);
}
