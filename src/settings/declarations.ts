/**
 * Shapes of what gatehouse.yaml declares in addition to settings: connections, interceptors, webhooks
 * (docs/contract.md#what-the-file-declares). Names are those of the API's bodies.
 */
import * as z from 'zod/mini';
import { SCOPE_TOKEN } from '../core/text-rules.ts';
import { WEBHOOK_EVENTS } from '../core/webhook-events.ts';
import { choice, flag, integer, list, optional, required, text, withDefault } from './values.ts';

/** Text on one line. */
export const ONE_LINE = /^\P{Cc}{1,4096}$/u;

/** Characters that RFC 6749 appendix A allows in client ids and secrets. */
const CLIENT_TEXT = /^[\x20-\x7e]{1,4096}$/;

/** An absolute http(s) URL without user name, password and fragment, at most 2048 characters. */
export function isWebUrl(value: string): boolean {
  if (value.length > 2048 || !/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  return url.username === '' && url.password === '' && url.hash === '';
}

const webUrl = () => text(isWebUrl, 'an http or https URL without user name, password or fragment');
const origin = () =>
  text(
    (value) => isWebUrl(value) && new URL(value).pathname === '/' && !value.includes('?'),
    'an origin such as https://sandbox.example.test: nothing after host and port',
  );
const oneLine = () => text(ONE_LINE, 'text in one line');

const overridesSchema = z.strictObject({
  base_url: optional(origin(), {
    meaning: 'Replaces scheme, host and port of every host of the connector; paths stay.',
  }),
  authorization_url: optional(webUrl(), {
    meaning:
      'Where the browser is sent for consent. With any override, addresses of the connector that are not overridden are not called.',
  }),
  request_token_url: optional(webUrl(), { meaning: 'Where a request token of OAuth 1.0a is issued.' }),
  token_url: optional(webUrl(), { meaning: 'Where codes and refresh tokens are exchanged.' }),
  issuer: optional(webUrl(), {
    meaning: 'What `iss` of a callback has to be. Left out: the origin of `authorization_url`.',
  }),
  revocation_url: optional(webUrl(), { meaning: 'Where tokens are revoked.' }),
});

/** An entry of `connections`. */
export const connectionSchema = z.strictObject({
  name: optional(
    text(/^[A-Za-z0-9 _:-]{1,400}$/, 'letters, digits, spaces, hyphens, underscores and colons'),
    {
      meaning: 'The `connector` of requests. Default: the name of the connector.',
    },
  ),
  connector: required(text(/^[a-z][a-z0-9_-]{0,63}$/, 'the name of a connector, such as websearch'), {
    meaning: 'The connector of the catalog it uses.',
  }),
  id: optional(
    text(/^conn_[A-Za-z0-9_-]{1,60}$/, 'conn_ and up to 60 letters, digits, hyphens or underscores'),
    {
      meaning: 'A fixed id, hence a fixed redirect URI: `<base_url>/sso/v1/oauth/<id>/callback`.',
    },
  ),
  authorization_type: optional(
    text(/^[A-Z][A-Z0-9_]{0,31}$/, 'an authorization type such as OAUTH or API_KEY'),
    {
      meaning: 'May be left out where the connector accepts one type only.',
    },
  ),
  client_id: optional(text(CLIENT_TEXT, 'printable ASCII text'), {
    meaning: 'Client id of your app at the provider.',
  }),
  client_secret: optional(text(CLIENT_TEXT, 'printable ASCII text'), {
    meaning: 'Its secret; write ${NAME} and set the variable.',
  }),
  scopes: optional(list(SCOPE_TOKEN, 'an OAuth scope'), {
    meaning: 'Scopes a link asks for. Without any: those that the tools of the connector need.',
  }),
  params: z
    .exactOptional(z.record(z.string(), z.unknown(), { error: 'must be a group of keys' }))
    .check(
      z.describe(
        'What the connector or the authorization type needs: tenant, domain, region and the like. `private_key` and `service_account_json` are stored sealed in place of `client_secret`.',
      ),
    ),
  post_user_verify_redirect_url: optional(webUrl(), {
    meaning: 'Where the browser goes after verification.',
  }),
  overrides: z
    .exactOptional(overridesSchema)
    .check(
      z.describe(
        'Other endpoints: a sandbox, a proxy, a test double. With any of them, those of the connector that are not overridden are not called.',
      ),
    ),
});

/** An entry of `interceptors`. */
export const interceptorSchema = z.strictObject({
  name: required(oneLine(), { meaning: 'Unique in its environment.' }),
  trigger_point: required(
    choice(['PRE_SIGNUP', 'PRE_USER_INVITATION', 'PRE_SESSION_CREATION', 'PRE_M2M_TOKEN_CREATION']),
    { meaning: 'The flow it may stop or change.' },
  ),
  endpoint: required(webUrl(), { meaning: 'Receives the signed call.' }),
  timeout_ms: withDefault(integer(100, 30_000), 5000, {
    meaning: 'How long an answer may take, in milliseconds.',
  }),
  fallback: required(choice(['allow', 'block']), {
    meaning: 'What happens when there is no readable answer.',
  }),
  enabled: withDefault(flag(), true, { meaning: 'Whether it is called.' }),
});

const EVENTS = `${WEBHOOK_EVENTS.slice(0, -1).join(', ')} or ${WEBHOOK_EVENTS.at(-1)}`;

/** An entry of `webhooks`. */
export const webhookSchema = z.strictObject({
  name: required(oneLine(), { meaning: 'Unique in its environment.' }),
  url: required(webUrl(), { meaning: 'Receives the signed events.' }),
  events: required(
    list(new RegExp(`^(${WEBHOOK_EVENTS.join('|').replaceAll('.', String.raw`\.`)})$`), EVENTS),
    {
      meaning: 'Which events are sent.',
    },
  ),
  enabled: withDefault(flag(), true, { meaning: 'Whether events are sent.' }),
});

/** A connection as declared; `name` is filled in with the connector's own name. */
export type ConnectionDeclaration = z.output<typeof connectionSchema> & { name: string };
/** An interceptor as declared. */
export type InterceptorDeclaration = z.output<typeof interceptorSchema>;
/** A webhook as declared. */
export type WebhookDeclaration = z.output<typeof webhookSchema>;
