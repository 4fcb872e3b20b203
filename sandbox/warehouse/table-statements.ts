/** CREATE TABLE, DROP TABLE and TRUNCATE TABLE. */
import type { WarehouseDatabase } from './database.ts';
import { noSuchObject, SqlFailure, syntaxError, unsupported } from './refusal.ts';
import { isName, isSymbol, isWord, placeOf, readName, type Token } from './scanner.ts';
import type { Session } from './session.ts';
import type { ColumnDefinition, TableDefinition } from './tables.ts';
import { quoted, translate } from './translate.ts';
import { canonicalType, type ResultColumn } from './types.ts';

/** Context of the statements. */
export interface TableContext {
  warehouse: WarehouseDatabase;
  session: Session;
  source: string;
}

/** @returns the provider's message. @throws SqlFailure */
export function createTable(tokens: readonly Token[], context: TableContext): string {
  const { warehouse, session, source } = context;
  const words = new TableWords(tokens, source);
  const isReplacing = words.skip('OR', 'REPLACE');
  if (!words.skip('TABLE')) throw unsupported(`CREATE ${words.peek()}`);
  const isOptional = words.skip('IF', 'NOT', 'EXISTS');
  const place = session.tableName(words.name());
  session.requireWrite('schema', { database: place.database, name: place.schema });
  const known = warehouse.find(place.database, place.schema, place.name);
  if (known !== undefined && isOptional) return `${place.name} already exists, statement succeeded.`;
  if (known !== undefined && !isReplacing)
    throw new SqlFailure('002002', '42710', `SQL compilation error:\nObject '${known.id}' already exists.`);
  const blank: TableDefinition = {
    ...place,
    kind: 'TABLE',
    comment: null,
    columns: [],
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
  };
  if (words.skip('AS')) {
    const sql = translate(words.rest(), source, session);
    const { columns } = warehouse.query(sql, [], source);
    if (known !== undefined) warehouse.drop(known);
    const { id } = warehouse.add({ ...blank, columns: columns.map(columnLike) });
    warehouse.change(`INSERT INTO ${quoted(id)} ${sql}`, [[]], source);
  } else {
    const read = words.columns();
    if (known !== undefined) warehouse.drop(known);
    warehouse.add({ ...blank, ...read });
  }
  return `Table ${place.name} successfully created.`;
}

/** @returns the provider's message. @throws SqlFailure */
export function dropTable(tokens: readonly Token[], { warehouse, session, source }: TableContext): string {
  const words = new TableWords(tokens, source);
  if (!words.skip('TABLE')) throw unsupported(`DROP ${words.peek()}`);
  const isOptional = words.skip('IF', 'EXISTS');
  const parts = words.name();
  const place = session.tableName(parts);
  const table = warehouse.find(place.database, place.schema, place.name);
  if (table === undefined && isOptional)
    return `Drop statement executed successfully (${place.name} already dropped).`;
  if (table?.kind !== 'TABLE') throw noSuchObject('Table', parts.join('.'));
  session.requireWrite('table', table);
  warehouse.drop(table);
  return `${place.name} successfully dropped.`;
}

/** @throws SqlFailure */
export function truncateTable(tokens: readonly Token[], context: TableContext): string {
  const { warehouse, session, source } = context;
  const words = new TableWords(tokens, source);
  words.skip('TABLE');
  const table = session.table(words.name());
  session.requireWrite('table', table);
  warehouse.change(`DELETE FROM ${quoted(table.id)}`, [[]], source);
  warehouse.touch(table);
  return 'Statement executed successfully.';
}

/** A column of a table created from a query. */
function columnLike({ name, type, precision, scale }: ResultColumn): ColumnDefinition {
  const numeric = type === 'fixed' ? `NUMBER(${precision ?? 38},${scale ?? 0})` : undefined;
  const declared = numeric ?? canonicalType(type === 'real' ? 'FLOAT' : type) ?? 'VARCHAR(16777216)';
  return { name, type: declared, isNullable: true, defaultValue: null, comment: null };
}

/** The words after the first of a statement about a table. */
class TableWords {
  readonly #tokens: readonly Token[];
  readonly #source: string;
  #next = 1;

  constructor(tokens: readonly Token[], source: string) {
    this.#tokens = tokens;
    this.#source = source;
  }

