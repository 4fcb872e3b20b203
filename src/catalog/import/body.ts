/**
 * Turns the JSON body of an operation into parameters of a tool: one for each member, objects with their
 * members. Pure.
 */
import { isObject } from '../../core/json.ts';
import type { Constraint, Group, JsonObject } from '../model/types.ts';
import { inputOf, numbersOf, withWords, type ImportedParameter, type ParameterInput } from './parameters.ts';
import type { Shape } from './shape.ts';
import { shapeOf } from './shape.ts';
import { terse } from './text.ts';
import { valueOf, type ValueContext } from './value.ts';

/** Result of importing a body. `obstacle` is set if the body is required and cannot be expressed. */
export interface ImportedBody {
  parameters: ImportedParameter[];
  /** Values sent with every call, by address. */
  fixed: Record<string, unknown>;
  /** Rules across members, with the members' names in the body. */
  constraints: Constraint[];
  obstacle?: string;
}

const JSON_TYPE = /^application\/(json|[a-z0-9.+-]*\+json)(;|$)/i;
const KEY = /^[A-Za-z0-9_$-]+$/;
const UNSAFE_KEYS = ['__proto__', 'constructor', 'prototype'];

const NOTHING: ImportedBody = { parameters: [], fixed: {}, constraints: [] };

/** @param body the request body, with references followed */
export function bodyParameters(body: JsonObject | undefined, context: ValueContext): ImportedBody {
  const content = isObject(body?.['content']) ? body['content'] : undefined;
  if (body === undefined || content === undefined || Object.keys(content).length === 0) return NOTHING;
  const isNeeded = body['required'] === true;
  const refuse = (why: string): ImportedBody => {
    if (isNeeded) return { ...NOTHING, obstacle: `its body ${why}` };
    context.notes.add('', `Its body ${why}; it is not sent.`);
    return NOTHING;
  };
  const kinds = Object.keys(content);
  const kind =
    kinds.find((name) => /^application\/json(;|$)/i.test(name)) ??
    kinds.find((name) => JSON_TYPE.test(name) && !/json-patch/i.test(name)) ??
    kinds.find((name) => name === '*/*');
  const media = kind === undefined ? undefined : content[kind];
  if (!isObject(media)) return refuse(`is ${terse(kinds.join(' or '), 80)}, and only JSON can be sent`);
  if (kind !== undefined && !/^application\/json|^\*/i.test(kind))
    context.notes.add('', `Its body is sent as application/json, not ${terse(kind, 60)}.`);
  if (media['schema'] === undefined) return refuse('has no schema');
  const shape = shapeOf([media['schema']], context.references, context.notes, 'body');
  if (shape.type !== undefined && shape.type !== 'object') return refuse('is not an object');
  if (shape.properties.size === 0) return refuse('has no named members');
  return membersOf(shape, refuse, context);
}

function membersOf(shape: Shape, refuse: (why: string) => ImportedBody, context: ValueContext): ImportedBody {
  const envelope = envelopeOf(shape, context);
  const root = envelope?.shape ?? shape;
  const at = envelope === undefined ? 'body' : `body.${envelope.name}`;
  if (root.further === 'shaped') context.notes.add(at, 'takes further members, which cannot be given.');
  for (const keyword of root.others) context.notes.add(at, `has the limit ${keyword}, which is not checked.`);
  const result: ImportedBody = { parameters: [], fixed: {}, constraints: [] };
  const preset: JsonObject = {};
  const above = new Set([...shape.refs, ...root.refs]);
  for (const [name, schemas] of root.properties) {
    const label = `${at}.${name}`;
    const { value, shape: member } = valueOf(schemas, label, context, above);
    if (member.isReadOnly) continue;
    const isRequired = root.required.has(name);
    const canBeSent = KEY.test(name) && !UNSAFE_KEYS.includes(name) && value !== undefined;
    if (!canBeSent && isRequired) return refuse(`needs ${terse(name, 64)}, which cannot be given`);
    if (!canBeSent) {
      context.notes.add(label, 'cannot be given.');
      continue;
    }
    const only =
      member.type === 'string' && isRequired && member.values?.length === 1 ? member.values[0] : undefined;
    if (only !== undefined) {
      result.fixed[label] = only;
      continue;
    }
    const isPreset = isRequired && member.isNullable && envelope !== undefined;
    if (isPreset) preset[name] = null;
    const entry = bodyEntry(value, member);
    const words = withWords(
      entry,
      name,
      jsonHint(value, member.description),
      isRequired && !isPreset,
      member,
    );
    result.parameters.push({ wireName: name, in: 'body', entry: placedLast(words, label) });
  }
  // The whole object comes before its members, because values are placed in this order.
  if (envelope !== undefined && (envelope.isRequired || Object.keys(preset).length > 0))
    result.fixed = { [at]: preset, ...result.fixed };
  result.constraints.push(...rulesOf(root, result, at, context));
  return result;
}

