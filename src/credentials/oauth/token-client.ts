/**
 * Token requests over HTTP: authorization codes, refresh tokens and revocations (RFC 6749, RFC 7009).
 *
 * Goes out through the Sender like every other request, so its address policy holds here too. Follows no
 * redirect, repeats nothing, keeps nothing. Nothing it throws holds a token or a secret: errors of the OAuth
 * library carry whole answers, so they stay in here.
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
      context: contextOf(reply, client.replyContext),
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

  #authenticationOf(client: OAuthClient): oauth.ClientAuth {
    const { clientSecret, authentication } = client;
    if (authentication === 'none') return () => {};
    if (clientSecret === undefined || clientSecret === '') return oauth.None();
    if (authentication === 'private_key_jwt') return signedAssertion(client, clientSecret, this.#clock);
    // A connector that is changed to send its secret must not send what was given to sign with.
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

/** The members that `readTokenReply` has let through. */
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
