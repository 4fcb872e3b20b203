/** What clients see of every shipped tool: one snapshot file per tool, the parameters of spec-tools.json, and portability. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toolProblems } from '../../src/catalog/load/lint.ts';
import type { JsonObject } from '../../src/catalog/model/types.ts';
import { toolValidator } from '../../src/catalog/call/value-schema.ts';
import { handlers } from '../../src/connectors/index.ts';
import { publish } from '../../src/mcp/published-tools.ts';
import { selectTools } from '../../src/mcp/selection.ts';
import { shippedCatalog, shippedTool } from './tool-request.ts';

const SCHEMAS = new URL('schemas/', import.meta.url);
const SPEC_TOOLS = new URL('spec-tools.json', import.meta.url);
const UPDATE = process.env.UPDATE_SNAPSHOTS === '1';

interface SpecTool {
  name: string;
  params: { name: string; type: string; required: boolean }[];
}

const names = [...shippedCatalog.tools.keys()];
const specTools = JSON.parse(readFileSync(SPEC_TOOLS, 'utf8')) as SpecTool[];

/** Writes a snapshot that is new or different, as prettier keeps it. */
async function writeSnapshot(file: URL, seen: JsonObject): Promise<void> {
  const isKept =
    existsSync(file) && JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))) === JSON.stringify(seen);
  if (isKept) return;
  const { format, resolveConfig } = await import('prettier');
  const filepath = fileURLToPath(file);
  const text = JSON.stringify(seen, null, 2);
  writeFileSync(file, await format(text, { ...(await resolveConfig(filepath)), filepath }));
}

/**
 * Parameters in addition to those of spec-tools.json: Attio needs to know which records a new list is for, and nothing else
 * tells. The members of the filter of meetings are parameters too, tasks are listed by their member, and comments by
 * their moderation.
 */
const EXTRA: Readonly<Record<string, string[]>> = {
  video_comment_threads_list: ['moderation_status'],
  crm_create_list: ['parent_object'],
  crm_list_tasks: ['assignee', 'sort'],
  crm_list_meetings: [
    'participants',
    'linked_object',
    'linked_record_id',
    'ends_from',
    'starts_before',
    'timezone',
    'sort',
  ],
};

async function expectSnapshot(name: string): Promise<void> {
  const file = new URL(`${name}.json`, SCHEMAS);
  const seen = publish(shippedTool(name)) as JsonObject;
  if (UPDATE) await writeSnapshot(file, seen);
  expect(existsSync(file), `${name}.json is missing: UPDATE_SNAPSHOTS=1 npx vitest run test/tools`).toBe(
    true,
  );
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
  expect(seen).toEqual(kept);
  expect(JSON.stringify(seen), 'the order of members').toBe(JSON.stringify(kept));
}

/** A tool has the parameters of spec-tools.json and requires the same. */
function expectParameters({ name, params }: SpecTool): void {
  const { properties, required } = shippedTool(name).inputSchema as {
    properties: Record<string, { type: string; items?: { type: string } }>;
    required: string[];
  };
  const types = new Map(params.map((param) => [param.name, param.type]));
  const added = EXTRA[name] ?? [];
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(added));
  const actual = Object.entries(properties)
    .filter(([param]) => !added.includes(param))
    .map(([param, { type, items }]) => ({
      name: param,
      // spec-tools.json leaves the items of some lists open.
      type: items === undefined || types.get(param) === 'array' ? type : `${type}<${items.type}>`,
      required: required.includes(param),
    }));
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  expect(actual.sort(byName)).toEqual([...params].sort(byName));
}

