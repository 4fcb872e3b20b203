import { describe, expect, it } from 'vitest';
import { inputOf, switched, type Entered } from '../../src/dashboard/pages/tools/entered-input.ts';
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
  };

  it('keeps everything that was entered, there and back', () => {
    const asForm = switched(tool, json(JSON.stringify(input)), 'form');
    expect(asForm.entered.texts).toEqual({
      query: 'a\nb',
      limit: '3',
      deep: 'true',
      hosts: 'x.example\ny.example',
      filter: JSON.stringify(input.filter, null, 2),
    });
    const back = switched(tool, asForm.entered, 'json').entered;
    expect([back.as, JSON.parse(back.json)]).toEqual(['json', input]);
  });

  it('stays with JSON where the form has no field for a member', () => {
    const { entered, violations } = switched(tool, json('{"limits": 3}'), 'form');
    expect(entered.as).toBe('json');
    expect(violations.map(({ description }) => description)).toEqual([
      'The form has no field limits. Take it out, or stay with JSON.',
    ]);
  });

  it('shows values of another kind than the field as they were', () => {
    const { entered } = switched(tool, json('{"limit": "many", "hosts": [1], "query": {"a": 1}}'), 'form');
    expect(entered.texts).toEqual({ limit: 'many', hosts: '[1]', query: '{"a":1}' });
  });
});
