/** What lists show of an input schema: all that a model needs, and nothing that it does not. */
import { describe, expect, it } from 'vitest';
import { listedSchema } from '../../../src/catalog/model/listed-schema.ts';
import type { Tool } from '../../../src/catalog/model/types.ts';
import { loadCatalog } from '../../../src/catalog/load/load.ts';

const FILES = {
  'shop/connector.yaml': `
name: shop
title: Shop
description: Sells things.
hosts: [{ url: https://shop.example.test }]
auth: [{ type: NO_AUTH }]
`,
  'shop/orders.yaml': `
connector: shop
tools:
  - name: shop_list_orders
    title: List orders
    description: Lists the orders of the shop.
    effect: read
    source: { url: https://docs.example.test, checked: '2026-11-20' }
    parameters:
      states: { type: string, to: query.states, comma_separated: true, pattern: '^[a-z,]+$', description: States. }
      code: { type: string, to: query.code, pattern: '^[A-Z]{3}$', description: Code. }
      limit: { type: integer, to: query.limit, minimum: 1, description: Page size. }
      offset: { type: integer, to: query.offset, minimum: 0, description: Orders to skip. }
      column: { type: integer, to: query.column, minimum: 0, description: Column. }
      most: { type: integer, to: query.most, minimum: 1, maximum: 50, description: Lines. }
      age: { type: integer, to: query.age, minimum: 0, maximum: 2147483647, description: Age in days. }
    paging: { list: orders, size: limit, offset: { parameter: offset } }
    request: { method: GET, path: /orders }
  - name: shop_create_order
    title: Create an order
    description: Creates an order in the shop.
    effect: create
    source: { url: https://docs.example.test, checked: '2026-11-20' }
    parameters:
      lines:
        type: array
        required: true
        items: { type: object, properties: { sku: { type: string, required: true }, note: { type: string } } }
        to: body.lines
        description: What is ordered.
      extra: { type: object, to: body.extra, description: Anything. }
    request: { method: POST, path: /orders }
  - name: shop_get_state
    title: Get the state
    description: Returns the state of the shop.
    effect: read
    source: { url: https://docs.example.test, checked: '2026-11-20' }
    parameters: {}
    request: { method: GET, path: /state }
`,
};

const { tools } = loadCatalog({
  files: Object.entries(FILES).map(([file, text]) => ({ file, text })),
  unreadable: [],
});
const tool = (name: string): Tool => tools.get(name)!;

describe('listed input schema', () => {
  it('leaves out lowest and largest numbers and patterns that say nothing, and keeps the others', () => {
    expect(listedSchema(tool('shop_list_orders'))).toEqual({
      type: 'object',
      properties: {
        states: { type: 'string', description: 'States.' },
        code: { type: 'string', description: 'Code.', pattern: '^[A-Z]{3}$' },
        limit: { type: 'integer', description: 'Page size.' },
        offset: { type: 'integer', description: 'Orders to skip.' },
        column: { type: 'integer', description: 'Column.', minimum: 0 },
        most: { type: 'integer', description: 'Lines.', minimum: 1, maximum: 50 },
        age: { type: 'integer', description: 'Age in days.', minimum: 0 },
      },
    });
  });

  it('leaves out whether objects are closed, at every depth', () => {
    expect(listedSchema(tool('shop_create_order'))).toEqual({
      type: 'object',
      properties: {
        lines: {
          type: 'array',
          description: 'What is ordered.',
          items: {
            type: 'object',
            properties: { sku: { type: 'string' }, note: { type: 'string' } },
            required: ['sku'],
          },
        },
        extra: { type: 'object', description: 'Anything.' },
      },
      required: ['lines'],
    });
  });

  it('closes the schema of a tool without parameters', () => {
    expect(listedSchema(tool('shop_get_state'))).toEqual({
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: false,
    });
  });

  it('changes nothing of the schema that calls are checked by', () => {
    listedSchema(tool('shop_create_order'));
    expect(tool('shop_create_order').inputSchema).toMatchObject({
      properties: {
        lines: { items: { additionalProperties: false } },
        extra: { additionalProperties: true },
      },
      additionalProperties: false,
    });
  });
});
