/** The description of the API in tests: read once, with a check of answers against it. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { restApi } from './rest-api.ts';

export type Json = Record<string, unknown>;

export interface Operation {
  operationId: string;
  summary: string;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

export interface OpenApi {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> };
}

/** The document as `/openapi.json` answers it. */
export async function openApi(): Promise<OpenApi> {
  const metrics = { contentType: 'text/plain', render: () => Promise.resolve('') };
  const api = await restApi({ metrics });
  const response = await api.request('/openapi.json', { headers: { authorization: '' } });
  return (await response.json()) as OpenApi;
}

/** Every operation with its method in upper case. */
export function operations(document: OpenApi): { method: string; path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

type Check = (value: unknown) => string[];

const compiled = new Map<string, Check>();

/** A schema of the document as a check; references into `components` resolve. @throws Error for an invalid schema */
export function compile(document: OpenApi, schema: Json): Check {
  const key = JSON.stringify(schema);
  const check = compiled.get(key) ?? newCheck(document, schema);
  compiled.set(key, check);
  return check;
}

function newCheck(document: OpenApi, schema: Json): Check {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  const validate = ajv.compile({ ...schema, components: document.components });
  return (value) =>
    validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** What is wrong with an answer according to the document. */
export function answerProblems(
  document: OpenApi,
  answer: { method: string; path: string; status: number; body: unknown },
): string[] {
  const operation = document.paths[answer.path]?.[answer.method.toLowerCase()];
  const schema = operation?.responses[String(answer.status)]?.content?.['application/json']?.schema;
  if (schema === undefined) return [`${answer.method} ${answer.path} does not document ${answer.status}`];
  return compile(document, schema)(answer.body);
}

/** How many properties and parameters have a description, themselves or where they refer to, and which have none. */
export function descriptions(document: OpenApi): { found: number; missing: string[] } {
  const missing: string[] = [];
  let found = 0;
  const count = (path: string, ...schemas: unknown[]): void => {
    if (schemas.some((schema) => isDescribed(document, schema))) found++;
    else missing.push(path);
  };
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, properties } = value as Json;
    if ([type].flat().includes('object') && typeof properties === 'object')
      for (const [name, schema] of Object.entries(properties ?? {})) count(`${path}/${name}`, schema);
    for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`);
  };
  visit(document, '');
  for (const { method, path, operation } of operations(document))
    for (const parameter of operation.parameters ?? [])
      count(`${method} ${path} ${parameter.name}`, parameter, parameter.schema);
  return { found, missing };
}

function isDescribed({ components }: OpenApi, schema: unknown): boolean {
  const { description, $ref } = schema as { description?: string; $ref?: string };
  const target = components.schemas[$ref?.replace('#/components/schemas/', '') ?? ''];
  return (description ?? target?.['description'] ?? '') !== '';
}
