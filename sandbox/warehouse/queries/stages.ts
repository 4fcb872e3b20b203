/** LIST: the files of stages, which wait to be loaded. */
import type { ResultTable } from '../database.ts';
import { noSuchObject, syntaxError } from '../refusal.ts';
import { isSymbol, placeOf, readName, type Token } from '../scanner.ts';
import type { Session } from '../session.ts';
import { typedTable } from '../show-table.ts';

/** Files by the full name of their stage. */
const STAGES: Readonly<
  Record<string, readonly { path: string; size: number; md5: string; changed: string }[]>
> = {
  'SALES.STAGING.INBOUND': [
    {
      path: '2026/orders-11-18.csv',
      size: 48_112,
      md5: '0b4f1c9ad3e2f07c55f6a1c8de3b9a10',
      changed: 'Wed, 18 Nov 2026 23:05:00 GMT',
    },
    {
      path: '2026/orders-11-19.csv',
      size: 51_904,
      md5: '7c1a5d0e92b84f63a80d2be41f5c6e77',
      changed: 'Thu, 19 Nov 2026 23:05:00 GMT',
    },
    {
      path: 'readme.txt',
      size: 612,
      md5: 'e3a1f0c2b4d596877869504132aabbcc',
      changed: 'Mon, 12 Jan 2026 08:15:00 GMT',
    },
  ],
};

/** @param tokens of the whole statement: `LIST @stage[/path]`. @throws SqlFailure */
export function listStage(tokens: readonly Token[], session: Session, source: string): ResultTable {
  const { parts, next } = readName(tokens, 2);
  const rest = tokens[next];
  const unexpected = isSymbol(tokens[1], '@') ? rest : tokens[1];
  if (parts.length === 0 || (unexpected !== undefined && !isSymbol(unexpected, '/')))
    throw syntaxError(placeOf(source, unexpected?.offset ?? source.length), unexpected?.text ?? '<EOF>');
  const { database, schema, name } = session.tableName(parts);
  const files = STAGES[[database, schema, name].join('.')];
  if (files === undefined) throw noSuchObject('Stage', parts.join('.'));
  const path = rest === undefined ? '' : source.slice(rest.end, tokens.at(-1)?.end);
  return typedTable(
    [
      ['name', 'VARCHAR(16777216)'],
      ['size', 'NUMBER(38,0)'],
      ['md5', 'VARCHAR(16777216)'],
      ['last_modified', 'VARCHAR(16777216)'],
    ],
    files
      .filter((file) => file.path.startsWith(path))
      .map((file) => [`${name.toLowerCase()}/${file.path}`, String(file.size), file.md5, file.changed]),
  );
}
