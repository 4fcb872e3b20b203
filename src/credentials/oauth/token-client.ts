/**
 * Token requests over HTTP: authorization codes, refresh tokens and revocations (RFC 6749, RFC 7009).
 *
 * Requests go through the Sender like all others, so its address policy applies. Follows no redirect, retries
 * nothing, keeps nothing. No error holds a token or a secret: errors of the OAuth library carry whole answers, so they
 * do not leave this file.
 */
import * as oauth from 'oauth4webapi';
import { holdsPrivateKey } from '../../connections/secret-params.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import { OutboundFailure } from '../../outbound/outbound-failure.ts';
import type { OutboundResponse } from '../../outbound/outbound.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import { parseRetryAfter } from '../../outbound/retry.ts';
import { clientAssertion } from './client-assertion.ts';
import { ourScopes } from './scope-names.ts';
import { readRevocation, readScope, readTokenReply, tokenFailure } from './token-answer.ts';
import type { OAuthClient, TokenEndpoint, TokenFailureKind, TokenReply } from './token-endpoint.ts';

/** Limit of an unpacked answer. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** One request: its client, its secrets and its timeout. */
interface Exchange {
  client: OAuthClient;
  /** Values that messages must never repeat. */
  secrets: readonly string[];
  timeoutMs: number;
}

export class TokenClient implements TokenEndpoint {
  readonly #sender: Pick<Sender, 'send'>;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  /**
   * @param options.clock for Retry-After as a date
   * @param options.timeoutMs for codes and revocations, default 30 s; each refresh sets its own
   */
  constructor(sender: Pick<Sender, 'send'>, options: { clock?: Clock; timeoutMs?: number } = {}) {
    this.#sender = sender;
    this.#clock = options.clock ?? systemClock;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
  }

  async exchange(
    client: OAuthClient,
    grant: { code: string; redirectUri: string; verifier: string | undefined },
  ): Promise<TokenReply> {
    const { code, redirectUri, verifier } = grant;
    const parameters = {
      code,
      redirect_uri: redirectUri,
      ...(verifier !== undefined && { code_verifier: verifier }),
    };
    return this.#tokens('authorization_code', parameters, {
      client,
      secrets: [code, verifier ?? ''],
      timeoutMs: this.#timeoutMs,
    });
  }

  async refresh(
    client: OAuthClient,
    refreshToken: string,
    options: { timeoutMs: number },
  ): Promise<TokenReply> {
    return this.#tokens(
      'refresh_token',
      { refresh_token: refreshToken },
      { client, secrets: [refreshToken], timeoutMs: options.timeoutMs },
    );
  }

  async mint(
    client: OAuthClient,
    grant: { type: string; parameters: Readonly<Record<string, string>>; secrets: readonly string[] },
    options: { timeoutMs: number },
  ): Promise<TokenReply> {
    const { type, parameters, secrets } = grant;
    return this.#tokens(type, { ...parameters }, { client, secrets, timeoutMs: options.timeoutMs });
  }

  async revoke(client: OAuthClient, token: string, hint: 'access_token' | 'refresh_token'): Promise<void> {
    if (client.revocationUrl === undefined)
      throw tokenFailure('not_sent', {}, ' The provider has no revocation endpoint.');
    const exchange = { client, secrets: [token], timeoutMs: this.#timeoutMs };
    await withoutObjection('not_sent', async () =>
      oauth.revocationRequest(serverOf(client), metadataOf(client), this.#authenticationOf(client), token, {
        additionalParameters: { token_type_hint: hint },
        ...this.#over(exchange, (response) => {
          readRevocation(response, secretsOf(exchange), this.#retryAfter(response));
          return {};
        }),
      }),
    );
  }

  async #tokens(
    grantType: string,
    parameters: Record<string, string>,
    exchange: Exchange,
  ): Promise<TokenReply> {
    const { client } = exchange;
    const [server, metadata] = [serverOf(client), metadataOf(client)];
    const options = this.#over(exchange, (answer) =>
      readTokenReply(answer, secretsOf(exchange), this.#retryAfter(answer), client.replyContext),
    );
    const response = await withoutObjection('not_sent', async () =>
      oauth.genericTokenEndpointRequest(
        server,
        metadata,
        this.#authenticationOf(client),
        grantType,
        client.resource === undefined ? parameters : { ...parameters, resource: client.resource },
        options,
      ),
    );
    const reply = await withoutObjection('unknown', async () =>
      oauth.processGenericTokenEndpointResponse(server, metadata, response),
    );
    const scopes = ourScopes(readScope(reply.scope), client.scopeNames);
    return {
      accessToken: reply.access_token,
      refreshToken: reply.refresh_token,
      expiresInSeconds: reply.expires_in,
      scopes: scopes.length > 0 ? scopes : undefined,
      context: contextOf(reply, client.replyContext),
    };
  }

  /** Makes the library send through the Sender and see only the answer that `read` returns. */
  #over(
    exchange: Exchange,
    read: (response: OutboundResponse) => object,
  ): oauth.TokenEndpointRequestOptions & oauth.RevocationRequestOptions {
    return {
      // The Sender decides by host whether http is allowed.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url: string, { body, headers }) => {
        const { authorization } = headers;
        const isJson = exchange.client.body === 'json';
        try {
          const response = await this.#sender.send({
            method: 'POST',
            url: new URL(url),
            headers: {
              accept: 'application/json',
              'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
              ...(authorization !== undefined && { authorization }),
            },
            body: isJson ? JSON.stringify(Object.fromEntries(body)) : body.toString(),
            headersTimeoutMs: exchange.timeoutMs,
            totalTimeoutMs: exchange.timeoutMs,
            maxResponseBytes: MAX_ANSWER_BYTES,
          });
          return Response.json(read(response));
        } catch (error) {
          if (!(error instanceof OutboundFailure)) throw error;
          throw tokenFailure(error.sent ? 'unknown' : 'not_sent', { cause: error }, ` ${error.message}`);
        }
      },
    };
  }

  #authenticationOf(client: OAuthClient): oauth.ClientAuth {
    const { clientSecret, authentication } = client;
    if (authentication === 'none') return () => {};
    if (clientSecret === undefined || clientSecret === '') return oauth.None();
    if (authentication === 'private_key_jwt') return signedAssertion(client, clientSecret, this.#clock);
    // If a connector changes to sending its secret, the private key of a connection must not be sent.
    if (holdsPrivateKey(clientSecret))
      throw tokenFailure('client_refused', {}, ' Its secret is a private key, which is never sent.');
    return authentication === 'post'
      ? oauth.ClientSecretPost(clientSecret)
      : basicAuthentication(clientSecret);
  }

  #retryAfter(response: OutboundResponse): number | undefined {
    return parseRetryAfter(response.headers['retry-after'], this.#clock.now());
  }
}

