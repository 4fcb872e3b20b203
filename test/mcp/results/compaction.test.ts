/** The compact form of an answer by the rules of its tool. */
import { assert, dictionary, jsonValue, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compacted, type CompactOptions } from '../../../src/mcp/results/compaction.ts';
import type { ResultRules } from '../../../src/catalog/model/types.ts';

const form = (rules: ResultRules, data: unknown, options?: CompactOptions): unknown =>
  compacted(rules, data, options)?.value;

const PEOPLE: ResultRules = {
  list: 'data',
  ids: { person_id: 'person_id' },
  keep: { name: 'name', town: 'home.town', mails: 'mails.address' },
  drop: ['id.workspace_id', 'etag'],
  lift: ['id'],
  flags: ['is_archived'],
};

const ADA = {
  id: { workspace_id: 'w1', person_id: 'p1' },
  etag: 'x',
  name: 'Ada',
  home: { town: 'London', etag: 'y' },
  mails: [{ address: 'ada@example.test' }, { address: 'a@example.test' }],
  age: 36,
};

const VALUES: ResultRules = {
  record: 'data',
  lift: ['values'],
  unwrap: { by: 'kind', take: { text: 'value', money: ['amount', 'currency'], status: 'status.title' } },
};

describe('compact form of a list', () => {
  it('keeps ids and picked members, and the members next to the list', () => {
    expect(form(PEOPLE, { data: [ADA], etag: 'z', next: 'n1', note: null })).toEqual({
      data: [{ person_id: 'p1', name: 'Ada', town: 'London', mails: ['ada@example.test', 'a@example.test'] }],
      next: 'n1',
    });
  });

  it('keeps an empty list', () => {
    expect(form(PEOPLE, { data: [] })).toEqual({ data: [] });
  });

  it.each<[string, Partial<ResultRules>, unknown]>([
    ['values', { keep: { name: 'name' }, ids: {}, as: 'values' }, ['Ada']],
    ['map', { keep: { name: 'name', age: 'age' }, ids: {}, as: 'map', key: 'name' }, { Ada: 36 }],
    [
      'table',
      { keep: { name: 'name', gone: 'gone' }, as: 'table' },
      { columns: ['person_id', 'name'], rows: [['p1', 'Ada']] },
    ],
  ])('gives the records together as %s', (_, rules, expected) => {
    expect(form({ ...PEOPLE, ...rules }, { data: [ADA] })).toEqual({ data: expected });
  });

  it('keeps the values that the call has given of a changed record, and no others', () => {
    const rules: ResultRules = { ...VALUES, ids: { id: 'id' }, keep: { url: 'url' }, keep_given: 'values' };
    const value = (text: string) => [{ kind: 'text', value: text }];
    const changed = { data: { id: 'r1', url: 'https://a.test', values: { a: value('x'), b: value('y') } } };
    expect(form(rules, changed, { input: { values: { a: 'x', gone: '' } } })).toEqual({
      id: 'r1',
      url: 'https://a.test',
      a: 'x',
    });
    expect(form(rules, changed, { input: { values: 'x' } })).toEqual({ id: 'r1', url: 'https://a.test' });
  });

  it('keeps the fields that the caller names instead of the picked ones, and the ids', () => {
    const result = compacted(PEOPLE, { data: [ADA] }, { fields: ['age', 'town', 'home.town', 'nothing'] });
    expect(result).toEqual({
      value: { data: [{ person_id: 'p1', age: 36, town: 'London', 'home.town': 'London' }] },
      unknownFields: ['nothing'],
      omittedRows: 0,
    });
  });

  it('leaves flags out unless they are true', () => {
    const { keep: _, ...rules } = PEOPLE;
    const records = [
      { id: { person_id: 'p1' }, is_archived: false },
      { id: { person_id: 'p2' }, is_archived: true },
    ];
    expect(form(rules, { data: records })).toEqual({
      data: [{ person_id: 'p1' }, { person_id: 'p2', is_archived: true }],
    });
  });

  it.each<[string, unknown]>([
    ['an error', { message: 'no' }],
    ['one record instead of a list', { data: ADA }],
    ['a record without its id', { data: [ADA, { name: 'Eve' }] }],
    ['a record that is no object', { data: [ADA, 'Eve'] }],
    ['a list at the root', [ADA]],
  ])('does not exist for %s', (_, data) => {
    expect(compacted(PEOPLE, data)).toBeUndefined();
  });

  it("continues a long text at the caller's offset, never inside a character", () => {
    const rules: ResultRules = { list: 'data', keep: { text: 'text' }, text: 'text' };
    expect(form(rules, { data: [{ text: 'a😀bc' }] }, { offset: 2 })).toEqual({ data: [{ text: '😀bc' }] });
  });

  it('has every id of every record, or does not exist, for any answer', () => {
    const record = dictionary(string(), jsonValue());
    assert(
      property(record, jsonValue(), (members, id) => {
        const data = { data: [{ ...members, id: { person_id: id } }] };
        const value = form(PEOPLE, data) as { data: { person_id: unknown }[] } | undefined;
        if (value !== undefined) expect(JSON.stringify(value.data[0]?.person_id)).toBe(JSON.stringify(id));
      }),
    );
  });
});

describe('compact form of a record', () => {
  it('unwraps value objects by their kind, one alone and several as a list, and lifts them', () => {
    const values = {
      name: [{ kind: 'text', value: 'Big', since: '2026' }],
      tags: [
        { kind: 'text', value: 'a' },
        { kind: 'text', value: 'b' },
      ],
      worth: [{ kind: 'money', amount: 5, currency: 'EUR', since: '2026' }],
      stage: [{ kind: 'status', status: { title: 'Lead', id: 's1' } }],
      other: [{ kind: 'new', what: 1 }],
      nothing: [],
    };
    expect(form(VALUES, { data: { id: 'd1', values } })).toEqual({
      id: 'd1',
      name: 'Big',
      tags: ['a', 'b'],
      worth: { amount: 5, currency: 'EUR' },
      stage: 'Lead',
      other: [{ kind: 'new', what: 1 }],
    });
  });

  it('leaves a lifted member where it was if its name is taken', () => {
    expect(form({ lift: ['values'] }, { id: 'd1', values: { id: 'x', name: 'Big' } })).toEqual({
      id: 'd1',
      name: 'Big',
      values: { id: 'x' },
    });
  });

  it('leaves an empty answer as it is', () => {
    expect([form(VALUES, null), form(VALUES, {})]).toEqual([null, {}]);
  });
});
