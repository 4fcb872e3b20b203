/**
 * Values for the `?` of a statement. Snowflake wants each as a type and a text; plain values get their own type. Pure.
 *
 * @see https://docs.snowflake.com/en/developer-guide/sql-api/submitting-requests#using-bind-variables-in-a-statement
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import { shownKey } from '../../core/safe-json.ts';
import type { FieldViolation } from '../../core/errors.ts';

const TYPES = [
  'FIXED',
  'REAL',
  'TEXT',
  'BINARY',
  'BOOLEAN',
  'DATE',
  'TIME',
  'TIMESTAMP_LTZ',
  'TIMESTAMP_NTZ',
  'TIMESTAMP_TZ',
];

/** A bound value in the form of the SQL API. */
export interface BindVariable {
  type: string;
  value: string | null | (string | null)[];
}

type Scalar = string | number | boolean | null;

/** The variables for the SQL API, and violations in the input. */
interface BoundVariables {
  /** `undefined` without bindings, and with violations. */
  variables?: Record<string, BindVariable>;
  violations: readonly FieldViolation[];
}

/** @param bindings by position, from `"1"` */
export function bindVariables(bindings: Readonly<Record<string, unknown>> = {}): BoundVariables {
  const entries = Object.entries(bindings);
  if (entries.length === 0) return { violations: [] };
  const violations: FieldViolation[] = [];
  const positions = new Set(entries.map(([position]) => position));
  if (!entries.every((_, i) => positions.has(String(i + 1)))) {
    const description = 'Must have the positions "1", "2" and so on as keys, without a gap.';
    violations.push({ field: 'bindings', description, constraint: 'position' });
  }
  const variables = entries.flatMap(([position, value]) => {
    const variable = variableOf(value);
    if (variable !== undefined) return [[position, variable] as const];
    const description = `Must be text, a number, true, false, null, a list of these of one kind, or {"type", "value"} with a type out of ${TYPES.join(', ')}.`;
    violations.push({ field: `bindings.${shownKey(position)}`, description, constraint: 'type' });
    return [];
  });
  return violations.length > 0 ? { violations } : { variables: Object.fromEntries(variables), violations };
}

function variableOf(value: unknown): BindVariable | undefined {
  if (isScalar(value)) return { type: typeOf(value) ?? 'TEXT', value: textOf(value) };
  if (Array.isArray(value)) return listOf(value);
  return isObject(value) ? typedOf(value) : undefined;
}

/** Values of several rows: all of one type, with nulls among them. */
function listOf(values: readonly unknown[]): BindVariable | undefined {
  if (values.length === 0 || !values.every(isScalar)) return undefined;
  const types = new Set(values.map(typeOf).filter((type) => type !== undefined));
  // Whole numbers among fractions have the type of these.
  if (types.has('REAL')) types.delete('FIXED');
  const [type = 'TEXT', another] = types;
  return another === undefined ? { type, value: values.map(textOf) } : undefined;
}

function typedOf(binding: JsonObject): BindVariable | undefined {
  const { type, value, ...rest } = binding;
  if (typeof type !== 'string' || Object.keys(rest).length > 0) return undefined;
  const known = TYPES.find((name) => name === type.toUpperCase());
  if (known === undefined) return undefined;
  if (isScalar(value)) return { type: known, value: textOf(value) };
  return Array.isArray(value) && value.every(isScalar)
    ? { type: known, value: value.map(textOf) }
    : undefined;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** `undefined` for null, which fits every type. */
function typeOf(value: Scalar): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'FIXED' : 'REAL';
  if (value === null) return undefined;
  return typeof value === 'boolean' ? 'BOOLEAN' : 'TEXT';
}

function textOf(value: Scalar): string | null {
  return value === null ? null : String(value);
}
