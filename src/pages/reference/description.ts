/** The parts of an OpenAPI 3.1 document that the reference shows, as types, and how references in it are resolved. */

/** `/openapi.json`. */
export interface Description {
  info: { title: string; version: string; description: string };
  servers: readonly { url: string }[];
  components: {
    schemas: Readonly<Record<string, Schema>>;
    securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
  paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

type Method = (typeof METHODS)[number];

interface SecurityScheme {
  description: string;
  flows: { clientCredentials: { scopes: Readonly<Record<string, string>> } };
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  /** Each entry is one way to be allowed. An empty entry needs no token; no entry means public. */
  security: readonly { clientCredentials?: readonly string[] }[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Content };
  responses: Readonly<Record<string, { description: string; content?: Content }>>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

/** Bodies by media type. */
export type Content = Readonly<Record<string, { schema: Schema }>>;

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  enum?: readonly unknown[];
  example?: unknown;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
}

/** An operation with its address. */
export interface Addressed {
  method: string;
  path: string;
  operation: Operation;
}

/** All operations by the subject they belong to, in the order of the document. */
export function bySubject({ paths }: Description): Map<string, Addressed[]> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method];
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }];
    }),
  );
  return Map.groupBy(all, ({ operation }) => operation.tags[0] ?? '');
}

/** The name at the end of a reference such as `#/components/schemas/Error`. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The schema itself, if this one only refers to it. */
export function resolved(schema: Schema, { components }: Description): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[nameOf(schema.$ref)] ?? schema);
}

/** The first body of an operation or answer, and its media type. */
export function firstBody(content: Content | undefined): { mediaType: string; schema: Schema } | undefined {
  const [first] = Object.entries(content ?? {});
  return first && { mediaType: first[0], schema: first[1].schema };
}
