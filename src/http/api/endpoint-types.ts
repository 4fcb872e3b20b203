/** Types that describe a route, for the app that serves it and for its documentation. */
import type { z } from '@hono/zod-openapi';
import type { Caller } from '../../core/caller.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { HttpBindings } from '../listener/hono-handler.ts';
import type { Access } from './access.ts';

/** Environment of the Hono app. */
export interface ApiEnv {
  Bindings: HttpBindings;
}

/** Schema of the members of a path, a query or a body. */
export type Shape = z.ZodObject;

/** A route. `path` is written as in the documentation: `/api/v1/connected_accounts/{id}:disconnect`. */
export interface Endpoint<
  Params extends Shape,
  Query extends Shape,
  Body extends Shape,
  Answer extends z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  tag: string;
  summary: string;
  /** Name of the operation for generated clients, verb and noun. Default: made from method and path. */
  operationId?: string;
  access: Access;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Checks of the handler beyond the schema, so that one answer can name everything. */
  more?: {
    /** Members whose texts the handler checks itself. */
    ownTexts: readonly string[];
    /** Called only if another violation was found: otherwise the handler checks this itself. @param body as sent */
    violations(body: Readonly<Record<string, unknown>>, caller: Caller): readonly FieldViolation[];
  };
  /** Default 200. */
  status?: 200 | 201;
  answer: Answer;
  /** Statuses of refusals in addition to those that every route has. */
  refusals?: readonly number[];
}
