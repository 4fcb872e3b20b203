/** Entries of `auth` as a catalog holds them: the smallest one of each authorization type, and those of a connector. */
import type { AuthorizationType } from '../../src/authorization-types/index.ts';
import type { AuthOf, Connector } from '../../src/catalog/model/types.ts';

const OAUTH_BLOCK = {
  authorization_url: 'https://login.example/authorize',
  token_url: 'https://login.example/token',
  pkce: true,
  authorize_parameters: {},
  scope_parameter: true,
  scope_separator: ' ',
  client_authentication: 'post',
  refresh_tokens: true,
  revocation: 'none',
} as const;

const ENTRIES: { readonly [Type in AuthorizationType]: AuthOf<Type> } = {
  OAUTH: { type: 'OAUTH', fields: [], oauth: OAUTH_BLOCK },
  API_KEY: { type: 'API_KEY', fields: [] },
  BASIC_AUTH: { type: 'BASIC_AUTH', fields: [] },
  BEARER_TOKEN: { type: 'BEARER_TOKEN', fields: [] },
  CUSTOM: { type: 'CUSTOM', fields: [] },
  BASIC: { type: 'BASIC', fields: [] },
  OAUTH_M2M: {
    type: 'OAUTH_M2M',
    fields: [],
    oauth_m2m: {
      token_url: 'https://login.example/token',
      scopes: [],
      scope_separator: ' ',
      token_parameters: {},
      client_authentication: 'post',
    },
  },
  BOARD_OAUTH1: {
    type: 'BOARD_OAUTH1',
    fields: [],
    board_oauth1: {
      flow: 'token',
      authorization_url: 'https://login.example/authorize',
      scopes: [],
      scope_separator: ',',
      authorize_parameters: {},
      attach: 'query',
    },
  },
  WORKSPACE_DWD: {
    type: 'WORKSPACE_DWD',
    fields: [],
    workspace_dwd: { token_url: 'https://login.example/token', scopes: [] },
  },
  TRUSTED_IDP: {
    type: 'TRUSTED_IDP',
    fields: [],
    trusted_idp: {
      sts_url: 'https://sts.example/',
      region: 'eu-west-1',
      service: 'redshift-data',
      audience: 'sts.amazonaws.com',
      duration_seconds: 3_600,
    },
  },
  SMART_FHIR: {
    type: 'SMART_FHIR',
    fields: [],
    smart_fhir: { scopes: [], client_authentication: 'post', authorize_parameters: {} },
  },
  NO_AUTH: { type: 'NO_AUTH', fields: [] },
  MCP_OAUTH: {
    type: 'MCP_OAUTH',
    fields: [],
    mcp_oauth: {
      registration: 'auto',
      scopes: [],
      scope_separator: ' ',
      authorization_servers: 'pinned',
      discovery: 'metadata',
      authorize_parameters: {},
      revocation: 'token',
    },
  },
};

/** An entry with nothing but what its type requires. */
export function smallestEntry<Type extends AuthorizationType>(type: Type): AuthOf<Type> {
  return ENTRIES[type];
}

/** The connector's entry of type OAUTH. */
export function oauthEntry({ name, auth }: Pick<Connector, 'name' | 'auth'>): AuthOf<'OAUTH'> {
  const entry = auth.find((candidate) => candidate.type === 'OAUTH');
  if (entry === undefined) throw new Error(`${name} has no OAuth`);
  return entry;
}
