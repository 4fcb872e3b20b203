/**
 * Reads a schema, with references followed and `allOf` merged, into one shape without combinators.
 *
 * If a schema allows several forms (`oneOf`, `anyOf`, lists of types), the shape is one of them. Every value
 * that fits the shape thus fits the schema; what is lost is noted. Pure.
 */
import { isList, isObject } from '../../core/json.ts';
import type { JsonObject } from '../model/types.ts';
import type { References } from './references.ts';
import {
  expand,
  isNull,
  MAX_PARTS,
  requiredOnly,
  typeOf,
  typesOf,
  valuesOf,
  wordOf,
  type JsonType,
} from './schema-parts.ts';
import { oneForm } from './forms.ts';
import type { Notes } from './report.ts';

/** A schema without combinators and references. */
export interface Shape {
  /** `undefined` if nothing tells the type. */
  type: JsonType | undefined;
  isNullable: boolean;
  /** Possible values, without null. */
  values: readonly unknown[] | undefined;
  minimum: number | undefined;
  maximum: number | undefined;
  minLength: number | undefined;
  maxLength: number | undefined;
  minItems: number | undefined;
  maxItems: number | undefined;
  minProperties: number | undefined;
  formats: readonly string[];
  patterns: readonly string[];
  /** Limits that the catalog cannot express, by keyword. */
  others: readonly string[];
  properties: ReadonlyMap<string, readonly unknown[]>;
  required: ReadonlySet<string>;
  items: readonly unknown[];
  /** Rule for members that `properties` does not name. */
  further: 'open' | 'closed' | 'shaped';
  /** `dependentRequired`, and the sets of names of which `oneOf` or `anyOf` requires one. */
  dependent: ReadonlyMap<string, readonly string[]>;
  choices: readonly { isExclusive: boolean; groups: readonly (readonly string[])[] }[];
  description: string;
  defaultValue: unknown;
  isReadOnly: boolean;
  isDeprecated: boolean;
  /** References followed to get here. */
  refs: ReadonlySet<string>;
}

/** Maximum number of branches of one `oneOf` or `anyOf` that are examined. */
const MAX_BRANCHES = 100;

const OTHERS = [
  'multipleOf',
  'uniqueItems',
  'maxProperties',
  'not',
  'if',
  'contains',
  'propertyNames',
  'prefixItems',
  'patternProperties',
];

/**
 * @param schemas apply together
 * @param place for notes
 */
export function shapeOf(
  schemas: readonly unknown[],
  references: References,
  notes: Notes,
  place: string,
): Shape {
  const refs = new Set<string>();
  let parts = expand(schemas, references, refs);
  const choices: { isExclusive: boolean; groups: readonly (readonly string[])[] }[] = [];
  let isNullable = false;
  for (let rounds = 0; rounds < MAX_PARTS; rounds++) {
    const found = nextChoice(parts);
    if (found === undefined) break;
    const { part, key, branches } = found;
    const { [key]: _, ...rest } = part;
    parts = parts.map((other) => (other === part ? rest : other));
    const expanded = branches.map((branch) => expand([branch], references, new Set(refs)));
    const forms = expanded.filter((branch) => !isNull(branch));
    isNullable ||= forms.length < expanded.length;
    const groups = forms.map(requiredOnly);
    if (groups.length > 1 && groups.every((group) => group !== undefined)) {
      choices.push({ isExclusive: key === 'oneOf', groups });
      continue;
    }
    const chosen = oneForm(forms, notes, place);
    if (chosen.form >= 0)
      parts = [
        ...parts,
        ...expand(
          [branches.filter((_b, i) => !isNull(expanded[i] ?? []))[chosen.form] ?? true],
          references,
          refs,
        ),
      ];
    else parts = [...parts, chosen.joined];
  }
  return merged(parts, { refs, choices, isNullable }, notes, place);
}

function nextChoice(parts: readonly JsonObject[]) {
  for (const part of parts)
    for (const key of ['oneOf', 'anyOf'] as const) {
      const branches = part[key];
      if (!isList(branches) || branches.length === 0) continue;
      return { part, key, branches: branches.slice(0, MAX_BRANCHES) };
    }
  return undefined;
}

