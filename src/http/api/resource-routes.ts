/**
 * The plain routes of one resource: list, get, create, change, delete, and actions that answer with the resource. A
 * route with any other answer is added with `Endpoints.add`.
 */
import { z } from '@hono/zod-openapi';
import type { Caller } from '../../core/caller.ts';
import type { PageLinks } from '../../core/newest-first.ts';
import type { PageTokens } from '../../core/page-token.ts';
import type { Access } from './access.ts';
import type { Call, Endpoints } from './endpoint.ts';
import type { Shape } from './endpoint-types.ts';
import { emptyAnswer, idParams, listed, pageAnswerShape, wholePageShape } from './schemas.ts';
import { pageOfAll } from './whole-list.ts';

/** Names and schemas of a resource in its routes. */
export interface Resource<Name extends string, Item extends Shape> {
  /** Member of answers that holds one resource. With an `s` it is the member that holds a list. */
  name: Name;
  item: Item;
  path: string;
  tag: string;
  /** Access of the routes that do not state their own. */
  access: Access;
  /** Parameters of the path; default: an id. */
  params?: typeof idParams;
}

/** Options of a route in addition to its summary. */
interface RouteOptions {
  access?: Access;
  refusals?: readonly number[];
}

/** A part of a request that the route does not take. */
type None = z.ZodObject<Readonly<Record<string, never>>>;

/** Adds the plain routes of a resource to the API and to its description, in the order of the calls. */
export class ResourceRoutes<Name extends string, Item extends Shape> {
  readonly #endpoints: Endpoints;
  readonly #resource: Resource<Name, Item>;

  constructor(endpoints: Endpoints, resource: Resource<Name, Item>) {
    this.#endpoints = endpoints;
    this.#resource = resource;
  }

  /** A list that is read page by page. */
  list<Query extends Shape>(
    summary: string,
    { query, ...options }: RouteOptions & { query: Query },
    page: (call: Call<None, Query, None>) => Promise<{ [member in `${Name}s`]: z.input<Item>[] } & PageLinks>,
  ): void {
    this.#endpoints.add(
      { ...this.#ofAll, ...options, method: 'get', summary, query, answer: this.#page },
      page,
    );
  }

  /**
   * A list that is read as a whole. @param bound values that its page tokens are bound to, in addition to list and
   * environment
   */
  wholeList(
    summary: string,
    pageTokens: PageTokens,
    rows: (caller: Caller) => Promise<readonly (z.input<Item> & { id: string })[]>,
    bound: (caller: Caller) => readonly unknown[] = () => [],
  ): void {
    const query = z.strictObject(wholePageShape);
    this.#endpoints.add(
      { ...this.#ofAll, method: 'get', summary, query, answer: this.#page },
      async ({ caller, query: wanted }) => {
        const page = pageOfAll(pageTokens, wanted, {
          rows: await rows(caller),
          bound: [this.#plural, caller.environmentId, ...bound(caller)],
          keyOf: ({ id }) => id,
        });
        return { [this.#plural]: page.rows, ...page.links };
      },
    );
  }

  create<Body extends Shape>(
    summary: string,
    { body, ...options }: RouteOptions & { body: Body },
    run: (call: Call<None, None, Body>) => Promise<z.input<Item>>,
  ): void {
    this.#endpoints.add(
      { ...this.#ofAll, ...options, method: 'post', summary, body, status: 201, answer: this.#answer },
      async (call) => ({ [this.#resource.name]: await run(call) }),
    );
  }

  get(summary: string, run: (caller: Caller, id: string) => Promise<z.input<Item>>): void {
    this.#endpoints.add(
      { ...this.#ofOne, method: 'get', summary, answer: this.#answer },
      async ({ caller, params }) => ({ [this.#resource.name]: await run(caller, params.id) }),
    );
  }

  /** Changes the members that a request gives. */
  update<Body extends Shape>(
    summary: string,
    { body, ...options }: RouteOptions & { body: Body },
    run: (caller: Caller, id: string, body: z.output<Body>) => Promise<z.input<Item>>,
  ): void {
    this.#endpoints.add(
      { ...this.#ofOne, ...options, method: 'patch', summary, body, answer: this.#answer },
      async ({ caller, params, body: change }) => ({
        [this.#resource.name]: await run(caller, params.id, change),
      }),
    );
  }

  remove(
    summary: string,
    run: (caller: Caller, id: string) => Promise<void>,
    options: RouteOptions = {},
  ): void {
    this.#endpoints.add(
      { ...this.#ofOne, ...options, method: 'delete', summary, answer: emptyAnswer },
      async ({ caller, params }) => {
        await run(caller, params.id);
        return {};
      },
    );
  }

  /** An action on the resource that answers with its state afterwards. */
  act(verb: string, summary: string, run: (caller: Caller, id: string) => Promise<z.input<Item>>): void {
    const { path } = this.#ofOne;
    this.#endpoints.add(
      { ...this.#ofOne, method: 'post', path: `${path}:${verb}`, summary, answer: this.#answer },
      async ({ caller, params }) => ({ [this.#resource.name]: await run(caller, params.id) }),
    );
  }

  get #plural() {
    return `${this.#resource.name}s`;
  }

  get #page() {
    return z.object({ [this.#plural]: listed(this.#resource.item), ...pageAnswerShape });
  }

  get #answer() {
    return z.object({ [this.#resource.name]: this.#resource.item });
  }

  get #ofAll() {
    const { path, tag, access } = this.#resource;
    return { path, tag, access };
  }

  get #ofOne() {
    const { path, params = idParams } = this.#resource;
    return { ...this.#ofAll, path: `${path}/{id}`, params, refusals: [404] };
  }
}
