/** Tools of the catalog over REST, in general and as one owner can use them (docs/contract.md#bodies). */
import type { EnvironmentCatalogs } from '../../catalog/model/environment-catalog.ts';
import { z } from '@hono/zod-openapi';
import type { Accounts } from '../../accounts/accounts.ts';
import type { Connections } from '../../connections/connections.ts';
import type { AccountListItem } from '../../accounts/account-views.ts';
import { renamedIn, toolNamed } from '../../catalog/model/aliases.ts';
import type { Catalog, Tool } from '../../catalog/model/types.ts';
import { onlyOwnerOf, type Caller } from '../../core/caller.ts';
import { invalidField, ServiceError } from '../../core/errors.ts';
import type { PageTokens } from '../../core/page-token.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { renamedHeader } from '../api/renamed-header.ts';
import {
  anyObject,
  listed,
  organizationId,
  pageAnswerShape,
  resourceId,
  shown,
  text,
  userId,
  wholePageShape,
} from '../api/schemas.ts';
import { pageOfAll } from '../api/whole-list.ts';
import { readinessOf, type ToolReadiness } from './tool-readiness.ts';

const tag = 'Tools';

const toolQuery = z.strictObject({
  connector: text(100, "Name of the catalog's connector.").optional(),
  toolset: text(100, 'Name of a toolset.').optional(),
  query: text(200, 'Text in name, title or description.').optional(),
  ...wholePageShape,
});

const scopedQuery = toolQuery.extend({
  user_id: userId.optional(),
  organization_id: organizationId.optional(),
});

const toolShape = {
  name: shown('Name for execute_tool.'),
  title: shown('Name for people.'),
  description: shown('What it does.'),
  connector: shown("Name of the catalog's connector."),
  toolset: shown('Name of its toolset.'),
  effect: z
    .enum(['read', 'create', 'update', 'delete'])
    .openapi({ description: 'What it does to data of the provider.' }),
  input_schema: anyObject.openapi({ description: 'JSON Schema 2020-12.' }),
  scopes: z
    .array(z.array(z.string()))
    .openapi({ description: "The provider's; one of each inner list is needed." }),
};

const tool = z.object(toolShape).openapi('Tool', { description: 'A tool of the catalog.' });

const scopedTool = z
  .object({
    ...toolShape,
    account: z
      .object({ id: resourceId('ca_'), identifier: shown('The account in the third-party service.') })
      .nullable()
      .openapi({ description: 'The account it would use; null: none yet.' }),
    status: z
      .enum(['ready', 'needs_connection', 'needs_reauth'])
      .openapi({ description: 'Whether it can be called now.' }),
  })
  .openapi('ScopedTool', { description: 'A tool as one owner can use it.' });

export interface ToolServices {
  pageTokens: PageTokens;
  catalog: EnvironmentCatalogs;
  accounts: Pick<Accounts, 'list'>;
  connections: Pick<Connections, 'list'>;
}

/** Adds the routes of tools. */
export function addToolRoutes(
  endpoints: Endpoints,
  { catalog, accounts, connections, pageTokens }: ToolServices,
): void {
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/tools',
      tag,
      summary: 'List tools.',
      access: 'tools:execute',
      query: toolQuery,
      answer: z.object({ tools: listed(tool), ...pageAnswerShape }),
    },
    async ({ caller, query: { page_size, page_token, ...filter } }) => {
      const { rows, links } = pageOfAll(
        pageTokens,
        { page_size, page_token },
        {
          rows: matching(catalog.in(caller.environmentId), filter),
          bound: ['tools', filter],
          keyOf: ({ name }) => name,
        },
      );
      return { tools: rows.map(toView), ...links };
    },
  );
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/tools/scoped',
      operationId: 'listScopedTools',
      tag,
      summary: 'List tools with the account that a user or organization would use them with.',
      access: 'tools:execute',
      query: scopedQuery,
      answer: z.object({ tools: listed(scopedTool), ...pageAnswerShape }),
    },
    async ({ caller, query: { page_size, page_token, ...query } }) => {
      const owned = await accountsOf(accounts, caller, query);
      const names = (await connections.list(caller.environmentId)).map(({ name }) => name);
      const readiness = readinessOf(owned, new Set(names));
      const { rows, links } = pageOfAll(
        pageTokens,
        { page_size, page_token },
        {
          rows: matching(catalog.in(caller.environmentId), query),
          bound: ['tools/scoped', query],
          keyOf: ({ name }) => name,
        },
      );
      return { tools: rows.map((found) => scoped(found, readiness(found.connector))), ...links };
    },
  );
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/tools/{name}',
      tag,
      summary: 'Get a tool.',
      access: 'tools:execute',
      params: z.object({
        name: text(128, 'Name of the tool, or an old one: the answer has the current name.'),
      }),
      answer: z.object({ tool }),
      refusals: [404],
    },
    async ({ caller, params }) => {
      const found = toolNamed(catalog.in(caller.environmentId).tools, params.name);
      if (found === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', 'There is no tool of that name.');
      const headers = renamedHeader(renamedIn(found, params.name, {}));
      return headers === undefined
        ? { tool: toView(found) }
        : Response.json({ tool: toView(found) }, { headers });
    },
  );
}

function matching(
  catalog: Catalog,
  { connector, toolset, query }: Omit<z.output<typeof toolQuery>, keyof typeof wholePageShape>,
): Tool[] {
  const wanted = query?.toLowerCase();
  return [...catalog.tools.values()].filter(
    (candidate) =>
      (connector === undefined || candidate.connector === connector) &&
      (toolset === undefined || candidate.toolset === toolset) &&
      (wanted === undefined ||
        [candidate.name, candidate.title, candidate.description].some((words) =>
          words.toLowerCase().includes(wanted),
        )),
  );
}

/** All accounts of the one owner that the query names or that the token belongs to. */
async function accountsOf(
  accounts: ToolServices['accounts'],
  caller: Caller,
  { user_id, organization_id }: Pick<z.output<typeof scopedQuery>, 'user_id' | 'organization_id'>,
): Promise<AccountListItem[]> {
  const isOwn = onlyOwnerOf(caller) !== undefined && user_id === undefined && organization_id === undefined;
  if (!isOwn && (user_id === undefined) === (organization_id === undefined)) {
    throw invalidField(
      'user_id',
      'Give user_id or organization_id: whose accounts the tools would use.',
      'exactly_one',
    );
  }
  const found: AccountListItem[] = [];
  let page_token: string | undefined;
  do {
    const page = await accounts.list(caller, { user_id, organization_id, page_size: 100, page_token });
    found.push(...page.connected_accounts);
    page_token = page.next_page_token;
  } while (page_token !== '');
  return found;
}

function toView(found: Tool): z.input<typeof tool> {
  const { name, title, description, connector, toolset, effect, inputSchema, scopes } = found;
  const copied = scopes.map((alternatives) => [...alternatives]);
  return { name, title, description, connector, toolset, effect, input_schema: inputSchema, scopes: copied };
}

function scoped(found: Tool, readiness: ToolReadiness): z.input<typeof scopedTool> {
  return { ...toView(found), ...readiness };
}
