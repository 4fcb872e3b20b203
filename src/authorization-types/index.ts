/** Every authorization type and its facts, one line each. A type also needs a scheme: credentials/schemes. */
import { keysOf } from '../core/json.ts';
import type * as z from 'zod';
import { apiKey } from './api-key.ts';
import { basicAuth } from './basic-auth.ts';
import { basic } from './basic.ts';
import { bearerToken } from './bearer-token.ts';
import { boardOauth1 } from './board-oauth1.ts';
import { custom } from './custom.ts';
import type { AuthorizationTypeFacts } from './facts.ts';
import { mcpOauth } from './mcp-oauth.ts';
import { noAuth } from './no-auth.ts';
import { oauthM2m } from './oauth-m2m.ts';
import { oauth } from './oauth.ts';
import { smartFhir } from './smart-fhir.ts';
import { trustedIdp } from './trusted-idp.ts';
import { workspaceDwd } from './workspace-dwd.ts';

/** The table of types. Its order is public: it is that of enumerations in /openapi.json and catalogs/schema.json. */
export const AUTHORIZATION_TYPES = {
  OAUTH: oauth,
  API_KEY: apiKey,
  BASIC_AUTH: basicAuth,
  BEARER_TOKEN: bearerToken,
  CUSTOM: custom,
  BASIC: basic,
  OAUTH_M2M: oauthM2m,
  BOARD_OAUTH1: boardOauth1,
  WORKSPACE_DWD: workspaceDwd,
  TRUSTED_IDP: trustedIdp,
  SMART_FHIR: smartFhir,
  NO_AUTH: noAuth,
  MCP_OAUTH: mcpOauth,
};

type Table = typeof AUTHORIZATION_TYPES;

/** Name of an authorization type, as in `authorization_type`. */
export type AuthorizationType = keyof Table;

/** Types with a block of their own in an `auth` entry. */
export type TypeWithBlock = {
  [Type in AuthorizationType]: Table[Type] extends { block: unknown } ? Type : never;
}[AuthorizationType];

/** Types whose accounts bring a credential that is sent as it was entered. */
export type StaticType = {
  [Type in AuthorizationType]: Table[Type] extends { isStatic: true } ? Type : never;
}[AuthorizationType];

/** Shape of a type's block. */
export type BlockShape<Type extends TypeWithBlock> = ReturnType<Table[Type]['block']>;

/** Content of a type's block, with defaults filled in. */
export type BlockContent<Type extends TypeWithBlock> = z.output<BlockShape<Type>>;

/** Key of a type's block. */
export type BlockName<Type extends TypeWithBlock = TypeWithBlock> = Lowercase<Type>;

/** Names of the types, in the order of the table. */
export const AUTHORIZATION_TYPE_NAMES = keysOf(AUTHORIZATION_TYPES);

/** The facts of a type. */
export function typeOf({ type }: { type: AuthorizationType }): AuthorizationTypeFacts {
  return AUTHORIZATION_TYPES[type];
}

/** The facts of the type with this name; `undefined` if the program does not know it. */
export function typeNamed(name: string): AuthorizationTypeFacts | undefined {
  return isAuthorizationType(name) ? AUTHORIZATION_TYPES[name] : undefined;
}

/** Whether there is a type with this name. */
export function isAuthorizationType(name: string): name is AuthorizationType {
  return Object.hasOwn(AUTHORIZATION_TYPES, name);
}

/** Whether accounts of the type are connected at the provider, which redirects the browser back. */
export function isByConsent(auth: { type: AuthorizationType }): boolean {
  return typeOf(auth).isByConsent ?? false;
}

/** Key of the type's block; `undefined` if its form says everything. */
export function blockOf(type: AuthorizationType): BlockName | undefined {
  return hasBlock(type) ? (type.toLowerCase() as BlockName) : undefined;
}

function hasBlock(type: AuthorizationType): type is TypeWithBlock {
  return typeOf({ type }).block !== undefined;
}