function merged(
  parts: readonly JsonObject[],
  { refs, choices, isNullable }: Pick<Shape, 'refs' | 'choices' | 'isNullable'>,
  notes: Notes,
  place: string,
): Shape {
  const types = typesOf(parts);
  const type = typeOf(parts);
  if (types.length > 1 && !(types.length === 2 && types.includes('integer') && types.includes('number')))
    notes.add(place, `can have ${types.length} types; only ${wordOf(type)} can be given.`);
  const values = valuesOf(parts);
  const limit = (key: string, pick: (...numbers: number[]) => number): number | undefined => {
    const found = parts
      .map((part) => part[key])
      .filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
    return found.length === 0 ? undefined : pick(...found);
  };
  const texts = (key: string): string[] => [
    ...new Set(parts.flatMap((part) => (typeof part[key] === 'string' ? [part[key]] : []))),
  ];
  const properties = new Map<string, unknown[]>();
  const required = new Set<string>();
  const dependent = new Map<string, readonly string[]>();
  for (const part of parts) {
    for (const [name, schema] of Object.entries(isObject(part['properties']) ? part['properties'] : {}))
      properties.set(name, [...(properties.get(name) ?? []), schema]);
    for (const name of Array.isArray(part['required']) ? part['required'] : []) required.add(String(name));
    for (const [name, needs] of Object.entries(
      isObject(part['dependentRequired']) ? part['dependentRequired'] : {},
    ))
      if (Array.isArray(needs)) dependent.set(name, needs.map(String));
  }
  const exclusive = exclusiveLimits(parts, type);
  const further = parts.map((part) => part['additionalProperties']).filter((value) => value !== undefined);
  return {
    type,
    isNullable:
      isNullable ||
      (values?.includes(null) ?? false) ||
      (parts.some(allowsNull) && parts.every((part) => part['type'] === undefined || allowsNull(part))),
    values: values?.filter((value) => value !== null),
    minimum: tighter(Math.max, limit('minimum', Math.max), exclusive.minimum),
    maximum: tighter(Math.min, limit('maximum', Math.min), exclusive.maximum),
    minLength: limit('minLength', Math.max),
    maxLength: limit('maxLength', Math.min),
    minItems: limit('minItems', Math.max),
    maxItems: limit('maxItems', Math.min),
    minProperties: limit('minProperties', Math.max),
    formats: texts('format'),
    patterns: texts('pattern'),
    others: [
      ...OTHERS.filter((key) => parts.some((part) => part[key] !== undefined && part[key] !== false)),
      ...exclusive.others,
    ],
    properties,
    required,
    items: parts.flatMap((part) => (part['items'] === undefined ? [] : [part['items']])),
    further: further.includes(false)
      ? 'closed'
      : further.some((value) => isObject(value) && Object.keys(value).length > 0)
        ? 'shaped'
        : 'open',
    dependent,
    choices,
    description: texts('description')[0] ?? texts('title')[0] ?? '',
    defaultValue: parts.map((part) => part['default']).find((value) => value !== undefined),
    isReadOnly: parts.some((part) => part['readOnly'] === true),
    isDeprecated: parts.some((part) => part['deprecated'] === true),
    refs,
  };
}

function allowsNull({ nullable, type }: JsonObject): boolean {
  return nullable === true || type === 'null' || (Array.isArray(type) && type.includes('null'));
}

/**
 * Limits that exclude their own value: exact for whole numbers, otherwise only noted. Version 3.0 writes them
 * as a flag.
 */
function exclusiveLimits(parts: readonly JsonObject[], type: JsonType | undefined) {
  const others: string[] = [];
  const result: { minimum?: number; maximum?: number } = {};
  for (const part of parts)
    for (const [key, base, step] of [
      ['exclusiveMinimum', 'minimum', 1],
      ['exclusiveMaximum', 'maximum', -1],
    ] as const) {
      const value = part[key] === true ? part[base] : part[key];
      if (typeof value !== 'number') continue;
      if (type === 'integer') result[base] = value + step;
      else others.push(key);
    }
  return { ...result, others };
}

function tighter(
  pick: (...numbers: number[]) => number,
  ...limits: (number | undefined)[]
): number | undefined {
  const given = limits.filter((limit) => limit !== undefined);
  return given.length === 0 ? undefined : pick(...given);
}
