import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';

type Schema = { [member: string]: unknown };

const described = JSON.parse(readFileSync(new URL('websearch-answers.json', import.meta.url), 'utf8')) as {
  answers: Record<string, Schema>;
  $defs: Record<string, Schema>;
};

/** Names of schemas that others extend by `allOf`: these stay open, the whole is closed. */
const extended = new Set(
  [...JSON.stringify(described).matchAll(/"allOf":\[\{"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name]) => name),
);

/** Closes every object with declared members, so that an invented member of an answer is found too. */
function closed(schema: unknown, isPart = false): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => closed(entry, isPart));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value, name === 'allOf')]),
  );
  const isDeclared = typeof copy.properties === 'object' || Array.isArray(copy.allOf);
  return isDeclared && !isPart && copy.additionalProperties === undefined
    ? { ...copy, unevaluatedProperties: false }
    : copy;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({
  $id: 'https://answers.example/',
  answers: closed(described.answers),
  $defs: Object.fromEntries(
    Object.entries(described.$defs).map(([name, schema]) => [name, closed(schema, extended.has(name))]),
  ),
});

function problemsOf(operation: string, answer: unknown): unknown {
  const validate = ajv.compile({ $ref: `https://answers.example/#/answers/${operation}` });
  return validate(answer) ? [] : validate.errors;
}

describe('answers of the sandbox', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
    await call('POST', '/websets/v0/websets', {
      search: { query: 'tide', count: 5, entity: { type: 'custom', description: 'pages' } },
      externalId: 'all',
      metadata: { purpose: 'test' },
    });
  });

  afterAll(async () => {
    await sandbox.close();
  });

  async function call(method: string, path: string, body?: unknown, key = sandbox.apiKey): Promise<unknown> {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  }

  const everything = {
    text: true,
    highlights: { highlightsPerUrl: 2, query: 'tide' },
    summary: { query: 'tide' },
  };
  const entities = ['company', 'person', 'article', 'research_paper'].map((type) => ({
    search: { query: 'tide', count: 3, entity: { type }, criteria: [{ description: 'about the sea' }] },
  }));

  it.each([
    ['search', 'POST', '/search', { query: 'tide' }],
    [
      'search',
      'POST',
      '/search',
      { query: 'tide', type: 'deep', contents: everything, outputSchema: { type: 'text' } },
    ],
    ['search', 'POST', '/search', { query: 'x', outputSchema: { type: 'object', properties: { a: {} } } }],
    [
      'findSimilar',
      'POST',
      '/findSimilar',
      { url: 'https://marrowlight.example/about', contents: everything },
    ],
    [
      'getContents',
      'POST',
      '/contents',
      { urls: ['https://marrowlight.example/about', 'x:y'], ...everything },
    ],
    ['answer', 'POST', '/answer', { query: 'tide', text: true }],
    [
      'answer',
      'POST',
      '/answer',
      { query: 'xylophone', outputSchema: { type: 'object', properties: { a: {} } } },
    ],
    ...entities.map((body) => ['websets-create', 'POST', '/websets/v0/websets', body] as const),
    ['websets-create', 'POST', '/websets/v0/websets', {}],
    ['websets-get', 'GET', '/websets/v0/websets/all?expand=items', undefined],
    ['websets-get', 'GET', '/websets/v0/websets/all?expand=items', undefined],
    ['websets-items-list', 'GET', '/websets/v0/websets/all/items?limit=2', undefined],
    ['websets-list', 'GET', '/websets/v0/websets?limit=2', undefined],
    ['websets-delete', 'DELETE', '/websets/v0/websets/all', undefined],
    ['error', 'DELETE', '/websets/v0/websets/all', undefined],
    ['error', 'POST', '/search', {}],
  ] as const)('are as described: %s by %s %s', async (operation, method, path, body) => {
    expect(problemsOf(operation, await call(method, path, body))).toEqual([]);
  });

  it.each(entities)('hold items as described: %j', async (body) => {
    const { id } = (await call('POST', '/websets/v0/websets', body)) as { id: string };
    await call('GET', `/websets/v0/websets/${id}`);
    const items = (await call('GET', `/websets/v0/websets/${id}/items`)) as { data: unknown[] };
    expect(items.data.length).toBeGreaterThan(1);
    expect(problemsOf('websets-items-list', items)).toEqual([]);
  });

  it('are as described: error for a wrong key', async () => {
    expect(problemsOf('error', await call('POST', '/search', { query: 'tide' }, 'wrong'))).toEqual([]);
  });

  it('would be found out with a member of their own, at any depth', () => {
    const result = { id: 'a', url: 'https://a.example/', title: 'a' };
    expect(problemsOf('search', { results: [result] })).toEqual([]);
    expect(problemsOf('search', { results: [{ ...result, invented: 1 }] })).not.toEqual([]);
    expect(problemsOf('search', { results: [{ ...result, url: 'no url' }] })).not.toEqual([]);
    expect(problemsOf('search', { results: [], invented: 1 })).not.toEqual([]);
  });
});
