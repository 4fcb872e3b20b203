/** The connectors of the catalog, and the environments of the installation, over REST (docs/contract.md#bodies). */
import { z } from '@hono/zod-openapi';
import { toConnectorView } from '../../catalog/model/connector-view.ts';
import type { EnvironmentCatalogs } from '../../catalog/model/environment-catalog.ts';
import { toEnvironmentView, type Environments } from '../../core/environment.ts';
import { notFound } from '../../core/errors.ts';
import type { PageTokens } from '../../core/page-token.ts';
import { AUTHORIZATION_TYPE_NAMES } from '../../authorization-types/index.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { listed, pageAnswerShape, text, wholePageShape } from '../api/schemas.ts';
import { pageOfAll } from '../api/whole-list.ts';

const path = '/api/v1/connectors';
const tag = 'Connections';
const access = { unbound: 'admin' } as const;

const field = z.object({
  name: z.string().openapi({ description: 'Member of static_auth.details, or of the variant of the type.' }),
  label: z.string().openapi({ description: 'What the form calls it.' }),
  input: z
    .enum(['text', 'password', 'multiline'])
    .openapi({ description: 'How the form shows what is typed.' }),
  choices: z.array(z.string()).optional().openapi({ description: 'The only values.' }),
  pattern: z.string().optional().openapi({ description: 'What the whole value matches.' }),
  example: z.string().optional().openapi({ description: 'A value that matches it.' }),
  hint: z.string().optional().openapi({ description: 'Where to find it.' }),
  required: z.boolean().openapi({ description: 'Whether an account needs it.' }),
});

const authorizationType = z.object({
  type: z.enum(AUTHORIZATION_TYPE_NAMES).openapi({ description: 'For authorization_type of a connection.' }),
  fields: z.array(field).openapi({ description: 'What a person enters to connect an account.' }),
  scopes: z
    .array(
      z.object({
        name: z.string().openapi({ description: 'For scopes of a connection.' }),
        meaning: z.string().openapi({ description: 'What it allows, for people; may be empty.' }),
      }),
    )
    .openapi({ description: 'The scopes that a connection may ask for.' }),
});

const connector = z
  .object({
    name: z.string().openapi({ description: 'Name in the catalog; `provider` of accounts.' }),
    title: z.string().openapi({ description: 'Name for people.' }),
    description: z.string().openapi({ description: 'What its tools do.' }),
    authorization_types: z
      .array(authorizationType)
      .openapi({ description: 'The ways to connect an account; the first is the default.' }),
    toolsets: z.array(z.string()).openapi({ description: 'Names of its toolsets.' }),
    hosts: z.array(z.string()).openapi({
      description: 'Base addresses, with placeholders such as {domain}; the first is the default.',
    }),
  })
  .openapi('Connector', { description: 'A provider that the catalog knows.' });

const environment = z
  .object({
    id: z.string().openapi({ description: 'Id of the environment, `env_…`.' }),
    name: z.string().openapi({ description: 'Name in gatehouse.yaml.' }),
    base_url: z.string().openapi({ format: 'uri', description: 'Its public address.' }),
  })
  .openapi('Environment', { description: 'An environment of this installation.' });

/** Services that the routes of connectors use. */
export interface ConnectorServices {
  catalog: EnvironmentCatalogs;
  environments: Environments;
  pageTokens: PageTokens;
}

/** Adds the routes of connectors and environments. */
export function addConnectorRoutes(
  endpoints: Endpoints,
  { catalog, environments, pageTokens }: ConnectorServices,
): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List connectors of the catalog.',
      access,
      query: z.strictObject(wholePageShape),
      answer: z.object({ connectors: listed(connector), ...pageAnswerShape }),
    },
    async ({ caller, query }) => {
      const own = catalog.in(caller.environmentId);
      const { rows, links } = pageOfAll(pageTokens, query, {
        rows: [...own.connectors.values()],
        keyOf: ({ name }) => name,
        bound: 'connectors',
      });
      return { connectors: rows.map((row) => toConnectorView(own, row)), ...links };
    },
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/{name}`,
      tag,
      summary: 'Get a connector of the catalog.',
      access,
      params: z.object({ name: text(100, 'Name of the connector.') }),
      answer: z.object({ connector }),
      refusals: [404],
    },
    async ({ caller, params }) => {
      const own = catalog.in(caller.environmentId);
      const found = own.connectors.get(params.name);
      if (found === undefined) throw notFound('connector');
      return { connector: toConnectorView(own, found) };
    },
  );
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/environments',
      tag: 'Operation',
      summary: 'List the environments of this installation.',
      access,
      query: z.strictObject(wholePageShape),
      answer: z.object({ environments: listed(environment), ...pageAnswerShape }),
    },
    async ({ query }) => {
      const { rows, links } = pageOfAll(pageTokens, query, {
        rows: environments.all,
        keyOf: ({ id }) => id,
        bound: 'environments',
      });
      return { environments: rows.map(toEnvironmentView), ...links };
    },
  );
}
