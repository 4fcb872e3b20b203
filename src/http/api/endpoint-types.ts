/** What a route says of itself, for the app that serves it and for its documentation. Types only. */
import type { z } from '@hono/zod-openapi';
import type { FieldViolation } from '../../core/errors.ts';
import type { HttpBindings } from '../listener/hono-handler.ts';
import type { Access } from './access.ts';

/** Environment of the hono app. */
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
  access: Access;
  params?: Params;
  query?: Query;
  body?: Body;
  /** What the handler checks of a body beyond its schema, for answers that name everything at once. */
  more?: {
    /** Members whose texts the handler checks itself. */
    ownTexts: readonly string[];
    /** Asked only where something else is wrong: the handler will find it otherwise. @param body as sent */
    violations(body: Readonly<Record<string, unknown>>): readonly FieldViolation[];
  };
  /** Default 200. */
  status?: 200 | 201;
  answer: Answer;
  /** Statuses of refusals beside those that every route has. */
  refusals?: readonly number[];
}
