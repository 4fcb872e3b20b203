/**
 * Finds faults of one parameter entry: keys that do not fit the type, contradicting limits, an invalid
 * default. Pure.
 */
import { unknownNames, type Fault } from './fault.ts';
import type { ParameterEntry, ToolEntry, ValueEntry } from '../grammar/toolset-schema.ts';
import { itemSchema } from '../model/input-schema.ts';
import { issueText } from '../grammar/issue-text.ts';
import { patternProblem } from '../model/linear-pattern.ts';
import { valueSchema } from '../call/value-schema.ts';

/** Reserved names: `account` chooses the connected account; the others are members of every object. */
const RESERVED = new Set(['account', ...Object.getOwnPropertyNames(Object.prototype)]);

/** Types that a limit applies to. */
const APPLIES_TO = {
  enum: ['string'],
  format: ['string'],
  pattern: ['string'],
  min_length: ['string'],
  max_length: ['string'],
  minimum: ['integer', 'number'],
  maximum: ['integer', 'number'],
  min_items: ['array'],
  max_items: ['array'],
  items: ['array'],
  min_properties: ['object'],
  properties: ['object'],
  accepts_list: ['string'],
  accepts_local_time: ['string'],
  comma_separated: ['string'],
  me: ['string', 'array'],
} as const;

const PAIRS = [
  ['minimum', 'maximum'],
  ['min_length', 'max_length'],
  ['min_items', 'max_items'],
] as const;

/** @returns faults with paths below the tool entry */
export function parameterFaults(name: string, entry: ParameterEntry, tool: ToolEntry): Fault[] {
  const at = (key: string | undefined, message: string): Fault => ({
    path: ['parameters', name, ...(key === undefined ? [] : [key])],
    message,
  });
  const faults: Fault[] = [];
  if (RESERVED.has(name))
    faults.push(
      at(
        undefined,
        name === 'account'
          ? 'is a reserved name: account chooses the connected account'
          : 'is a reserved name',
      ),
    );
  faults.push(...aliasFaults(name, entry, tool));
  if (entry.required && entry.default !== undefined)
    faults.push(at('default', 'has no effect on a required parameter'));
  faults.push(...defaultUnlessFaults(name, entry, tool, at), ...nullableFaults(entry, tool, at));
  faults.push(...localTimeFaults(entry, tool, at));
  const shape = valueFaults(entry, ['parameters', name]);
  faults.push(
    ...shape,
    ...encodingFaults(entry, at),
    ...mapFaults(entry, at),
    ...valueKeyFaults('warnings', entry, at),
  );
  if (tool.handler !== undefined)
    for (const key of ['to', 'encode', 'map', 'send_when'] as const)
      if (entry[key] !== undefined)
        faults.push(at(key, 'has no effect: the handler places its parameters itself'));
  if (shape.length === 0 && entry.default !== undefined) faults.push(...defaultFaults(entry, at));
  return faults;
}

function valueFaults(entry: ParameterEntry | ValueEntry, path: readonly (string | number)[]): Fault[] {
  const faults: Fault[] = [];
  const keys = new Map<string, unknown>(Object.entries(entry));
  for (const [key, types] of Object.entries(APPLIES_TO))
    if (keys.get(key) !== undefined && !types.some((type) => type === entry.type))
      faults.push({ path: [...path, key], message: `has no meaning for the type ${entry.type}` });
  for (const [low, high] of PAIRS) {
    const [least, most] = [entry[low], entry[high]];
    if (least !== undefined && most !== undefined && least > most)
      faults.push({ path: [...path, low], message: `${low} ${least} is greater than ${high} ${most}` });
  }
  const problem = entry.pattern === undefined ? undefined : patternProblem(entry.pattern, entry.max_length);
  if (problem !== undefined) faults.push({ path: [...path, 'pattern'], message: problem });
  if (entry.enum !== undefined && new Set(entry.enum).size < entry.enum.length)
    faults.push({ path: [...path, 'enum'], message: 'lists a value twice' });
  if (entry.type === 'array' && entry.items === undefined)
    faults.push({ path: [...path], message: 'is a list and needs items: {type: …}' });
  if (entry.items !== undefined) faults.push(...valueFaults(entry.items, [...path, 'items']));
  for (const [name, member] of Object.entries('properties' in entry ? (entry.properties ?? {}) : {}))
    faults.push(...valueFaults(member, [...path, 'properties', name]));
  return faults;
}

