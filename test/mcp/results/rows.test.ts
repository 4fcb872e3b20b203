/** Rows of a database as a model reads them. */
import { describe, expect, it } from 'vitest';
import { compacted } from '../../../src/mcp/results/compaction.ts';
import type { ResultRules } from '../../../src/catalog/model/types.ts';

const RULES: ResultRules = {
  list: 'data',
  rows: {
    columns: 'meta.types',
    name: 'name',
    type: 'type',
    decode: {
      fixed: 'number',
      real: 'number',
      boolean: 'boolean',
      variant: 'json',
      date: 'epoch_days',
      timestamp_ltz: 'epoch_seconds',
      timestamp_ntz: 'local_epoch_seconds',
      timestamp_tz: 'epoch_seconds_offset',
      time: 'seconds_of_day',
    },
    count: 'meta.rows',
    more: { if: 'meta.parts.1', keep: { handle: 'handle' } },
  },
};

function answer(cells: readonly unknown[][], types: readonly string[], more: object = {}): object {
  return {
    meta: { types: types.map((type, i) => ({ name: `C${i}`, type })), rows: 9, ...more },
    data: cells,
    handle: 'h1',
  };
}

describe('rows of a result', () => {
  it.each<[string, string, unknown]>([
    ['fixed', '31401.30', 31401.3],
    ['fixed', '-0.5', -0.5],
    ['fixed', '9007199254740991', 9007199254740991],
    ['fixed', '9007199254740993', '9007199254740993'],
    ['fixed', '0.1234567890123456789', '0.1234567890123456789'],
    ['fixed', 'NaN', 'NaN'],
    ['boolean', 'true', true],
    ['boolean', '0', false],
    ['variant', '{"a":[1]}', { a: [1] }],
    ['variant', '{"a":', '{"a":'],
    ['variant', '{"id":9007199254740993,"n":[1.50]}', { id: '9007199254740993', n: [1.5] }],
    ['variant', '12345678901234567890', '12345678901234567890'],
    ['variant', '0.1234567890123456789', '0.1234567890123456789'],
    ['variant', '{"__proto__":{"a":1e400}}', JSON.parse('{"__proto__":{"a":"1e400"}}')],
    ['real', '90071992547409911e-1', '90071992547409911e-1'],
    ['real', '1e-400', '1e-400'],
    ['date', '20392', '2025-10-31'],
    ['date', '-1', '1969-12-31'],
    ['timestamp_ltz', '1763964000.120000000', '2025-11-24T06:00:00.12Z'],
    ['timestamp_ntz', '1763964000.000000000', '2025-11-24T06:00:00'],
    ['timestamp_ntz', '-0.250000000', '1969-12-31T23:59:59.75'],
    ['timestamp_tz', '1763964000.000000000 1500', '2025-11-24T07:00:00+01:00'],
    ['timestamp_tz', '1763964000.000000000 1110', '2025-11-24T00:30:00-05:30'],
    ['time', '82919.500000000', '23:01:59.5'],
    ['time', '99999', '99999'],
    ['text', '12', '12'],
  ])('reads a cell of type %s, %s', (type, cell, expected) => {
    expect(compacted(RULES, answer([[cell]], [type]))?.value).toMatchObject({ rows: [[expected]] });
  });

  it('gives names of columns, rows and the number of all rows, and no handle if all rows are there', () => {
    expect(compacted(RULES, answer([['1', null]], ['fixed', 'text']))?.value).toEqual({
      columns: ['C0', 'C1'],
      rows: [[1, null]],
      row_count: 9,
    });
  });

  it('gives the values that a later call for further rows needs', () => {
    const value = compacted(RULES, answer([['1']], ['fixed'], { parts: [{}, {}] }))?.value;
    expect(value).toMatchObject({ handle: 'h1' });
  });

  it('cuts rows and columns as the caller requests', () => {
    const rows = answer(
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
      ['fixed', 'text'],
    );
    expect(compacted(RULES, rows, { maxRows: 1, fields: ['c1', 'x'] })).toEqual({
      value: { columns: ['C1'], rows: [['a']], row_count: 9 },
      unknownFields: ['x'],
      omittedRows: 1,
    });
  });

  it.each([
    ['without columns', { data: [['1']] }],
    ['whose rows have other cells than columns', answer([['1', '2']], ['fixed'])],
    ['whose rows are objects', answer([{ a: 1 }] as unknown as unknown[][], ['fixed'])],
  ])('have no compact form in an answer %s', (_, data) => {
    expect(compacted(RULES, data)).toBeUndefined();
  });
});
