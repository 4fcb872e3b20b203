import { describe, expect, it } from 'vitest';
import {
  inputOf,
  parametersOf,
  switched,
  type Entered,
} from '../../src/dashboard/pages/tools/entered-input.ts';
import { withChangedRows, withoutEmptyRows } from '../../src/dashboard/pages/tools/entered-rows.ts';
import type { Tool } from '../../src/catalog/model/types.ts';

const tool: Pick<Tool, 'inputSchema'> = {
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string' },
      limit: { type: 'integer' },
      deep: { type: 'boolean' },
      order: { type: 'string', enum: ['asc', 'desc'] },
      hosts: { type: 'array', items: { type: 'string' } },
      kinds: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      filter: { type: 'object' },
      sorts: {
        type: 'array',
        items: {
          type: 'object',
          properties: { by: { type: 'string' }, down: { type: 'boolean' }, place: { type: 'integer' } },
        },
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
};

const form = (texts: Record<string, string>): Entered => ({ as: 'form', texts, json: '' });
const json = (text: string): Entered => ({ as: 'json', texts: {}, json: text });

describe('dashboard: input of a tool made from the fields of its form', () => {
  it.each([
    [{ query: ' a\r\nb ' }, { query: ' a\nb ' }],
    [
      { query: '', limit: ' 12 ', deep: 'false' },
      { limit: 12, deep: false },
    ],
    [{ limit: '1.5e3' }, { limit: 1500 }],
    [{ limit: 'twelve' }, { limit: 'twelve' }],
    [{ order: 'desc' }, { order: 'desc' }],
    [
      { hosts: 'one.example\r\n\r\n two.example', kinds: 'a\nb' },
      { hosts: ['one.example', 'two.example'], kinds: ['a', 'b'] },
    ],
    [{ filter: '{"a": [1]}' }, { filter: { a: [1] } }],
    [
      { sorts: '3', 'sorts[0].by': 'name', 'sorts[0].down': 'true', 'sorts[2].place': '2' },
      { sorts: [{ by: 'name', down: true }, { place: 2 }] },
    ],
    [{ sorts: '1', 'sorts[1].by': 'not a row' }, {}],
  ])('leaves empty fields out and keeps the kinds of the others: %j', (texts, input) => {
    expect(inputOf(tool, form(texts))).toEqual({ input, violations: [] });
  });

  it('names the field whose JSON cannot be read', () => {
    const { violations } = inputOf(tool, form({ filter: '{a}', query: 'x' }));
    expect(violations).toEqual([
      { field: 'filter', description: 'This is not valid JSON.', constraint: 'json' },
    ]);
  });

  it.each([
    ['[1]', 'The input must be a JSON object.'],
    ['null', 'The input must be a JSON object.'],
    ['{', 'This is not valid JSON.'],
  ])('refuses JSON that is no object: %s', (text, description) => {
    expect(inputOf(tool, json(text)).violations).toEqual([
      { field: 'json', description, constraint: 'json' },
    ]);
  });
});

describe('dashboard: input of a tool entered as JSON instead of in a form', () => {
  const input = {
    query: 'a\nb',
    limit: 3,
    deep: true,
    hosts: ['x.example', 'y.example'],
    filter: { domains: { $ends_with: '.example' } },
    sorts: [{ by: 'a', down: false }, { place: 1 }],
  };

  it('keeps everything that was entered, there and back', () => {
    const asForm = switched(tool, json(JSON.stringify(input)), 'form');
    expect(asForm.entered.texts).toEqual({
      query: 'a\nb',
      limit: '3',
      deep: 'true',
      hosts: 'x.example\ny.example',
      filter: JSON.stringify(input.filter, null, 2),
      sorts: '2',
      'sorts[0].by': 'a',
      'sorts[0].down': 'false',
      'sorts[1].place': '1',
    });
    const back = switched(tool, asForm.entered, 'json').entered;
    expect([back.as, JSON.parse(back.json)]).toEqual(['json', input]);
  });

  it.each([
    ['{"limits": 3}', 'limits'],
    ['{"sorts": [{"by": "a"}, {"way": "up"}]}', 'sorts[1].way'],
    ['{"sorts": ["a"]}', 'sorts[0]'],
    ['{"sorts": {"by": "a"}}', 'sorts'],
  ])('stays with JSON where the form has no field for a member: %s', (text, name) => {
    const { entered, violations } = switched(tool, json(text), 'form');
    expect(entered.as).toBe('json');
    expect(violations.map(({ description }) => description)).toEqual([
      `The form has no field ${name}. Take it out, or stay with JSON.`,
    ]);
  });

  it('shows values of another kind than the field as they were', () => {
    const { entered } = switched(tool, json('{"limit": "many", "hosts": [1], "query": {"a": 1}}'), 'form');
    expect(entered.texts).toEqual({ limit: 'many', hosts: '[1]', query: '{"a":1}' });
  });
});

describe('dashboard: rows of a list of objects in the form of a tool', () => {
  const rows = { query: 'x', sorts: '3', 'sorts[0].by': 'a', 'sorts[2].by': 'c', 'sorts[2].place': '3' };

  it.each([
    ['add:sorts', { ...rows, sorts: '4' }, 'sorts[3].by'],
    ['remove:sorts:0', { query: 'x', sorts: '2', 'sorts[1].by': 'c', 'sorts[1].place': '3' }, 'add:sorts'],
    ['remove:sorts:1', { ...rows, sorts: '2', 'sorts[1].by': 'c', 'sorts[1].place': '3' }, 'add:sorts'],
  ])('keep the entered text in the others when %s is pressed', (pressed, texts, focus) => {
    const changed = withChangedRows(parametersOf(tool), rows, pressed);
    const kept = Object.entries(texts).filter(
      ([name]) => !name.startsWith('sorts[2]') || pressed === 'add:sorts',
    );
    expect(changed).toEqual({ texts: Object.fromEntries(kept), focus });
  });

  it.each(['run', 'add:query', 'add:other', 'remove:sorts:3', 'remove:sorts:-1'])(
    'stay as they are when %s is pressed',
    (pressed) => {
      expect(withChangedRows(parametersOf(tool), rows, pressed)).toBeUndefined();
    },
  );

  it('lose the empty ones before a call, so that problems name the row that is shown', () => {
    expect(withoutEmptyRows(parametersOf(tool), rows)).toEqual({
      query: 'x',
      sorts: '2',
      'sorts[0].by': 'a',
      'sorts[1].by': 'c',
      'sorts[1].place': '3',
    });
  });

  it('stop at a hundred of them', () => {
    const { texts } = withChangedRows(parametersOf(tool), { sorts: '999999' }, 'add:sorts') ?? {};
    expect(texts?.['sorts']).toBe('100');
  });
});
