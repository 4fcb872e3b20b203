/** catalogs/schema.json, as an editor uses it: it accepts the shipped files and refuses what the loader refuses. */
import { fileURLToPath } from 'node:url';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { catalogFileJsonSchema } from '../../../src/catalog/grammar/file-json-schema.ts';
import { BOOKS_CONNECTOR, toolsetFile } from '../files.ts';

const SHIPPED = fileURLToPath(new URL('../../../catalogs', import.meta.url));

const validate = new Ajv2020({ strict: false }).compile(catalogFileJsonSchema());

describe('the JSON Schema of catalog files', () => {
  it.each(
    readdirSync(SHIPPED, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml')),
  )('accepts the shipped file %s', (file) => {
    validate(parse(readFileSync(join(SHIPPED, file), 'utf8')));
    expect(validate.errors).toBeNull();
  });

  it.each([
    ['an unknown key', `${BOOKS_CONNECTOR}colour: red\n`],
    ['a connector without hosts', BOOKS_CONNECTOR.replace('hosts:', 'host:')],
    [
      'an unknown effect',
      toolsetFile('request:\n  method: GET\n  path: /a').replace('effect: read', 'effect: reed'),
    ],
    [
      'a parameter without type',
      toolsetFile('parameters:\n  a:\n    description: A value.\nrequest:\n  method: GET\n  path: /a'),
    ],
    [
      'an unknown key deep in items',
      toolsetFile(
        'parameters:\n  a:\n    type: array\n    to: none\n    description: A value.\n    items:\n      type: array\n      items:\n        type: string\n        colour: red\nrequest:\n  method: GET\n  path: /a',
      ),
    ],
  ])('refuses a file with %s', (_, text) => {
    expect(validate(parse(text))).toBe(false);
  });

  it('accepts items of a list nested in lists', () => {
    const text = toolsetFile(
      'parameters:\n  a:\n    type: array\n    to: none\n    description: A value.\n    items:\n      type: object\n      properties:\n        b:\n          type: string\n          required: true\nrequest:\n  method: GET\n  path: /a',
    );
    validate(parse(text));
    expect(validate.errors).toBeNull();
  });
});
