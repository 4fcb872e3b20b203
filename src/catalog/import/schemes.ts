/** Turns one security scheme of a description into authorization types of a connector. Pure. */
import type * as z from 'zod';
import { isObject } from '../../core/json.ts';
import type { connectorSchema } from '../grammar/connector-schema.ts';
import { HEADER_NAME } from '../grammar/file-words.ts';
import type { JsonObject } from '../model/types.ts';
import { terse } from './text.ts';

/** A way to authenticate, as written into a catalog file. */
export type AuthInput = z.input<typeof connectorSchema>['auth'][number];

/** Types for one scheme, or the reason why it is not supported. */
export function authOf(scheme: JsonObject, server: string | undefined): AuthInput[] | string {
  const { type } = scheme;
  const hint = typeof scheme['description'] === 'string' ? terse(scheme['description'], 200) : '';
  const told = hint === '' ? {} : { hint };
  if (type === 'apiKey') return keyAuth(scheme, told);
  if (type === 'oauth2') return oauthAuth(scheme, server);
  if (type !== 'http')
    return `is of the type ${terse(String(type), 40)}, which cannot be taken from a description`;
  switch (String(scheme['scheme']).toLowerCase()) {
    case 'bearer':
      return [
        {
          type: 'BEARER_TOKEN',
          fields: [{ name: 'token', label: 'Access token', input: 'password', ...told }],
        },
      ];
    case 'basic':
      return [
        {
          type: 'BASIC',
          fields: [
            { name: 'username', label: 'User name', ...told },
            { name: 'password', label: 'Password', input: 'password' },
          ],
        },
      ];
    default:
      return `uses HTTP ${terse(String(scheme['scheme']), 40)}, for which there is no authorization type`;
  }
}

function keyAuth(scheme: JsonObject, told: { hint?: string }): AuthInput[] | string {
  const { in: place, name } = scheme;
  if ((place !== 'header' && place !== 'query') || typeof name !== 'string')
    return `sends its key in a ${terse(String(place), 40)}, for which there is no authorization type`;
  if (name === '' || name.length > 200 || (place === 'header' && !HEADER_NAME.test(name)))
    return `sends its key in a ${place} whose name cannot be sent`;
  if (place === 'header' && name.toLowerCase() === 'authorization')
    return [
      {
        type: 'API_KEY',
        fields: [{ name: 'api_key', label: 'API key, as the header wants it', input: 'password', ...told }],
        attach: { in: place, name, field: 'api_key' },
      },
    ];
  return [
    {
      type: 'API_KEY',
      fields: [{ name: 'api_key', label: 'API key', input: 'password', ...told }],
      attach: { in: place, name, field: 'api_key' },
    },
  ];
}

function oauthAuth(scheme: JsonObject, server: string | undefined): AuthInput[] | string {
  const flows = isObject(scheme['flows']) ? scheme['flows'] : {};
  const made: AuthInput[] = [];
  const { authorizationCode, clientCredentials } = flows;
  if (isObject(authorizationCode)) {
    const authorization = absolute(authorizationCode['authorizationUrl'], server);
    const token = absolute(authorizationCode['tokenUrl'], server);
    if (authorization !== undefined && token !== undefined)
      made.push({
        type: 'OAUTH',
        scopes: scopesOf(authorizationCode),
        oauth: { authorization_url: authorization, token_url: token },
      });
  }
  if (isObject(clientCredentials)) {
    const token = absolute(clientCredentials['tokenUrl'], server);
    if (token !== undefined)
      made.push({ type: 'OAUTH_M2M', scopes: scopesOf(clientCredentials), oauth_m2m: { token_url: token } });
  }
  return made.length > 0
    ? made
    : `has no usable flow: authorizationCode and clientCredentials can be taken, with their addresses`;
}

function scopesOf(flow: JsonObject): Record<string, string> {
  const written = isObject(flow['scopes']) ? flow['scopes'] : {};
  return Object.fromEntries(
    Object.entries(written)
      .filter(([scope]) => isScope(scope))
      .map(([scope, meaning]) => [scope, terse(typeof meaning === 'string' ? meaning : '', 200) || scope]),
  );
}

function absolute(url: unknown, server: string | undefined): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url, server)) return undefined;
  return new URL(url, server).href.replace(/#.*$/, '');
}

/** Whether a text can be a scope (RFC 6749 section 3.3). */
export function isScope(scope: string): boolean {
  return /^[!-~]+$/.test(scope);
}
