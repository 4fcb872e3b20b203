/**
 * One route as data: its path, its access rule, its input and its answer. The same schemas validate, type the handler
 * and document the route.
 *
 * Order of a request: token, scope, then path, query and body together, then the handler.
 */
import { z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { inOrganization, ORGANIZATION_HEADER } from '../../accounts/account-finder.ts';
import type { Caller } from '../../core/caller.ts';
import { ServiceError, type FieldViolation } from '../../core/errors.ts';
import { isLoopbackHostname } from '../../core/hosts.ts';
import { NOBODY, requireAccess, type Access } from './access.ts';
import { bearerToken } from './bearer-header.ts';
import type { ApiEnv, Endpoint, Shape } from './endpoint-types.ts';
import { readJsonBody } from '../listener/json-body.ts';
import { documentEndpoint } from './openapi.ts';
import { readQuery } from './query-parameters.ts';
import type { RequestContext } from '../listener/request-context.ts';
import { routingPattern } from './verb-path.ts';
import { refuse, violationsOf } from '../listener/violations.ts';

/** The caller that a token stands for. @throws ServiceError UNAUTHENTICATED */
export type Authenticate = (token: string, context: RequestContext) => Promise<Caller>;

/** The input of a handler: checked values only. */
export interface Call<Params extends Shape, Query extends Shape, Body extends Shape> {
  /** Absent on public routes. */
  caller: Caller;
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
  context: RequestContext;
  /** Header fields as received, names and values alternating. */
  rawHeaders: readonly string[];
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

const EMPTY = z.strictObject({});

type Nothing = typeof EMPTY;

/** Adds routes to a Hono app and to its documentation. */
export class Endpoints {
  readonly #app: OpenAPIHono<ApiEnv>;
  readonly #authenticate: Authenticate;
  readonly #maxBodyBytes: number;
  readonly #documented: { method: string; pattern: RegExp }[] = [];

  constructor(app: OpenAPIHono<ApiEnv>, options: { authenticate: Authenticate; maxBodyBytes: number }) {
    this.#app = app;
    this.#authenticate = options.authenticate;
    this.#maxBodyBytes = options.maxBodyBytes;
  }

  /** @param handle returns the value of `answer`, or a finished response if that is not JSON */
  add<
    Answer extends z.ZodType,
    Params extends Shape = Nothing,
    Query extends Shape = Nothing,
    Body extends Shape = Nothing,
  >(
    endpoint: Endpoint<Params, Query, Body, Answer>,
    handle: (call: Call<Params, Query, Body>) => Promise<z.input<Answer> | Response>,
  ): void {
    const path = routingPattern(endpoint.path);
    this.#documented.push({
      method: endpoint.method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replaceAll('.', '\\.')}$`),
    });
    documentEndpoint(this.#app.openAPIRegistry, endpoint);
    this.#app.on(endpoint.method.toUpperCase(), path, async (c) => {
      c.env.context.route = endpoint.path;
      const caller = await this.#callerOf(c, endpoint.access);
      const input = await this.#inputOf(c, endpoint, caller);
      const { context, incoming } = c.env;
      const { rawHeaders } = incoming;
      const result = await handle({ ...input, caller, context, rawHeaders, signal: c.req.raw.signal });
      return result instanceof Response ? result : c.json(result as object, endpoint.status ?? 200);
    });
  }

  /** Methods that a path answers, in upper case; empty if no route has this path. */
  methodsOf(path: string): string[] {
    const methods = this.#documented.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  }

  async #callerOf(c: Context<ApiEnv>, access: Access): Promise<Caller> {
    const { context } = c.env;
    if (access === 'public') return NOBODY;
    if (typeof access === 'object' && 'unlessLocal' in access && isWithinMachine(context)) return NOBODY;
    const caller = await this.#authenticate(bearerToken(c.req.header('authorization')), context);
    context.actor = caller.actor;
    requireAccess(caller, access);
    const right = access === 'accounts:write' ? 'write' : 'read';
    return inOrganization(caller, c.req.header(ORGANIZATION_HEADER), right);
  }

  async #inputOf<Params extends Shape, Query extends Shape, Body extends Shape>(
    c: Context<ApiEnv>,
    endpoint: Endpoint<Params, Query, Body, z.ZodType>,
    caller: Caller,
  ): Promise<{ params: z.output<Params>; query: z.output<Query>; body: z.output<Body> }> {
    const violations: FieldViolation[] = [];
    const params = endpoint.params?.safeParse(c.req.param());
    if (params?.success === false)
      throw new ServiceError('RESOURCE_NOT_FOUND', 'There is no resource with this name or id.');

    const querySchema = endpoint.query ?? EMPTY;
    const given = readQuery(new URL(c.req.url).search.slice(1), querySchema.shape);
    const query = querySchema.safeParse(given.values, { reportInput: true });
    violations.push(
      ...given.violations,
      ...(query.success ? [] : violationsOf(query.error.issues, 'query parameter')),
    );

    const { more } = endpoint;
    const json = endpoint.body && (await readJsonBody(c.req.raw, this.#maxBodyBytes, more?.ownTexts));
    violations.push(...(json?.violations ?? []));
    const named = namesOf(violations, []);
    const body = endpoint.body?.safeParse(json?.value, { reportInput: true });
    if (body?.success === false) {
      violations.push(...violationsOf(body.error.issues).filter(({ field }) => !named.has(field)));
    }
    if (violations.length > 0) {
      const known = namesOf(violations, more?.ownTexts ?? []);
      const others = json && more ? more.violations(json.value, caller) : [];
      throw refuse([...violations, ...others.filter(({ field }) => !known.has(field))]);
    }
    return {
      params: params?.data as z.output<Params>,
      query: query.data as z.output<Query>,
      body: body?.data as z.output<Body>,
    };
  }
}

/**
 * Whether the request certainly stays on this machine. A proxy here that adds no header makes strangers look like local
 * peers, and then the base URL is a public one.
 */
function isWithinMachine({ isLocalPeer, environment }: RequestContext): boolean {
  return isLocalPeer && isLoopbackHostname(new URL(environment.baseUrl).hostname);
}

/** Fields that have a violation; those inside `members` also without its prefix, as its check names them. */
function namesOf(violations: readonly FieldViolation[], members: readonly string[]): ReadonlySet<string> {
  const fields = violations.map(({ field }) => field);
  const inside = members.flatMap((member) =>
    fields.filter((field) => field.startsWith(`${member}.`)).map((field) => field.slice(member.length + 1)),
  );
  return new Set([...fields, ...inside]);
}
