/**
 * Reads the text of an OpenAPI description: JSON or YAML, version 3.0 or 3.1, with a valid skeleton. Pure.
 */
import * as z from 'zod';
import { isObject } from '../../core/json.ts';
import { parseStrictYaml } from '../../core/yaml/strict-yaml.ts';
import { issueText } from '../grammar/issue-text.ts';
import type { JsonObject } from '../model/types.ts';
import { ImportError, type ImportProblem } from './report.ts';

/** Methods a path item may have. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

export type Method = (typeof METHODS)[number];

const text = z.string().optional();
const servers = z
  .array(z.looseObject({ url: z.string(), variables: z.record(z.string(), z.looseObject({})).optional() }))
  .optional();
const security = z.array(z.record(z.string(), z.array(z.string()))).optional();
const docs = z.looseObject({ url: text }).optional();

const operation = z.looseObject({
  operationId: text,
  summary: text,
  description: text,
  tags: z.array(z.string()).optional(),
  externalDocs: docs,
  deprecated: z.boolean().optional(),
  parameters: z.array(z.looseObject({})).optional(),
  requestBody: z.looseObject({}).optional(),
  responses: z.looseObject({}).optional(),
  servers,
  security,
});

const pathItem = z.looseObject({
  parameters: z.array(z.looseObject({})).optional(),
  servers,
  ...Object.fromEntries(METHODS.map((method) => [method, operation.optional()])),
});

const skeleton = z.looseObject({
  info: z.looseObject({ title: text, description: text, version: text }).optional(),
  externalDocs: docs,
  servers,
  security,
  paths: z.record(z.string(), pathItem),
  components: z
    .looseObject({ securitySchemes: z.record(z.string(), z.looseObject({})).optional() })
    .optional(),
});

export type Operation = z.infer<typeof operation>;
export type Server = NonNullable<z.infer<typeof servers>>[number];
export type Security = z.infer<typeof security>;
export type OpenApiDocument = z.infer<typeof skeleton>;

/**
 * @returns the document; schemas and parameters are not checked yet
 * @throws ImportError with every problem
 */
export function readDocument(source: string): OpenApiDocument {
  const tree = parseText(source.replace(/^\ufeff/, ''));
  if (!isObject(tree))
    throw new ImportError([{ place: '', message: 'is not an OpenAPI description: an object was expected.' }]);
  const problems = versionProblems(tree);
  if (problems.length > 0) throw new ImportError(problems);
  const parsed = skeleton.safeParse(tree, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ImportError(
    parsed.error.issues.map((issue) => ({ place: issue.path.join('.'), message: `${issueText(issue)}.` })),
  );
}

function parseText(source: string): unknown {
  if (/^\s*[{[]/.test(source)) {
    try {
      return JSON.parse(source);
    } catch (error) {
      throw new ImportError([{ place: '', message: `is not valid JSON: ${(error as Error).message}` }]);
    }
  }
  const { tree, problems } = parseStrictYaml(source);
  if (problems.length === 0) return tree;
  throw new ImportError(
    problems.map(({ line, path, message }) => ({
      place: `line ${line}${path.length === 0 ? '' : ` (${path.join('.')})`}`,
      message: sentenceOf(message),
    })),
  );
}

function versionProblems(tree: JsonObject): ImportProblem[] {
  const { openapi, swagger } = tree;
  if (typeof openapi === 'string' && /^3\.[01](\.|$)/.test(openapi)) return [];
  if (swagger !== undefined)
    return [
      {
        place: 'swagger',
        message:
          'is a description of version 2. Convert it to OpenAPI 3 first, for example with swagger2openapi.',
      },
    ];
  return openapi === undefined
    ? [
        {
          place: 'openapi',
          message: 'is missing, so this is not an OpenAPI description of version 3.0 or 3.1.',
        },
      ]
    : [{ place: 'openapi', message: 'must be text such as 3.0.3 or 3.1.0. Other versions are not read.' }];
}

function sentenceOf(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
