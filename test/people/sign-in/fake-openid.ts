/** An OpenID provider without a network: discovery, keys and token endpoint behind a way out, and a person who signs in. */
import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { OutboundFailure } from '../../../src/outbound/outbound-failure.ts';
import type { OutboundRequest, OutboundResponse } from '../../../src/outbound/outbound.ts';

/** What the provider does otherwise than it should. */
export interface Misbehaviour {
  /** Replace claims of the ID token; undefined removes one. */
  claims?: Record<string, unknown>;
  /** Replace members of the metadata. */
  metadata?: Record<string, unknown>;
  /** Signs with a key that it does not publish. */
  isForged?: boolean;
  /** Does not answer. */
  isAway?: boolean;
  /** Has a user endpoint that answers so. */
  userinfo?: Record<string, unknown>;
  /** Answers the token request so. */
  tokenAnswer?: { status: number; body: unknown };
}

interface Authorization {
  nonce: string;
  challenge: string;
  redirectUri: string;
  clientId: string;
  claims: Record<string, unknown>;
}

interface Keys {
  published: CryptoKey;
  forged: CryptoKey;
  jwk: JWK;
}

let made: Promise<Keys> | undefined;

/** One pair for all tests. */
async function keys(): Promise<Keys> {
  made ??= (async () => {
    const [published, forged] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const jwk = { ...(await exportJWK(published.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
    return { published: published.privateKey, forged: forged.privateKey, jwk };
  })();
  return made;
}

export class FakeOpenId {
  readonly issuer: string;
  /** Requests that reached it. */
  readonly received: OutboundRequest[] = [];
  misbehaviour: Misbehaviour = {};
  readonly #codes = new Map<string, Authorization>();
  #count = 0;

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  /**
   * Somebody signs in at the address where the browser was sent.
   *
   * @returns the query with which the person is sent back
   */
  signIn(address: string, claims: Record<string, unknown>): URLSearchParams {
    const query = new URL(address).searchParams;
    const code = `code-${++this.#count}`;
    this.#codes.set(code, {
      nonce: query.get('nonce') ?? '',
      challenge: query.get('code_challenge') ?? '',
      redirectUri: query.get('redirect_uri') ?? '',
      clientId: query.get('client_id') ?? '',
      claims,
    });
    return new URLSearchParams({ code, state: query.get('state') ?? '', iss: this.issuer });
  }

  /** How many codes were handed in. */
  get exchanges(): number {
    return this.received.filter(({ url }) => url.pathname.endsWith('/token')).length;
  }

  async send(request: OutboundRequest): Promise<OutboundResponse> {
    this.received.push(request);
    if (this.misbehaviour.isAway === true) throw new OutboundFailure('connect', false);
    const path = request.url.pathname;
    if (path.endsWith('/.well-known/openid-configuration')) return json(200, this.#metadata());
    if (path.endsWith('/keys')) return json(200, { keys: [(await keys()).jwk] });
    if (path.endsWith('/token')) return this.#token(request);
    if (path.endsWith('/userinfo')) return json(200, this.misbehaviour.userinfo);
    return json(404, {});
  }

  #metadata(): unknown {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
      ...(this.misbehaviour.userinfo && { userinfo_endpoint: `${this.issuer}/userinfo` }),
      ...this.misbehaviour.metadata,
    };
  }

  async #token({ body }: OutboundRequest): Promise<OutboundResponse> {
    const { tokenAnswer, claims: changed, isForged } = this.misbehaviour;
    if (tokenAnswer !== undefined) return json(tokenAnswer.status, tokenAnswer.body);
    const form = new URLSearchParams(String(body));
    const code = form.get('code') ?? '';
    const authorization = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (authorization?.challenge !== challenge || authorization.redirectUri !== form.get('redirect_uri'))
      return json(400, { error: 'invalid_grant' });
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: this.issuer,
      aud: authorization.clientId,
      sub: 'subject-1',
      iat: now,
      exp: now + 300,
      nonce: authorization.nonce,
      ...authorization.claims,
      ...changed,
    };
    const { published, forged } = await keys();
    const idToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(isForged === true ? forged : published);
    return json(200, { access_token: 'at', token_type: 'Bearer', expires_in: 300, id_token: idToken });
  }
}

function json(status: number, body: unknown): OutboundResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
}