/**
 * Errors of the library about a request become `not_sent`, those about an answer `unknown`. They hold the answer, so
 * they do not leave this function.
 *
 * @throws TokenFailure
 */
async function withoutObjection<T>(kind: TokenFailureKind, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isObjection =
      error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError;
    throw isObjection ? tokenFailure(kind) : error;
  }
}

/** All values sent to the provider that messages must not repeat, in each form in which they are written. */
function secretsOf({ client, secrets }: Exchange): readonly string[] {
  const secret = client.clientSecret;
  if (secret === undefined) return secrets;
  return [...secrets, secret, formEncode(secret), JSON.stringify(secret).slice(1, -1)];
}

/** The members that `readTokenReply` returned. */
function contextOf(
  reply: Readonly<Record<string, unknown>>,
  names: readonly string[] = [],
): TokenReply['context'] {
  const came = names.flatMap((name) => {
    const value = reply[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return came.length === 0 ? undefined : Object.fromEntries(came);
}

function serverOf({ issuer, tokenUrl, revocationUrl }: OAuthClient): oauth.AuthorizationServer {
  return {
    issuer,
    token_endpoint: tokenUrl,
    ...(revocationUrl !== undefined && { revocation_endpoint: revocationUrl }),
  };
}

function metadataOf({ clientId }: OAuthClient): oauth.Client {
  return { client_id: clientId };
}

/** RFC 7523 section 2.2: a new assertion for each request. */
function signedAssertion(client: OAuthClient, privateKey: string, clock: Clock): oauth.ClientAuth {
  return async (_server, { client_id }, body) => {
    body.set('client_id', client_id);
    body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    body.set('client_assertion', await clientAssertion(client, privateKey, clock.now()));
  };
}

/**
 * RFC 6749 section 2.3.1, with the least encoding that the form encoding allows. Many providers do not decode the two
 * parts, so ids with `-`, `_` or `.` have to arrive unchanged.
 */
function basicAuthentication(clientSecret: string): oauth.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const credentials = `${formEncode(client_id)}:${formEncode(clientSecret)}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
