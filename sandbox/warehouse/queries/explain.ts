/** EXPLAIN: checks a statement, and tells its plan without running it. */
import type { ResultTable, WarehouseDatabase } from '../database.ts';
import { publishViews } from '../information-schema.ts';
import { unsupported } from '../refusal.ts';
import { isSymbol, isWord, type Token } from '../scanner.ts';
import type { Session } from '../session.ts';
import { typedTable } from '../show-table.ts';
import { translate, type NameResolver } from '../translate.ts';

/** Statements that can be explained here. */
const VERBS = ['SELECT', 'WITH', 'VALUES', 'INSERT', 'UPDATE', 'DELETE'];

/** Bytes of a partition of the plan; the tables here have one each. */
const PARTITION_BYTES = 1024;

interface Operation {
  id: number;
  operation: string;
  objects: readonly string[];
  parents: readonly number[];
}

/** @param tokens of the whole statement. @throws SqlFailure */
export function explain(
  tokens: readonly Token[],
  { warehouse, session, source }: { warehouse: WarehouseDatabase; session: Session; source: string },
): ResultTable {
  const isChosen = isWord(tokens[1], 'USING');
  const form = isChosen ? (tokens[2]?.text ?? '') : 'TABULAR';
  const statement = tokens.slice(isChosen ? 3 : 1);
  const [verb] = statement;
  if (!isWord(verb, ...VERBS) && !isSymbol(verb, '(')) throw unsupported(`EXPLAIN ${verb?.text ?? ''}`);
  publishViews(warehouse);
  const scanned: string[] = [];
  const changed: string[] = [];
  const names: NameResolver = {
    resolve: (parts, use) => {
      // Like the session's own, but the table does not count as changed.
      const id = session.resolve(parts, 'read');
      if (use === 'write') session.requireWrite('table', session.table(parts));
      (use === 'write' ? changed : scanned).push(id);
      return id;
    },
    tableFunction: (parts) => session.tableFunction(parts),
  };
  warehouse.compile(translate(statement, source, names), source);
  const top = changed.length === 0 ? 'Result' : `${verb?.text.charAt(0)}${verb?.text.slice(1).toLowerCase()}`;
  const operations: Operation[] = [
    { id: 0, operation: top, objects: changed, parents: [] },
    ...scanned.map((id, i) => ({ id: i + 1, operation: 'TableScan', objects: [id], parents: [0] })),
  ];
  return rendered(form, operations, scanned.length);
}

function rendered(form: string, operations: readonly Operation[], partitions: number): ResultTable {
  const stats = {
    partitionsTotal: partitions,
    partitionsAssigned: partitions,
    bytesAssigned: partitions * PARTITION_BYTES,
  };
  const content = (text: string): ResultTable => typedTable([['content', 'VARCHAR(16777216)']], [[text]]);
  if (form === 'JSON') {
    const shown = operations.map(({ id, operation, objects, parents }) => ({
      id,
      operation,
      ...(objects.length > 0 && { objects }),
      ...(parents.length > 0 && { parentOperators: parents }),
    }));
    return content(JSON.stringify({ GlobalStats: stats, Operations: [shown] }));
  }
  if (form === 'TEXT') {
    const lines = operations.map(
      ({ id, operation, objects }) => `  1:${id}  ->${operation}  ${objects.join()}`,
    );
    const totals = Object.entries(stats).map(([name, value]) => `  ${name}=${value}`);
    return content(['GlobalStats:', ...totals, 'Operations:', ...lines].join('\n'));
  }
  if (form !== 'TABULAR') throw unsupported(`EXPLAIN USING ${form}`);
  const totals = Object.values(stats).map(String);
  return typedTable(
    [
      ['step', 'NUMBER(38,0)'],
      ['id', 'NUMBER(38,0)'],
      ['parentOperators', 'VARCHAR(16777216)'],
      ['operation', 'VARCHAR(16777216)'],
      ['objects', 'VARCHAR(16777216)'],
      ['alias', 'VARCHAR(16777216)'],
      ['expressions', 'VARCHAR(16777216)'],
      ['partitionsTotal', 'NUMBER(38,0)'],
      ['partitionsAssigned', 'NUMBER(38,0)'],
      ['bytesAssigned', 'NUMBER(38,0)'],
    ],
    [
      [null, null, null, 'GlobalStats', null, null, null, ...totals],
      ...operations.map(({ id, operation, objects, parents }) => [
        '1',
        String(id),
        parents.length === 0 ? null : `[${parents.join(', ')}]`,
        operation,
        objects.length === 0 ? null : objects.join(', '),
        null,
        null,
        ...(operation === 'TableScan' ? ['1', '1', String(PARTITION_BYTES)] : [null, null, null]),
      ]),
    ],
  );
}