  skip(...words: readonly string[]): boolean {
    if (!words.every((word, i) => isWord(this.#tokens[this.#next + i], word))) return false;
    this.#next += words.length;
    return true;
  }

  peek(): string {
    return this.#tokens[this.#next]?.text ?? '<EOF>';
  }

  rest(): readonly Token[] {
    return this.#tokens.slice(this.#next);
  }

  name(): string[] {
    const { parts, next } = readName(this.#tokens, this.#next);
    if (parts.length === 0) throw this.#unexpected();
    this.#next = next;
    return parts;
  }

  /** `(name type …, PRIMARY KEY (…))` up to the end. @throws SqlFailure */
  columns(): Pick<TableDefinition, 'columns' | 'primaryKey'> {
    const columns: ColumnDefinition[] = [];
    const primaryKey: string[] = [];
    this.#expect('(');
    do {
      if (this.skip('PRIMARY', 'KEY')) primaryKey.push(...this.#list());
      else if (isWord(this.#tokens[this.#next], 'CONSTRAINT', 'FOREIGN', 'UNIQUE'))
        throw unsupported(this.peek());
      else columns.push(this.#column(primaryKey));
    } while (this.#symbol(','));
    this.#expect(')');
    if (this.#next < this.#tokens.length) throw unsupported(this.peek());
    const names = columns.map(({ name }) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined)
      throw new SqlFailure('002025', '42S21', `SQL compilation error:\nduplicate column name '${twice}'`);
    return { columns, primaryKey };
  }

  #column(primaryKey: string[]): ColumnDefinition {
    const name = this.#tokens[this.#next];
    if (!isName(name)) throw this.#unexpected();
    this.#next += 1;
    const column = {
      name: name.text,
      type: this.#type(),
      isNullable: true,
      defaultValue: null,
      comment: null,
    };
    return this.#clauses(column, primaryKey);
  }

  #clauses(start: ColumnDefinition, primaryKey: string[]): ColumnDefinition {
    let column = start;
    for (;;) {
      if (this.skip('NOT', 'NULL')) column = { ...column, isNullable: false };
      else if (this.skip('NULL')) column = { ...column, isNullable: true };
      else if (this.skip('PRIMARY', 'KEY')) {
        primaryKey.push(column.name);
        column = { ...column, isNullable: false };
      } else if (this.skip('COMMENT')) column = { ...column, comment: this.#literal('string') };
      else if (this.skip('DEFAULT')) {
        const token = this.#tokens[this.#next];
        const isPlain = token?.kind === 'string' || token?.kind === 'number';
        if (!isPlain && !isWord(token, 'TRUE', 'FALSE', 'NULL'))
          throw unsupported('DEFAULT with an expression');
        this.#next += 1;
        const text = token?.text ?? '';
        column = {
          ...column,
          defaultValue: token?.kind === 'string' ? `'${text.replaceAll("'", "''")}'` : text,
        };
      } else return column;
    }
  }

  #type(): string {
    const word = this.#tokens[this.#next];
    if (word?.kind !== 'word') throw this.#unexpected();
    this.#next += 1;
    let declared = word.text;
    if (word.text === 'DOUBLE' && this.skip('PRECISION')) declared = 'DOUBLE PRECISION';
    if (this.#symbol('(')) {
      const sizes = [this.#literal('number')];
      while (this.#symbol(',')) sizes.push(this.#literal('number'));
      this.#expect(')');
      declared += `(${sizes.join(',')})`;
    }
    const type = canonicalType(declared);
    if (type === undefined)
      throw new SqlFailure('002040', '42601', `SQL compilation error:\nUnsupported data type '${declared}'.`);
    return type;
  }

  #list(): string[] {
    const names: string[] = [];
    this.#expect('(');
    do names.push(...this.name());
    while (this.#symbol(','));
    this.#expect(')');
    return names;
  }

  #literal(kind: 'string' | 'number'): string {
    const token = this.#tokens[this.#next];
    if (token?.kind !== kind) throw this.#unexpected();
    this.#next += 1;
    return token.text;
  }

  #symbol(symbol: string): boolean {
    if (!isSymbol(this.#tokens[this.#next], symbol)) return false;
    this.#next += 1;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#symbol(symbol)) throw this.#unexpected();
  }

  #unexpected(): SqlFailure {
    const offset = this.#tokens[this.#next]?.offset ?? this.#source.length;
    return syntaxError(placeOf(this.#source, offset), this.peek());
  }
}