describe('published tools', () => {
  it.each(names)(
    '%s keeps its snapshot (UPDATE_SNAPSHOTS=1 writes it), the rules of clients, its schema and its parameters',
    async (name) => {
      const tool = shippedTool(name);
      await expectSnapshot(name);
      expect(toolProblems(tool), 'what some client cannot use').toEqual([]);
      expect(fromZod(toolValidator(tool).schema), 'the schema that validates').toEqual(tool.inputSchema);
      // A tool beyond spec-tools.json shows in `schemas/`, where each shipped tool has its file.
      const spec = specTools.find((described) => described.name === name);
      if (spec !== undefined) expectParameters(spec);
    },
  );

  it('have no snapshot of a tool that is gone', () => {
    const stale = readdirSync(SCHEMAS).filter((file) => !names.includes(file.replace(/\.json$/, '')));
    if (UPDATE) for (const file of stale) rmSync(new URL(file, SCHEMAS));
    else expect(stale).toEqual([]);
  });

  it('stand in the order of connector and name', () => {
    const keys = [...shippedCatalog.tools.values()].map((tool) => `${tool.connector} ${tool.name}`);
    expect(keys).toEqual([...keys].sort());
  });

  it('have no doubled punctuation in their texts', () => {
    const texts = [...shippedCatalog.tools.values()].map(
      ({ name, description }) => `${name}: ${description}`,
    );
    expect(texts.filter((text) => /[,;:.] ?[,;]|,,/.test(text))).toEqual([]);
  });

  it('include every tool of spec-tools.json', () => {
    expect(specTools.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('selection of no tools', () => {
  it('publishes the tools of spec-tools.json, whatever else the catalog has', () => {
    const { tools } = selectTools([...shippedCatalog.tools.values()], { readOnly: false, discovery: 'off' });
    expect(tools.map(({ name }) => name).toSorted()).toEqual(specTools.map(({ name }) => name).toSorted());
  });
});

describe('tool handlers', () => {
  it('belong to a tool each, and every tool finds the handler it names', () => {
    const used = [...shippedCatalog.tools.values()].flatMap(({ handler }) =>
      handler === undefined ? [] : [handler],
    );
    expect(used.toSorted()).toEqual([...handlers.keys()].toSorted());
  });

  it.each([...handlers])('judge what is left where everything else is wrong: %s', (_, handler) => {
    expect(() => handler.check?.({})).not.toThrow();
  });
});

describe('rate limits of shipped tools', () => {
  it('allow 60 calls a minute together for five search tools of spec-tools.json and set none for its others', () => {
    const ofSpec = new Set(specTools.map(({ name }) => name));
    const limits = [...shippedCatalog.tools.values()].flatMap(({ name, limit }) =>
      limit === undefined || !ofSpec.has(name) ? [] : [[name, limit]],
    );
    const shared = { group: 'websearch', perMinute: 60 };
    expect(limits).toEqual([
      ['websearch_answer', shared],
      ['websearch_crawl', shared],
      ['websearch_find_similar', shared],
      ['websearch_research', shared],
      ['websearch_search', shared],
    ]);
  });
});

describe('connector websearch', () => {
  it('sends an API key in x-api-key and needs nothing from the operator', () => {
    const { result: _, ...described } = shippedCatalog.connectors.get('websearch')!;
    expect(described).toEqual({
      name: 'websearch',
      title: 'Exa web search',
      description:
        'Searches the web, reads pages, answers questions with sources, and collects lists of matching pages.',
      hosts: [{ url: 'https://api.exa.ai', placeholders: {} }],
      auth: [
        {
          type: 'API_KEY',
          fields: [
            {
              name: 'api_key',
              label: 'Exa API key',
              input: 'password',
              hint: 'Make one at https://dashboard.exa.ai/api-keys and paste it here.',
              required: true,
            },
          ],
          attach: { in: 'header', name: 'x-api-key', field: 'api_key', prefix: '' },
          check: { path: '/websets/v0/websets', host: 0, query: { limit: '1' }, headers: {}, refused: [401] },
        },
      ],
      errors: {
        message: ['error', 'message'],
        code: ['tag'],
        reconnect: [401],
        conflicts: [],
        advice: expect.any(Array) as unknown,
      },
      limits: { websearch: 60 },
      prompts: expect.any(Array) as unknown,
      search_words: expect.any(Object) as unknown,
      needsNoOperator: true,
    });
  });
});

/** zod's own rendering without the three things it adds: `$schema`, the bounds of safe integers, an empty list of members. */
function fromZod(schema: z.core.$ZodType): JsonObject {
  const { $schema: _, ...root } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      const isFree = JSON.stringify(jsonSchema.additionalProperties) === '{}';
      if (isFree) Object.assign(jsonSchema, { additionalProperties: true });
      if (isFree && Object.keys(jsonSchema.properties ?? {}).length === 0) delete jsonSchema.properties;
    },
  });
  return { ...root, required: root.required ?? [] };
}
