/** The token and the revocation endpoint. */
import { createHash } from 'node:crypto';
import { GrantRefused, type Grants, type IssuedTokens } from './grants.ts';
import { json, type Reply } from './reply.ts';
import type { ProviderSettings } from './settings.ts';

/** A form as it arrived. */
export interface TokenRequest {
  form: URLSearchParams;
  /** Header of Basic client authentication. */
  authorization: string | undefined;
}

/** RFC 6749 sections 4.1.3 and 6. */
export function token(request: TokenRequest, settings: ProviderSettings, grants: Grants): Reply {
  try {
    authenticate(request, settings);
    const { form } = request;
    const issued =
      form.get('grant_type') === 'refresh_token'
        ? grants.renew(form.get('refresh_token') ?? '')
        : exchange(form, settings, grants);
    return json(200, replyBody(issued, settings));
  } catch (error) {
    if (!(error instanceof GrantRefused)) throw error;
    const status = error.error === 'invalid_client' ? 401 : 400;
    return json(status, { error: error.error, error_description: error.message });
  }
}

/** RFC 7009. */
export function revoke(request: TokenRequest, settings: ProviderSettings, grants: Grants): Reply {
  try {
    authenticate(request, settings);
  } catch {
    return json(401, { error: 'invalid_client' });
  }
  grants.revokeToken(request.form.get('token') ?? '');
  return { status: 200, headers: {}, body: '' };
}

function authenticate({ form, authorization }: TokenRequest, settings: ProviderSettings): void {
  for (const name of form.keys()) {
    if (form.getAll(name).length > 1) throw new GrantRefused('invalid_request', `${name} is repeated`);
  }
  let [id, secret] = [form.get('client_id'), form.get('client_secret')];
  if (authorization?.startsWith('Basic ') === true) {
    const text = Buffer.from(authorization.slice(6), 'base64').toString();
    [id = '', secret = ''] = text.split(':').map(decodeURIComponent);
  }
  if (id !== settings.clientId || secret !== settings.clientSecret)
    throw new GrantRefused('invalid_client', 'client authentication failed');
}

function exchange(form: URLSearchParams, settings: ProviderSettings, grants: Grants): IssuedTokens {
  if (form.get('grant_type') !== 'authorization_code') throw new GrantRefused('unsupported_grant_type', '');
  const code = grants.takeCode(form.get('code') ?? '');
  if (form.get('redirect_uri') !== code.redirectUri)
    throw new GrantRefused('invalid_grant', 'another redirect_uri');
  const verifier = form.get('code_verifier');
  if (
    code.challenge === null
      ? verifier !== null && settings.pkce !== 'off'
      : !matches(verifier, code.challenge)
  )
    throw new GrantRefused('invalid_grant', 'code_verifier does not fit');
  const { refreshTokens } = settings;
  const withRefresh =
    refreshTokens === 'always' ||
    (refreshTokens === 'offline_access' && code.scope.split(' ').includes('offline_access'));
  return grants.issue({ subject: code.subject, scope: code.scope, withRefresh, code });
}

function matches(verifier: string | null, challenge: string): boolean {
  return (
    /^[A-Za-z0-9._~-]{43,128}$/.test(verifier ?? '') &&
    createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url') === challenge
  );
}

function replyBody(issued: IssuedTokens, { expiresInSeconds, replyExtra }: ProviderSettings): object {
  return {
    access_token: issued.accessToken,
    token_type: 'Bearer',
    ...(expiresInSeconds !== null && { expires_in: expiresInSeconds }),
    ...(issued.refreshToken !== undefined && { refresh_token: issued.refreshToken }),
    ...(issued.scope !== '' && { scope: issued.scope }),
    ...replyExtra,
  };
}
