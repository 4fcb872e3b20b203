/** The samples of README.md and docs/: settings, JSON, and requests of the REST API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, documentedPages } from '../support/documentation.ts';

const ROOT = join(import.meta.dirname, '../..');

const BLOCKS = documentedPages().flatMap(blocksOf);

const jsonOf = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

const place = ({ page, line }: { page: string; line: number }): string => `${page}:${line}`;

const written = (language: string) => BLOCKS.filter((block) => block.language === language);

interface Operation {
  requestBody?: { content: Record<string, { schema: object }> };
}

describe('documented samples of settings and requests', () => {
  it('show settings that the schema accepts', () => {
    const schema = jsonOf('gatehouse.schema.json') as { properties: object };
    const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const known = new Set(Object.keys(schema.properties));
    const settings = written('yaml')
      .map((block) => ({ at: place(block), value: parse(block.text, { uniqueKeys: false }) as unknown }))
      .filter(({ value }) => value instanceof Object && Object.keys(value).every((key) => known.has(key)));
    expect(settings.length).toBeGreaterThan(8);
    const refused = settings.flatMap(({ at, value }) =>
      accepts(value)
        ? []
        : [
            `${at}: ${accepts.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ')}`,
          ],
    );
    expect(refused).toEqual([]);
  });

  it('parse as JSON where they say so, one value or one on each line', () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const blocks = written('json');
    expect(blocks.length).toBeGreaterThan(8);
    const broken = blocks.filter(({ text }) => !isJson(text) && !text.trim().split('\n').every(isJson));
    expect(broken.map(place)).toEqual([]);
  });

  it('show requests that the API describes, with bodies that it accepts', () => {
    const api = jsonOf('test/surface/http/openapi.json') as {
      paths: Record<string, Record<string, Operation>>;
      components: object;
    };
    const requests = written('http').map((block) => {
      const [start = '', body = ''] = block.text.split('\n');
      const [method = '', path = ''] = start.split(' ');
      const [, { [method.toLowerCase()]: operation } = {}] =
        Object.entries(api.paths).find(([pattern]) =>
          new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
        ) ?? [];
      const schema = operation?.requestBody?.content['application/json']?.schema;
      const accepts = new Ajv2020({ strict: false, validateFormats: false });
      const isValid =
        schema !== undefined && accepts.validate({ ...schema, components: api.components }, JSON.parse(body));
      return [place(block), isValid ? 'valid' : accepts.errorsText()];
    });
    expect(requests.map(([, outcome]) => outcome)).toEqual(['valid', 'valid']);
  });
});
