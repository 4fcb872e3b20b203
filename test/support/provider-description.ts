/**
 * Holds a provider request against the provider's own OpenAPI description (test/provider-descriptions).
 *
 * Stricter than the description: a body member or query parameter that it does not know fails, because a
 * misplaced option (`text` beside `contents`) is the mistake these tests are for.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { ProviderRequest } from '../../src/catalog/model/types.ts';

type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Json;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: { 'application/json': { schema: Json } } };
}

/** A description ready to validate against. */
export interface ProviderDescription {
  paths: Record<string, Record<string, Operation>>;
  validator: (schema: Json) => ValidateFunction;
}

/** The parts of an OpenAPI document that requests are held against. */
type ProviderDocument = Json & {
  paths: ProviderDescription['paths'];
  components: { schemas: Record<string, Json> };
};

/** @param name of a file in test/provider-descriptions, without ending */
export function readProviderDescription(name: string): ProviderDescription {
  const file = new URL(`../provider-descriptions/${name}.json`, import.meta.url);
  return describeProvider(JSON.parse(readFileSync(file, 'utf8')) as ProviderDocument);
}

/** @param document an OpenAPI document as parsed */
export function describeProvider(document: ProviderDocument): ProviderDescription {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([key, schema]) => [key, closeInside(schema)]),
  );
  ajv.addSchema({ components: { schemas } }, 'provider');
  const known = new Map<Json, ValidateFunction>();
  const validator = (schema: Json): ValidateFunction => {
    const validate = known.get(schema) ?? ajv.compile(absolute(closed(schema)) as Json);
    known.set(schema, validate);
    return validate;
  };
  return { paths: document.paths, validator };
}

/** Fails unless method, path, query and body are all as the description has them. */
export function expectRequestMatches(description: ProviderDescription, request: ProviderRequest): void {
  expect(requestFaults(description, request)).toEqual([]);
}

/** What the description says is wrong with a request; empty when nothing is. */
export function requestFaults(description: ProviderDescription, request: ProviderRequest): string[] {
  const found = findOperation(description, request);
  if (found === undefined) return [`no operation ${request.method} ${request.path}`];
  const { operation, segments } = found;
  const parameters = operation.parameters ?? [];
  const faults: string[] = [];
  const check = (place: string, schema: Json, value: unknown): void => {
    const validate = description.validator(schema);
    if (!validate(value))
      faults.push(
        ...(validate.errors ?? []).map(
          (e) => `${place}${e.instancePath}: ${e.message} ${JSON.stringify(e.params)}`,
        ),
      );
  };
  for (const { name, in: place, required, schema } of parameters) {
    const values =
      place === 'path'
        ? segments.get(name)
        : request.query.filter(([key]) => key === name).map(([, v]) => v)[0];
    if (values === undefined) {
      if (required === true) faults.push(`${place}.${name} is missing`);
    } else check(`${place}.${name}`, schema, typed(schema, values));
  }
  for (const [key] of request.query)
    if (!parameters.some(({ name, in: place }) => place === 'query' && name === key))
      faults.push(`query.${key} is unknown`);
  const schema = operation.requestBody?.content['application/json'].schema;
  if (schema !== undefined) check('body', schema, request.body);
  else if (request.body !== undefined) faults.push('body: the operation takes none');
  return faults;
}

function findOperation(description: ProviderDescription, request: ProviderRequest) {
  const given = request.path.split('/');
  for (const [path, operations] of Object.entries(description.paths)) {
    const [prefix = '', rest] = path.split(/(\{\+.+\})$/);
    const operation = operations[request.method.toLowerCase()];
    if (operation !== undefined && rest !== undefined && request.path.startsWith(prefix))
      return { operation, segments: new Map([[rest.slice(2, -1), request.path.slice(prefix.length)]]) };
    const wanted = path.split('/');
    if (operation === undefined || wanted.length !== given.length) continue;
    const segments = new Map<string, string>();
    const matches = wanted.every((part, i) => {
      // A slot may have an action of the provider after it: `{name}:query`.
      const [, slot, action = ''] = /^\{(.+)\}(:\w+)?$/.exec(part) ?? [];
      if (slot === undefined) return part === given[i];
      if (!given[i]!.endsWith(action)) return false;
      const value = given[i]!.slice(0, given[i]!.length - action.length);
      segments.set(slot, decodeURIComponent(value));
      return value !== '';
    });
    if (matches) return { operation, segments };
  }
  return undefined;
}

/** A query or path text as the JSON type its schema names; a list is written with commas (form, not exploded). */
function typed(schema: Json, text: string): unknown {
  if (schema.type === 'number' || schema.type === 'integer') return Number(text);
  if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (schema.type === 'array') return text.split(',').map((item) => typed(schema.items as Json, item));
  return text;
}

/** The schema of a whole value: members that no part of it knows are refused. */
function closed(schema: Json): Json {
  const inside = closeInside(schema);
  const hasMembers = ['properties', '$ref', 'allOf', 'oneOf', 'anyOf'].some((key) => key in inside);
  return hasMembers && !('additionalProperties' in inside)
    ? { ...inside, unevaluatedProperties: false }
    : inside;
}

/** Closes every value inside a schema, not the schema itself: it may be one part of an `allOf`. */
function closeInside(schema: Json): Json {
  const result = { ...schema };
  if (result.properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(result.properties as Record<string, Json>).map(([key, member]) => [key, closed(member)]),
    );
  if (result.items !== undefined) result.items = closed(result.items as Json);
  for (const key of ['allOf', 'oneOf', 'anyOf'])
    if (result[key] !== undefined) result[key] = (result[key] as Json[]).map(closeInside);
  return result;
}

/** References of a schema taken out of the document, made to point into it again. */
function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === '$ref' && typeof value === 'string'
        ? [key, value.replace(/^#/, 'provider#')]
        : [key, absolute(value)],
    ),
  );
}
