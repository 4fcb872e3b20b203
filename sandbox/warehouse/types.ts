/** Types of columns, and conversion of values for answers, which contain only text and null. Pure. */

/** A value returned by SQLite. */
export type StoredValue = string | number | bigint | Buffer | null;

/** Description of a column in an answer. */
export interface ResultColumn {
  name: string;
  type:
    'fixed' | 'real' | 'text' | 'boolean' | 'date' | 'time' | 'timestamp_ntz' | 'timestamp_ltz' | 'variant';
  length: number | null;
  byteLength: number | null;
  precision: number | null;
  scale: number | null;
  nullable: boolean;
  /** Empty for a computed column. */
  database: string;
  schema: string;
  table: string;
  collation: null;
}

/** The members of a column that follow from its type. */
export type ColumnType = Pick<ResultColumn, 'type' | 'length' | 'byteLength' | 'precision' | 'scale'>;

const MAX_TEXT = 16_777_216;

const NONE = { length: null, byteLength: null, precision: null, scale: null };

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?$/;

/** Maximum decimals of a computed number, and the minimum if it has any. */
const COMPUTED_SCALE = 6;
const LEAST_SCALE = 2;

/** The provider's own name for a type with many synonyms; `undefined` for an unknown one. */
export function canonicalType(declared: string): string | undefined {
  const [, name = '', , size, scale] =
    /^([A-Z_]+(?: PRECISION)?)(\((\d+)(?:,\s*(\d+))?\))?$/.exec(declared.trim().toUpperCase()) ?? [];
  if (/^(NUMBER|NUMERIC|DECIMAL|DEC)$/.test(name)) return `NUMBER(${size ?? 38},${scale ?? 0})`;
  if (/^(INT|INTEGER|BIGINT|SMALLINT|TINYINT|BYTEINT)$/.test(name)) return 'NUMBER(38,0)';
  if (/^(FLOAT|FLOAT4|FLOAT8|DOUBLE|DOUBLE PRECISION|REAL)$/.test(name)) return 'FLOAT';
  if (/^(CHAR|CHARACTER)$/.test(name)) return `VARCHAR(${size ?? 1})`;
  if (/^(VARCHAR|STRING|TEXT)$/.test(name)) return `VARCHAR(${size ?? MAX_TEXT})`;
  if (/^(TIMESTAMP|TIMESTAMP_NTZ|DATETIME)$/.test(name)) return 'TIMESTAMP_NTZ(9)';
  if (name === 'TIMESTAMP_LTZ') return 'TIMESTAMP_LTZ(9)';
  if (name === 'TIME') return 'TIME(9)';
  return /^(BOOLEAN|DATE|VARIANT)$/.test(name) ? name : undefined;
}

/** The function for a cast; `undefined` for a type that the sandbox does not cast to. */
export function castFunction(type: string): string | undefined {
  const [name] = canonicalType(type)?.split('(') ?? [];
  return name === undefined ? undefined : CASTS[name];
}

const CASTS: Readonly<Record<string, string>> = {
  NUMBER: 'TO_NUMBER',
  FLOAT: 'TO_DOUBLE',
  VARCHAR: 'TO_VARCHAR',
  BOOLEAN: 'TO_BOOLEAN',
  DATE: 'TO_DATE',
  TIMESTAMP_NTZ: 'TO_TIMESTAMP',
  TIMESTAMP_LTZ: 'TO_TIMESTAMP',
  VARIANT: 'PARSE_JSON',
};

/** @param declared in the provider's spelling */
export function declaredType(declared: string): ColumnType {
  const [, name = '', size = '', scale = '0'] = /^([A-Z_]+)(?:\((\d+)(?:,(\d+))?\))?$/.exec(declared) ?? [];
  switch (name) {
    case 'NUMBER':
      return { ...NONE, type: 'fixed', precision: Number(size), scale: Number(scale) };
    case 'FLOAT':
      return { ...NONE, type: 'real' };
    case 'BOOLEAN':
      return { ...NONE, type: 'boolean' };
    case 'DATE':
      return { ...NONE, type: 'date' };
    case 'VARIANT':
      return { ...NONE, type: 'variant' };
    case 'TIME':
      return { ...NONE, type: 'time', precision: 0, scale: 9 };
    case 'TIMESTAMP_NTZ':
      return { ...NONE, type: 'timestamp_ntz', precision: 0, scale: 9 };
    case 'TIMESTAMP_LTZ':
      return { ...NONE, type: 'timestamp_ltz', precision: 0, scale: 9 };
    default:
      return textType(Number(size) || MAX_TEXT);
  }
}

/** The type of a computed column, derived from its values. */
export function typeOfValues(values: readonly StoredValue[]): ColumnType {
  const given = values.filter((value) => value !== null);
  if (given.length === 0) return textType(MAX_TEXT);
  if (given.every((value) => typeof value === 'number' || typeof value === 'bigint')) {
    const scale = given.reduce((most: number, value) => Math.max(most, scaleOf(value)), 0);
    return { ...NONE, type: 'fixed', precision: 38, scale };
  }
  const texts = given.map(String);
  if (texts.every((text) => DATE.test(text))) return { ...NONE, type: 'date' };
  if (texts.every((text) => TIMESTAMP.test(text)))
    return { ...NONE, type: 'timestamp_ntz', precision: 0, scale: 9 };
  return textType(MAX_TEXT);
}

/** A value in the form of answers. */
export function toWire(value: StoredValue, { type, scale }: ColumnType): string | null {
  if (value === null) return null;
  if (Buffer.isBuffer(value)) return value.toString('hex').toUpperCase();
  if (type === 'boolean') return value === 0 || value === 0n || value === 'false' ? 'false' : 'true';
  const text = String(value);
  if (type === 'fixed' && typeof value === 'number') return value.toFixed(scale ?? 0);
  if (type === 'fixed' && typeof value === 'bigint' && scale !== null && scale > 0)
    return `${value}.${'0'.repeat(scale)}`;
  if (type === 'date' && DATE.test(text)) return String(Date.parse(text) / 86_400_000);
  if (type === 'timestamp_ntz' || type === 'timestamp_ltz') return epochSeconds(text);
  return text;
}

function textType(length: number): ColumnType {
  return { ...NONE, type: 'text', length, byteLength: Math.min(length * 4, MAX_TEXT) };
}

function scaleOf(value: number | bigint): number {
  if (typeof value === 'bigint' || Number.isInteger(value)) return 0;
  const [, digits = ''] = value.toFixed(COMPUTED_SCALE).replace(/0+$/, '').split('.');
  return digits === '' ? 0 : Math.max(LEAST_SCALE, digits.length);
}

function epochSeconds(text: string): string {
  const [, seconds = '', digits = ''] = /^(.{19})(?:\.(\d{1,9}))?/.exec(text) ?? [];
  const instant = Date.parse(`${seconds.replace(' ', 'T')}Z`);
  return Number.isNaN(instant) ? text : `${instant / 1000}.${digits.padEnd(9, '0')}`;
}
