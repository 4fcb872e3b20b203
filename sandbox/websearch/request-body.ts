/** Reads requests, and refuses those that the provider would. */
import type { Context } from 'hono';
import type { ZodType } from 'zod';
import { Refusal } from './refusal.ts';

/** @throws Refusal if the body is not JSON of this form */
export async function readBody<Body>(c: Context, schema: ZodType<Body>): Promise<Body> {
  if (!(c.req.header('content-type') ?? '').startsWith('application/json')) {
    throw new Refusal(400, 'INVALID_REQUEST_BODY', 'Send the body as application/json.');
  }
  let body: unknown;
  try {
    body = JSON.parse(await c.req.text());
  } catch {
    throw new Refusal(400, 'INVALID_REQUEST_BODY', 'The body is not JSON.');
  }
  return check(schema, body);
}

/** @throws Refusal naming every wrong member */
export function check<Value>(schema: ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new Refusal(400, 'INVALID_REQUEST_BODY', problems.join('; '));
}