type At = (key: string | undefined, message: string) => Fault;

function encodingFaults(entry: ParameterEntry, at: At): Fault[] {
  const { encode, type, to } = entry;
  if (encode === undefined) return [];
  const wanted = encode === 'csv' ? 'array' : 'string';
  if (type !== wanted) return [at('encode', `${encode} needs the type ${wanted}`)];
  if (encode === 'csv' && entry.items?.type === 'object') return [at('encode', 'csv cannot write objects')];
  if (encode !== 'csv' && to?.startsWith('body.') !== true)
    return [at('encode', `${encode} makes a value for the body: give it to: body.…`)];
  return [];
}

function mapFaults(entry: ParameterEntry, at: At): Fault[] {
  if (entry.map === undefined) return [];
  if (entry.encode !== undefined) return [at('map', 'cannot be used together with encode')];
  return valueKeyFaults('map', entry, at);
}

/** A table by value has possible values only. */
function valueKeyFaults(key: 'map' | 'warnings', entry: ParameterEntry, at: At): Fault[] {
  const table = entry[key];
  if (table === undefined) return [];
  const possible = entry.type === 'boolean' ? ['true', 'false'] : entry.enum;
  if (possible === undefined)
    return [at(key, 'needs a list of possible values: an enum, or the type boolean')];
  return Object.keys(table)
    .filter((value) => !possible.includes(value))
    .map((value) => at(key, `has ${value}, which is not a possible value`));
}

/** An old name has only one meaning, and is not also a current name. */
function aliasFaults(name: string, entry: ParameterEntry, tool: ToolEntry): Fault[] {
  const all = Object.values(tool.parameters).flatMap(({ aliases = [] }) => aliases);
  return (entry.aliases ?? []).flatMap((alias, i) => {
    const path = ['parameters', name, 'aliases', i];
    if (RESERVED.has(alias)) return [{ path, message: `${alias} is a reserved name` }];
    if (Object.hasOwn(tool.parameters, alias))
      return [{ path, message: `${alias} is the name of a parameter` }];
    const isTwice = all.filter((other) => other === alias).length > 1;
    return isTwice ? [{ path, message: `${alias} is declared twice` }] : [];
  });
}

function defaultUnlessFaults(name: string, entry: ParameterEntry, tool: ToolEntry, at: At): Fault[] {
  const { default_unless: other } = entry;
  if (other === undefined) return [];
  if (entry.default === undefined) return [at('default_unless', 'has no effect without a default')];
  if (other === name) return [at('default_unless', 'names the parameter itself')];
  return unknownNames([other], tool, ['parameters', name, 'default_unless']);
}

/** Without a handler, nothing would add the time zone to the time. */
function localTimeFaults(
  { accepts_local_time: accepts, format }: ParameterEntry,
  { handler }: ToolEntry,
  at: At,
): Fault[] {
  if (accepts === undefined || (format === 'date-time' && handler !== undefined)) return [];
  return [at('accepts_local_time', 'needs format: date-time, and a handler that knows the zone')];
}

function nullableFaults({ nullable, to }: ParameterEntry, { effect, handler }: ToolEntry, at: At): Fault[] {
  if (nullable === undefined) return [];
  if (effect !== 'update') return [at('nullable', 'has no meaning unless the tool updates')];
  if (handler === undefined && to?.startsWith('body.') !== true)
    return [at('nullable', 'is for a value in the body: give it to: body.…')];
  return [];
}

function defaultFaults(entry: ParameterEntry, at: At): Fault[] {
  const { description: _, ...limits } = entry;
  const result = valueSchema(itemSchema(limits)).safeParse(entry.default, {
    reportInput: true,
  });
  return result.success ? [] : result.error.issues.map((issue) => at('default', issueText(issue)));
}
