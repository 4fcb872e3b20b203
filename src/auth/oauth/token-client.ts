/**
 * Token requests over HTTP: authorization codes, refresh tokens and revocations (RFC 6749, RFC 7009).
 *
 * Goes out through the Sender like every other request, so its address policy holds here too. Follows no
 * redirect, repeats nothing, keeps nothing. Nothing it throws holds a token or a secret: errors of the OAuth
 * library carry whole answers, so they stay in here.
 */
import * as oauth from 'oauth4webapi';
import { systemClock, type Clock } from '../../core/clock.ts';
import { OutboundFailure } from '../../provider/outbound-failure.ts';
import type { OutboundResponse } from '../../provider/outbound.ts';
import type { Sender } from '../../provider/provider-client.ts';
import { parseRetryAfter } from '../../provider/retry.ts';
import { ourScopes } from './scope-names.ts';
import { readRevocation, readScope, readTokenReply, tokenFailure } from './token-answer.ts';
import type { OAuthClient, TokenEndpoint, TokenFailureKind, TokenReply } from './token-endpoint.ts';

/** Of an unpacked answer. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** One request: to whom, with which secrets, how long. */
interface Exchange {
  client: OAuthClient;
  /** Never to be repeated in words. */
  secrets: readonly string[];
  timeoutMs: number;
}

export class TokenClient implements TokenEndpoint {
  readonly #sender: Pick<Sender, 'send'>;
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  /**
   * @param options.clock for the date form of Retry-After
   * @param options.timeoutMs for codes and revocations, default 30 s; a refresh brings its own
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

  async revoke(client: OAuthClient, token: string, hint: 'access_token' | 'refresh_token'): Promise<void> {
    if (client.revocationUrl === undefined)
      throw tokenFailure('not_sent', {}, ' The provider has no revocation endpoint.');
    const exchange = { client, secrets: [token], timeoutMs: this.#timeoutMs };
    await withoutObjection('not_sent', async () =>
      oauth.revocationRequest(serverOf(client), metadataOf(client), authenticationOf(client), token, {
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
      readTokenReply(answer, secretsOf(exchange), this.#retryAfter(answer)),
    );
    const response = await withoutObjection('not_sent', async () =>
      oauth.genericTokenEndpointRequest(
        server,
        metadata,
        authenticationOf(client),
        grantType,
        parameters,
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
    };
  }

  /** Lets the library send through the Sender and see only what `read` makes of the answer. */
  #over(
    exchange: Exchange,
    read: (response: OutboundResponse) => object,
  ): oauth.TokenEndpointRequestOptions & oauth.RevocationRequestOptions {
    return {
      // Whether http may be used is the Sender's to decide, by host.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url: string, { body, headers }) => {
        const { authorization } = headers;
        try {
          const response = await this.#sender.send({
            method: 'POST',
            url: new URL(url),
            headers: {
              accept: 'application/json',
              'content-type': 'application/x-www-form-urlencoded',
              ...(authorization !== undefined && { authorization }),
            },
            body: body.toString(),
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

  #retryAfter(response: OutboundResponse): number | undefined {
    return parseRetryAfter(response.headers['retry-after'], this.#clock.now());
  }
}

/**
 * What the library objects to in a request is `not_sent`, in an answer `unknown`. Its errors hold the answer, so
 * they end here.
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

/** Never to come back in words: what goes to the provider, in the forms it is written in. */
function secretsOf({ client, secrets }: Exchange): readonly string[] {
  const secret = client.clientSecret;
  return secret === undefined ? secrets : [...secrets, secret, formEncode(secret)];
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

function authenticationOf({ clientSecret, authentication }: OAuthClient): oauth.ClientAuth {
  if (clientSecret === undefined || clientSecret === '') return oauth.None();
  return authentication === 'post' ? oauth.ClientSecretPost(clientSecret) : basicAuthentication(clientSecret);
}

/**
 * RFC 6749 section 2.3.1, with no more encoded than the form encoding asks for: many providers do not decode
 * the two parts, and then ids with `-`, `_` or `.` have to arrive as they are.
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
