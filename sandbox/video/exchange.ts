/** Reads requests to the stand-in YouTube: caller, scopes, parts and page. */
import type { Context, MiddlewareHandler } from 'hono';
import { z, type ZodType } from 'zod';
import type { Channel, Member } from './model.ts';
import type { Quota } from './quota.ts';
import { badParameter, VideoRefusal } from './refusal.ts';

/** Environment of all routes. */
export interface VideoEnv {
  Variables: {
    /** Google's names of the token's scopes. */
    scopes: readonly string[];
    /** The person the token belongs to. */
    member: Member;
    /** Channel of that account, which may have none. */
    channel: Channel | undefined;
    quota: Quota;
  };
}

const SCOPE = 'https://www.googleapis.com/auth/';
const ANY_WRITE = ['youtube', 'youtube.force-ssl', 'youtubepartner'];

/** Scopes by kind of access; any one of them is sufficient. */
export const ACCESS = {
  read: [...ANY_WRITE, 'youtube.readonly'],
  write: ANY_WRITE,
  comments: ['youtube.force-ssl'],
  captions: ['youtube.force-ssl', 'youtubepartner'],
  groups: ['youtube', 'youtubepartner', 'youtube.readonly', 'yt-analytics.readonly'],
  groupChanges: ['youtube', 'youtubepartner'],
  reports: ['yt-analytics.readonly'],
} as const;

/**
 * A route for tokens with one of the scopes. @param cost in units, or a search; refused requests cost the
 * same
 */
export function needs(access: keyof typeof ACCESS, cost: number | 'search' = 0): MiddlewareHandler<VideoEnv> {
  return async (c, next) => {
    requireScope(c, ACCESS[access]);
    if (cost === 'search') c.get('quota').spendSearch();
    else c.get('quota').spend(cost);
    await next();
  };
}

/** @param names without their common prefix. @throws VideoRefusal insufficientPermissions */
export function requireScope(c: Context<VideoEnv>, names: readonly string[]): void {
  if (!names.some((name) => c.get('scopes').includes(SCOPE + name)))
    throw new VideoRefusal(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.');
}

/** The channel that acts. @throws VideoRefusal youtubeSignupRequired for an account without one */
export function ownChannel(c: Context<VideoEnv>): Channel {
  const channel = c.get('channel');
  if (channel === undefined)
    throw new VideoRefusal(401, 'youtubeSignupRequired', 'This Google account has no YouTube channel.', {
      domain: 'youtube.header',
      location: 'Authorization',
      locationType: 'header',
    });
  return channel;
}

/** `a,b` as a list. */
export const commaList = z.string().transform((text) => text.split(',').map((entry) => entry.trim()));

/** `true` or `false` in a query. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A filter that can only be true. */
export const onlyTrue = flag.refine((isGiven) => isGiven, 'can only be true');

/** RFC 3339, in Unix milliseconds. */
export const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** Query members of a paged list. */
export const page = (minimum: number, maximum: number, byDefault: number) => ({
  maxResults: z.coerce.number().int().min(minimum).max(maximum).default(byDefault),
  pageToken: z.string().optional(),
});

/** @throws VideoRefusal 400 for the first wrong, missing or unknown parameter */
export function readQuery<Value>(c: Context, shape: ZodType<Value>): Value {
  const result = shape.safeParse(c.req.query());
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    throw badParameter(name, `The request contains an unexpected parameter: ${name}`, 'unexpectedParameter');
  }
  const name = String(issue?.path[0] ?? '');
  if (c.req.query(name) === undefined)
    throw badParameter(name, `Required parameter: ${name}`, 'missingRequiredParameter');
  throw badParameter(name, `Invalid value '${c.req.query(name)}' for ${name}: ${issue?.message}`);
}

/** @throws VideoRefusal 400 parseError, badRequest */
export async function readBody<Value>(c: Context, shape: ZodType<Value>): Promise<Value> {
  let body: unknown;
  try {
    body = JSON.parse(await c.req.text());
  } catch {
    throw new VideoRefusal(400, 'parseError', 'The body is not JSON.');
  }
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new VideoRefusal(400, 'badRequest', `Invalid JSON payload received. ${problems.join('; ')}`);
}

/** Requires every name in `part` to be one of the resource. @throws VideoRefusal unknownPart */
export function requireParts(parts: readonly string[], known: readonly string[]): void {
  const unknown = parts.find((part) => !known.includes(part));
  if (unknown !== undefined) throw badParameter('part', `'${unknown}'`, 'unknownPart');
}

/** Returns the only given filter. @throws VideoRefusal missingRequiredParameter, incompatibleParameters */
export function oneFilter<Name extends string>(
  query: { [name in Name]?: unknown },
  names: readonly Name[],
): Name {
  const [first, ...others] = names.filter((name) => query[name] !== undefined);
  if (first === undefined)
    throw new VideoRefusal(
      400,
      'missingRequiredParameter',
      `No filter selected. Expected one of: ${names.join(', ')}`,
      { domain: 'youtube.parameter', location: 'parameters.', locationType: 'other' },
    );
  if (others.length > 0)
    throw badParameter(
      first,
      `Incompatible parameters specified in the request: ${[first, ...others].join(', ')}`,
      'incompatibleParameters',
    );
  return first;
}

/** Refuses parameters that cannot be combined with a filter. @throws VideoRefusal incompatibleParameters */
export function refuseBeside(c: Context, filter: string, names: readonly string[]): void {
  const wrong = names.find((name) => c.req.query(name) !== undefined);
  if (wrong !== undefined)
    throw badParameter(
      wrong,
      `Incompatible parameters specified in the request: ${filter}, ${wrong}`,
      'incompatibleParameters',
    );
}
