/** Reads requests of the stand-in CRM: bodies, queries, permissions. */
import type { Context, MiddlewareHandler } from 'hono';
import { z, type ZodType } from 'zod';
import type { Actor } from './model.ts';
import { CrmRefusal, invalid } from './refusal.ts';

/** Variables of a request after its token is checked. */
export interface CrmVariables {
  /** Permissions of the token. */
  scopes: readonly string[];
  /** The person in whose name it acts. */
  actor: Actor;
}

/** Environment of all routes of the CRM. */
export interface CrmEnv {
  Variables: CrmVariables;
}

/** A whole number in a query. */
export const queryNumber = z.string().regex(/^\d+$/, 'is no whole number').transform(Number);

/** `true` or `false` in a query. */
export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Slice of a list by limit and offset. */
export function pageOf<Item>(
  items: readonly Item[],
  page: { limit?: number | undefined; offset?: number | undefined },
): Item[] {
  const start = page.offset ?? 0;
  return items.slice(start, start + (page.limit ?? items.length));
}

/** Slice of a list by cursor, which answers give out. */
export function pageAfter<Item>(
  items: readonly Item[],
  after: string | undefined,
  limit: number,
): { data: Item[]; pagination: { next_cursor: string | null } } {
  const start = Number(after?.slice('after-'.length) ?? 0);
  const end = start + limit;
  return {
    data: items.slice(start, end),
    pagination: { next_cursor: end < items.length ? `after-${end}` : null },
  };
}

/** A route for tokens that have all of the scopes. */
export function needs(...scopes: string[]): MiddlewareHandler<CrmEnv> {
  return async (c, next) => {
    requireScopes(c, scopes);
    await next();
  };
}

/** `x:read-write` covers `x:read`. @throws CrmRefusal 403 */
export function requireScopes(c: Context<CrmEnv>, scopes: readonly string[]): void {
  const granted = c.get('scopes');
  const missing = scopes.filter(
    (scope) => !granted.includes(scope) && !granted.includes(scope.replace(/:read$/, ':read-write')),
  );
  if (missing.length > 0)
    throw new CrmRefusal(403, 'insufficient_scope', `The token lacks the scope ${missing.join(', ')}.`);
}

/** @throws CrmRefusal validation_type naming every wrong or unknown parameter */
export function readQuery<Value>(c: Context<CrmEnv>, shape: ZodType<Value>): Value {
  return check(shape, c.req.query(), 'the query');
}

/** @throws CrmRefusal validation_type naming every wrong member */
export async function readBody<Value>(c: Context<CrmEnv>, shape: ZodType<Value>): Promise<Value> {
  if (!(c.req.header('content-type') ?? '').startsWith('application/json'))
    throw invalid('Send the body as application/json.');
  let body: unknown;
  try {
    body = JSON.parse(await c.req.text());
  } catch {
    throw invalid('The body is not JSON.');
  }
  return check(shape, body, 'the body');
}

/** The body of a create request: everything is in `data`. */
export function dataOf<Value>(shape: ZodType<Value>): ZodType<{ data: Value }> {
  return z.strictObject({ data: shape });
}

function check<Value>(shape: ZodType<Value>, value: unknown, what: string): Value {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || what}: ${issue.message}`);
  throw invalid(`Wrong in ${what}: ${problems.join('; ')}`);
}
