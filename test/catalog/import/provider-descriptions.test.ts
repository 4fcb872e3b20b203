/**
 * How much of real providers becomes tools: for any input that an imported tool accepts, the request has to be one that
 * the provider's own description allows. Free objects are filled with anything, and counted as they are.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkInput } from '../../../src/catalog/call/input.ts';
import { buildRequest } from '../../../src/catalog/call/request.ts';
import type { Constraint, Group, ProviderRequest, Tool } from '../../../src/catalog/model/types.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { describeProvider, requestFaults } from '../../support/provider-description.ts';
import type { ImportResult } from '../../../src/catalog/import/import-openapi.ts';
import { imported, loaded, providerDocument } from './import-support.ts';
import { withoutAllOf } from './without-all-of.ts';

interface Schema {
  type: string;
  enum?: string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Seeded, so that a failure is the same on every machine. */
const SEED = 20_261_120;
const RUNS = 40;

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  date: fc.constantFrom('2026-12-01', '2028-02-29'),
  'date-time': fc.constantFrom('2026-12-01T15:00:00Z', '2026-12-01T15:00:00.123+09:00'),
  uri: fc.constantFrom('https://example.com/a?b=c'),
  email: fc.constantFrom('ada@example.com'),
};

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern, 'u'));
  if (schema.format !== undefined) return FORMATS[schema.format]!;
  switch (schema.type) {
    case 'string':
      return fc.string({
        minLength: schema.minLength ?? 0,
        maxLength: Math.min(schema.maxLength ?? 40, 300),
      });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -100, max: schema.maximum ?? 10_000 });
    case 'number':
      return fc.double({ min: schema.minimum ?? -100, max: schema.maximum ?? 10_000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(fitting(schema.items!), {
        minLength: schema.minItems ?? 0,
        maxLength: schema.maxItems ?? 4,
      });
    default:
      return schema.properties === undefined
        ? fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 2 }))
        : fc.record(members(schema.properties), { requiredKeys: schema.required ?? [] });
  }
}

function members(properties: Record<string, Schema>): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, fitting(schema)]));
}

/** Inputs that keep the rules: of groups to choose from one is given. */
function inputsOf({ inputSchema, constraints, parameters }: Tool): fc.Arbitrary<Record<string, unknown>> {
  const { properties, required } = inputSchema as { properties: Record<string, Schema>; required: string[] };
  const shape = members(properties);
  for (const [name, { encode }] of Object.entries(parameters))
    if (encode === 'json') shape[name] = fc.json({ maxDepth: 2 });
  const groups = constraints.flatMap(ruleGroups);
  return fc.constantFrom(...(groups.length === 0 ? [[]] : groups)).chain((chosen) => {
    const others = new Set(groups.flat().filter((key) => !chosen.includes(key)));
    const open = Object.entries(shape).filter(([key]) => !others.has(key));
    return fc.record(Object.fromEntries(open), { requiredKeys: [...required, ...chosen] });
  });
}

function ruleGroups(rule: Constraint): string[][] {
  if ('when' in rule || 'together' in rule) return [];
  return Object.values(rule).flatMap((groups: readonly Group[]) => groups.map((group) => [group].flat()));
}

/** The first request that the description refuses, with the reason; undefined: none of many. */
function refusedRequest(tool: Tool, description: ReturnType<typeof describeProvider>): string | undefined {
  let accepted = 0;
  for (const input of fc.sample(inputsOf(tool), { seed: SEED, numRuns: RUNS })) {
    const request = requestOf(tool, input);
    if (request === undefined) continue;
    accepted += 1;
    const faults = requestFaults(description, request);
    if (faults.length > 0) return `${JSON.stringify(input)}: ${faults.join('; ')}`;
  }
  return accepted > RUNS / 4 ? undefined : `only ${accepted} of ${RUNS} inputs are accepted`;
}

/** Undefined where the input is refused: a generated text may be no path segment. */
function requestOf(tool: Tool, input: Record<string, unknown>): ProviderRequest | undefined {
  try {
    return buildRequest(tool, checkInput(tool, input));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_ARGUMENT') return undefined;
    throw error;
  }
}

/** The share belongs into the output of the tests. */
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Outcome {
  result: ImportResult;
  /** By tool: a request that the description refuses. */
  refused: ReadonlyMap<string, string>;
}

function outcomeOf(name: 'crm' | 'video'): Outcome {
  const text = providerDocument(name);
  const document = JSON.parse(text) as Record<string, unknown>;
  const result = imported(text, { name: `${name}_imported` });
  const description = describeProvider(
    withoutAllOf(document, document) as Parameters<typeof describeProvider>[0],
  );
  const refused = loaded(result).tools.flatMap((tool) => {
    const reason = refusedRequest(tool, description);
    return reason === undefined ? [] : [[tool.name, reason] as const];
  });
  return { result, refused: new Map(refused) };
}

const outcomes = { crm: outcomeOf('crm'), video: outcomeOf('video') };

describe('OpenAPI import of two provider descriptions', () => {
  it('turns nine of ten operations into tools with valid requests', () => {
    const counts = Object.entries(outcomes).map(([name, { result, refused }]) => {
      const tools = result.operations.filter(({ tool }) => tool !== null).length;
      const all = result.operations.length;
      const good = tools - refused.size;
      print(`${name}: ${tools} of ${all} operations became tools; all requests of ${good} are valid`);
      return { name, all, tools, good };
    });
    expect(counts).toEqual([
      { name: 'crm', all: 41, tools: 41, good: 39 },
      { name: 'video', all: 36, tools: 36, good: 33 },
    ]);
    for (const { name, good, all } of counts) {
      print(`share of ${name}: ${((100 * good) / all).toFixed(1)} %`);
      expect(good / all).toBeGreaterThanOrEqual(0.9);
    }
  });

  it.each(['crm', 'video'] as const)('reports where a tool of %s can send something else', (name) => {
    const { result, refused } = outcomes[name];
    const told = result.operations.filter(({ tool, notes }) =>
      notes.some(({ message }) => tool !== null && message.endsWith('not checked.')),
    );
    expect([...refused].filter(([tool]) => !told.some((one) => one.tool === tool))).toEqual([]);
  });

  it('applies every part of an allOf, and no member that no part has', () => {
    const schema = {
      allOf: [
        { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } },
        { required: ['a'], properties: { a: { required: ['b'] } } },
      ],
    };
    const document = {
      paths: { '/x': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
      components: { schemas: {} },
    };
    const description = describeProvider(
      withoutAllOf(document, document) as Parameters<typeof describeProvider>[0],
    );
    const faultsOf = (body: unknown): string[] =>
      requestFaults(description, { method: 'POST', host: 0, path: '/x', query: [], headers: {}, body });
    expect(faultsOf({ a: { b: 'x' } })).toEqual([]);
    expect(faultsOf({})).toHaveLength(1);
    expect(faultsOf({ a: {} })).toHaveLength(1);
    expect(faultsOf({ a: { b: 'x', c: 1 } })).toHaveLength(1);
  });

  it('leaves out nothing, also where the answer is a text file', () => {
    const all = [...outcomes.crm.result.operations, ...outcomes.video.result.operations];
    expect(all.filter(({ tool }) => tool === null)).toEqual([]);
    const download = loaded(outcomes.video.result).tools.find(({ response }) => response.as === 'text');
    expect(download?.requests).toMatchObject([{ method: 'GET', path: '/v1/media/{resource_name}' }]);
  });
});
