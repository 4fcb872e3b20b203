/** Remote MCP servers over REST: look, add, approve, accept (docs/contract.md#tools-of-remote-mcp-servers). */
import { z } from '@hono/zod-openapi';
import type { Caller } from '../../core/caller.ts';
import type { PageTokens } from '../../core/page-token.ts';
import type { ToolFormView } from '../../upstream/operators/tool-forms.ts';
import type { UpstreamOperators } from '../../upstream/operators/upstream-operators.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { emptyAnswer, listed, pageAnswerShape, wholePageShape } from '../api/schemas.ts';
import { pageOfAll } from '../api/whole-list.ts';
import {
  acceptBody,
  approveBody,
  createBody,
  diff,
  form,
  params,
  patchBody,
  upstream,
} from './upstream-schemas.ts';

const path = '/api/v1/upstreams';
const tag = 'Upstreams';
const access = { unbound: 'admin' } as const;

type WholePage = z.output<z.ZodObject<typeof wholePageShape>>;

export interface UpstreamServices {
  pageTokens: PageTokens;
  upstreams: {
    operators: Pick<
      UpstreamOperators,
      | 'list'
      | 'get'
      | 'add'
      | 'update'
      | 'probe'
      | 'tools'
      | 'diff'
      | 'approve'
      | 'accept'
      | 'reregister'
      | 'remove'
    >;
  };
}

/** Adds the routes of remote MCP servers. */
export function addUpstreamRoutes(
  endpoints: Endpoints,
  { upstreams: { operators }, pageTokens }: UpstreamServices,
): void {
  const ofOne = { tag, access, params, refusals: [404] } as const;
  const one = z.object({ upstream });
  const pageOf = <Form extends ToolFormView>(
    list: string,
    { caller, name, query }: { caller: Caller; name: string; query: WholePage },
    forms: readonly Form[],
  ) => {
    const { rows, links } = pageOfAll(pageTokens, query, {
      rows: forms,
      keyOf: ({ tool, hash }) => `${tool} ${hash}`,
      bound: ['upstreams', list, caller.environmentId, name],
    });
    return { tools: rows, ...links };
  };
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      access,
      summary: 'List upstreams.',
      query: z.strictObject(wholePageShape),
      answer: z.object({ upstreams: listed(upstream), ...pageAnswerShape }),
    },
    async ({ caller, query }) => {
      const { rows, links } = pageOfAll(pageTokens, query, {
        rows: await operators.list(caller.environmentId),
        keyOf: ({ name }) => name,
        bound: ['upstreams', caller.environmentId],
      });
      return { upstreams: rows, ...links };
    },
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      access,
      summary: 'Look at a remote MCP server, and add it with `confirm`.',
      operationId: 'addUpstream',
      body: createBody,
      answer: one,
      refusals: [409],
    },
    async ({ caller, body }) => ({ upstream: await operators.add(caller, body) }),
  );
  endpoints.add(
    { ...ofOne, method: 'get', path: `${path}/{name}`, summary: 'Get an upstream.', answer: one },
    async ({ caller, params: { name } }) => ({
      upstream: await operators.get(caller.environmentId, name),
    }),
  );
  endpoints.add(
    {
      ...ofOne,
      method: 'patch',
      path: `${path}/{name}`,
      summary: 'Change what is given of an upstream. Its name and its address stay.',
      body: patchBody,
      answer: one,
    },
    async ({ caller, params: { name }, body }) => ({ upstream: await operators.update(caller, name, body) }),
  );
  endpoints.add(
    {
      ...ofOne,
      method: 'delete',
      path: `${path}/{name}`,
      summary: 'Delete an upstream that has no accounts, with its connection.',
      answer: emptyAnswer,
    },
    async ({ caller, params: { name } }) => {
      await operators.remove(caller, name);
      return {};
    },
  );
  endpoints.add(
    {
      ...ofOne,
      method: 'post',
      path: `${path}/{name}:probe`,
      summary: 'Look at an upstream as it is now, and read the tools of its newest account.',
      answer: one,
    },
    async ({ caller, params: { name } }) => ({
      upstream: await operators.probe(caller.environmentId, name),
    }),
  );
  endpoints.add(
    {
      ...ofOne,
      method: 'get',
      path: `${path}/{name}/tools`,
      summary: 'List every form of every tool of an upstream.',
      query: z.strictObject(wholePageShape),
      answer: z.object({ tools: listed(form), ...pageAnswerShape }),
    },
    async ({ caller, params: { name }, query }) =>
      pageOf('tools', { caller, name, query }, await operators.tools(caller.environmentId, name)),
  );
  endpoints.add(
    {
      ...ofOne,
      method: 'get',
      path: `${path}/{name}/diff`,
      summary: 'Show what waits for approval, each beside the approved form.',
      operationId: 'getUpstreamDiff',
      query: z.strictObject(wholePageShape),
      answer: z.object({ tools: listed(diff), ...pageAnswerShape }),
    },
    async ({ caller, params: { name }, query }) =>
      pageOf('diff', { caller, name, query }, await operators.diff(caller.environmentId, name)),
  );
  endpoints.add(
    {
      ...ofOne,
      method: 'post',
      path: `${path}/{name}:approve`,
      summary: 'Publish forms of tools as they were looked at.',
      body: approveBody,
      answer: one,
    },
    async ({ caller, params: { name }, body }) => ({
      upstream: await operators.approve(caller, name, body.tools),
    }),
  );
  endpoints.add(
    {
      ...ofOne,
      method: 'post',
      path: `${path}/{name}:accept`,
      summary: 'Take the authorization server that an upstream names now.',
      body: acceptBody,
      answer: one,
    },
    async ({ caller, params: { name }, body }) => ({
      upstream: await operators.accept(caller, name, body),
    }),
  );
  endpoints.add(
    {
      ...ofOne,
      method: 'post',
      path: `${path}/{name}:reregister`,
      summary: 'Have the next consent register a new client. Accounts go on.',
      answer: one,
    },
    async ({ caller, params: { name } }) => ({ upstream: await operators.reregister(caller, name) }),
  );
}
