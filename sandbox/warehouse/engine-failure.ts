/** Converts errors of SQLite into those of the real provider. Pure. */
import { noSuchObject, SqlFailure, syntaxError, unsupported } from './refusal.ts';
import { placeOf } from './scanner.ts';

/** @param source the text as sent, for positions in messages */
export function inProviderWords(error: unknown, source: string): SqlFailure {
  const message = error instanceof Error ? error.message : '';
  const word = (pattern: RegExp): string | undefined => pattern.exec(message)?.[1];
  const at = (text: string): string => placeOf(source, Math.max(0, source.toUpperCase().indexOf(text)));
  const near = word(/^near "([^]*)": syntax error$/) ?? word(/^unrecognized token: "([^]*)"$/);
  if (near !== undefined) return syntaxError(at(near.toUpperCase()), near);
  if (message === 'incomplete input') return syntaxError(placeOf(source, source.length), '<EOF>');
  const column =
    word(/^(?:table .* has )?no (?:such )?column:? (?:named )?"?([^"]*?)"?(?: - should .*)?$/) ??
    word(/^cannot join using column (\S+)/);
  if (column !== undefined)
    return new SqlFailure(
      '000904',
      '42000',
      `SQL compilation error: error ${at(column.toUpperCase())}\ninvalid identifier '${column}'`,
    );
  const ambiguous = word(/^ambiguous column name: (.*)$/);
  if (ambiguous !== undefined)
    return new SqlFailure('002022', '42702', `SQL compilation error:\nambiguous column name '${ambiguous}'`);
  const called = word(/^no such function: (.*)$/);
  if (called !== undefined)
    return new SqlFailure('002141', '42601', `SQL compilation error:\nUnknown function ${called}`);
  const counted = word(/^wrong number of arguments to function (.*)\(\)$/);
  if (counted !== undefined)
    return new SqlFailure(
      '000938',
      '22023',
      `SQL compilation error: error ${at(counted)}\nwrong number of arguments for function [${counted}]`,
    );
  const table = word(/^no such table: (.*)$/);
  if (table !== undefined) return noSuchObject('Object', table);
  const missing = word(/^NOT NULL constraint failed: .*\.(.*)$/);
  if (missing !== undefined)
    return new SqlFailure('100072', '22000', `NULL result in a non-nullable column '${missing}'`);
  if (/(has \d+ columns but \d+ values|\d+ values for \d+ columns)/.test(message))
    return new SqlFailure(
      '002020',
      '21S01',
      'SQL compilation error:\nInsert value list does not match column list',
    );
  if (/ is not (recognized|a valid)/.test(message)) return new SqlFailure('100038', '22018', message);
  return unsupported(message);
}
