/**
 * The endpoints for people's browsers and clients: authorization, registration, and their token requests. Checks
 * what the library does not check, then passes the request on to it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../core/environment.ts';
import type { Visitor } from '../core/caller.ts';
import type { RateLimiter, RateRefusal } from '../store/records/rate-limiter.ts';
import type { ClientRefused } from './client-authentication.ts';
import { OAuthError } from './protocol/oauth-error.ts';
import { readBody, readOAuthForm, type OAuthForm } from './protocol/oauth-form.ts';
import { OAUTH_PATHS } from './protocol/server-metadata.ts';
import { networkOf } from '../people/sign-in/network.ts';
import { toClientMetadata } from './protocol/client-metadata.ts';
import { MAX_PARAMETER_BYTES, SET_ASIDE } from './library/people-configuration.ts';
import type { OAuthServers } from './library/oauth-servers.ts';
import { defaultResource, personResource } from './protocol/resources.ts';

/** Each creates a row that lasts for half an hour at most. */
const AUTHORIZATIONS_PER_MINUTE = 120;

/** Each creates a row that lasts for 30 days at most. */
const REGISTRATIONS_PER_MINUTE = 10;

const MAX_REGISTRATION_BYTES = 16 * 1024;

/** A request that belongs to an environment. */
export interface EndpointRequest {
  environment: Environment;
  req: IncomingMessage;
  res: ServerResponse;
  visitor: Visitor;
}

export class PeopleEndpoints {
  readonly #providers: OAuthServers;
  readonly #limiter: RateLimiter;

  constructor({ providers, rateLimiter }: { providers: OAuthServers; rateLimiter: RateLimiter }) {
    this.#providers = providers;
    this.#limiter = rateLimiter;
  }

  /**
   * `GET` and `POST /oauth/authorize`, and the return to it from the consent page.
   *
   * @see RFC 6749 section 4.1.1, RFC 9207
   */
  async authorize({ environment, req, res, visitor: { ip } }: EndpointRequest): Promise<void> {
    await this.#limit(`${environment.id}:authorize:${networkOf(ip)}`, AUTHORIZATIONS_PER_MINUTE);
    const [path, query] = splitOnce(req.url ?? '');
    const isWayBack = path !== OAUTH_PATHS.authorize;
    // On return the parameters are those of the waiting request; the library fails if there are others.
    const parameters = new URLSearchParams(
      req.method === 'POST' ? [...(await readOAuthForm(req))] : isWayBack ? '' : query,
    );
    if (!isWayBack) withDefaultScope(environment, parameters);
    setAside(parameters);
    setFrameHeaders(res);
    const provider = await this.#providers.of(environment);
    const { cookie } = req.headers;
    await provider.answer(
      { method: 'GET', url: `${path}?${parameters.toString()}`, accept: 'text/html', cookie },
      ip,
      res,
    );
  }

  /**
   * `POST /oauth/register`.
   *
   * @see RFC 7591 section 3
   */
  async register({ environment, req, res, visitor: { ip } }: EndpointRequest): Promise<void> {
    await this.#limit(`${environment.id}:register:${networkOf(ip)}`, REGISTRATIONS_PER_MINUTE);
    const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
    const text = await readBody(req, MAX_REGISTRATION_BYTES);
    if (type !== 'application/json')
      throw new OAuthError(
        'invalid_client_metadata',
        'Send the metadata as JSON: Content-Type application/json.',
      );
    const metadata = toClientMetadata(parsed(text));
    const provider = await this.#providers.of(environment);
    await provider.answer(
      {
        method: 'POST',
        url: OAUTH_PATHS.register,
        accept: 'application/json',
        body: { type: 'application/json', text: JSON.stringify(metadata) },
      },
      ip,
      res,
    );
  }

  /** The token request of a client that people sign in to; the library authenticates it. */
  async token(
    { environment, req, res, visitor: { ip } }: EndpointRequest,
    form: OAuthForm,
    onClientRefused: ClientRefused,
  ): Promise<void> {
    const provider = await this.#providers.of(environment);
    await provider.answer(
      {
        method: 'POST',
        url: OAUTH_PATHS.token,
        accept: 'application/json',
        authorization: req.headers.authorization,
        body: {
          type: 'application/x-www-form-urlencoded',
          text: new URLSearchParams([...form]).toString(),
        },
      },
      ip,
      res,
      onClientRefused,
    );
  }

  /** @throws OAuthError `temporarily_unavailable` (429) */
  async #limit(key: string, perMinute: number): Promise<void> {
    const refusal = await this.#limiter.take(key, perMinute);
    if (refusal !== undefined) throw tooMany(refusal);
  }
}

/** Without `scope`, requests the default scopes of the resource. The library refuses an unknown resource. */
function withDefaultScope({ baseUrl }: Environment, parameters: URLSearchParams): void {
  if ((parameters.get('scope') ?? '').trim() !== '') return;
  const resource = personResource(baseUrl, parameters.get('resource') || defaultResource(baseUrl));
  if (resource !== undefined) parameters.set('scope', resource.defaultScopes.join(' '));
}

/** A redirect URI is as long as the client registered it. @see SET_ASIDE */
function setAside(parameters: URLSearchParams): void {
  const long = [...parameters].find(
    ([name, value]) => name !== 'redirect_uri' && Buffer.byteLength(value) > MAX_PARAMETER_BYTES,
  );
  if (long !== undefined) parameters.set(SET_ASIDE.tooLong, long[0]);
  replaceOther(parameters, 'response_mode', 'query', SET_ASIDE.mode);
  replaceOther(parameters, 'response_type', 'code', SET_ASIDE.type);
}

function replaceOther(parameters: URLSearchParams, name: string, supported: string, aside: string): void {
  const other = parameters.getAll(name).find((value) => value !== '' && value !== supported);
  if (other === undefined) return;
  parameters.set(name, supported);
  parameters.set(aside, other);
}

/** Forbids framing of this endpoint's pages, and keeps its address out of `Referer`. */
function setFrameHeaders(res: ServerResponse): void {
  res.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
  res.setHeader('x-frame-options', 'DENY');
  res.setHeader('x-content-type-options', 'nosniff');
  res.setHeader('referrer-policy', 'no-referrer');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new OAuthError('invalid_client_metadata', 'The body is not JSON.', { cause });
  }
}

function splitOnce(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

function tooMany({ retryAfterMs }: RateRefusal): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'Too many requests from this address. Wait before the next one.',
    {
      status: 429,
      headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
    },
  );
}