/** Unwraps a body that is one object inside another, so that callers need not write the outer one. */
function envelopeOf(shape: Shape, context: ValueContext) {
  const members = [...shape.properties];
  const [only] = members;
  if (only === undefined || members.length > 1 || !KEY.test(only[0]) || UNSAFE_KEYS.includes(only[0]))
    return undefined;
  const inner = shapeOf(only[1], context.references, context.notes, `body.${only[0]}`);
  if (inner.type !== 'object' || inner.properties.size === 0 || inner.isReadOnly) return undefined;
  return { name: only[0], shape: inner, isRequired: shape.required.has(only[0]) };
}

function bodyEntry(
  value: ReturnType<typeof valueOf>['value'],
  shape: Shape,
): Omit<ParameterInput, 'description'> {
  if (value === 'any' || value === undefined) return { type: 'string', encode: 'json' };
  const numbers = numbersOf(shape);
  if (numbers === undefined) return inputOf(value);
  return {
    type: 'string',
    enum: numbers.map(String),
    map: Object.fromEntries(numbers.map((number) => [String(number), number])),
  };
}

/** Moves the address before the description, as in files written by hand. */
function placedLast({ description, ...entry }: ParameterInput, to: string): ParameterInput {
  return { ...entry, to, description };
}

function jsonHint(value: unknown, description: string): string {
  if (value !== 'any') return description;
  return description === ''
    ? 'A JSON value, written as text.'
    : `A JSON value, written as text: ${description}`;
}

/** Rules across members that the grammar can express, limited to existing parameters. */
function rulesOf(
  shape: Shape,
  { parameters }: ImportedBody,
  at: string,
  { notes }: ValueContext,
): Constraint[] {
  const optional = new Set(
    parameters.filter(({ entry }) => entry.required !== true).map(({ wireName }) => wireName),
  );
  const rules: Constraint[] = [];
  for (const { isExclusive, groups } of shape.choices) {
    const open = groups.map((names) => names.filter((name) => !shape.required.has(name)));
    if (open.some((names) => names.length === 0) && !isExclusive) continue;
    const isSayable =
      open.length > 1 && open.every((names) => names.length > 0 && names.every((name) => optional.has(name)));
    const distinct = new Set(open.flat()).size === open.flat().length;
    if (!isSayable || !distinct) {
      notes.add(at, `needs one of ${groups.length} sets of members, which is not checked.`);
      continue;
    }
    const list: Group[] = open.map((names) => (names.length === 1 ? (names[0] ?? '') : names));
    rules.push(isExclusive ? { exactly_one_of: list } : { at_least_one_of: list });
  }
  for (const [name, needs] of shape.dependent) {
    const missing = needs.filter((other) => !shape.required.has(other));
    if (optional.has(name) && missing.length > 0 && missing.every((other) => optional.has(other)))
      rules.push({ when: name, require: missing });
  }
  return rules;
}
