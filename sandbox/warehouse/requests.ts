/** Shared parts of the routes of the stand-in warehouse: the caller, and reading a request. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { badRequest, WarehouseRefusal } from './refusal.ts';

/** Values that the check of the token sets for a route. */
export interface WarehouseEnv {
  Variables: {
    user: string;
    /** Role of the token; if `undefined`, that of the user. */
    role: string | undefined;
    requestId: string;
  };
}

/** @throws WarehouseRefusal 400 or 415 */
export async function readJson(c: Context<WarehouseEnv>): Promise<unknown> {
  if (!(c.req.header('content-type') ?? '').startsWith('application/json'))
    throw new WarehouseRefusal(415, '391415', 'Unsupported media type: send application/json.');
  try {
    return JSON.parse(await c.req.text()) as unknown;
  } catch {
    throw badRequest('Incoming request does not contain a valid payload.');
  }
}

/** @throws WarehouseRefusal 400 naming the fault */
export function read<Value>(shape: z.ZodType<Value>, value: unknown): Value {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw badRequest(
    `Incoming request does not contain a valid payload. ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}
