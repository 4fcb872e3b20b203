/** The OAuth endpoints of a stand-in: consent page, tokens, revocation. */
import { Hono, type Context } from 'hono';
import { hashSecret } from '../../src/core/ids.ts';
import { consentPage, refusalPage, STYLE_SOURCE } from './consent-page.ts';
import type { IssuedTokens, OAuthApp } from './grants.ts';
import type { OAuthProvider } from './provider.ts';
import { OAuthRefusal } from './refusal.ts';

/** The endpoints of one provider, at its own paths. */
export function oauthRoutes(provider: OAuthProvider): Hono {
  const { app, grants, paths, members, description } = provider;
  const title = `Sandbox ${description.thing}`;
  const routes = new Hono();
  routes.onError((error, c) => {
    if (!(error instanceof OAuthRefusal)) throw error;
    if (error.error === 'invalid_client') c.header('www-authenticate', `Basic realm="${title}"`);
    const body = { error: error.error, error_description: error.message };
    return c.json(description.renderRefusal?.(error) ?? body, error.status);
  });
  for (const path of Object.values(paths)) {
    routes.use(path, async (c, next) => {
      await next();
      c.header('cache-control', 'no-store');
    });
  }
  const refuse = (c: Context, reason: string) => sendPage(c, refusalPage(title, reason), 400);

  routes.get(paths.authorize, (c) => {
    const query = new URL(c.req.url).searchParams;
    const redirectUri = query.get('redirect_uri') ?? '';
    if (new Set(query.keys()).size < [...query.keys()].length)
      return refuse(c, 'The request names a parameter twice.');
    if (query.get('client_id') !== app.clientId)
      return refuse(c, 'The app that asks is not registered here (client_id).');
    if (!provider.isRegistered(redirectUri))
      return refuse(c, 'The address to go back to is not registered for this app (redirect_uri).');

    const state = query.get('state') ?? undefined;
    const sendBack = (error: string) => c.redirect(backTo(redirectUri, { error, state }), 303);
    if (query.get('response_type') !== 'code') return sendBack('unsupported_response_type');
    const codeChallenge = query.get('code_challenge') ?? undefined;
    if (codeChallenge !== undefined && query.get('code_challenge_method') !== 'S256')
      return sendBack('invalid_request');
    let wanted: ReturnType<typeof description.readConsent>;
    try {
      wanted = description.readConsent(query);
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      const { error: code, message: error_description } = error;
      return c.redirect(backTo(redirectUri, { error: code, error_description, state }), 303);
    }
    const number = grants.ask({ redirectUri, state, codeChallenge, ...wanted });
    const question = {
      title,
      action: paths.authorize,
      thing: description.thing,
      place: description.place,
      members,
      permissions: wanted.scopes.map((scope) => description.permissions[scope] ?? scope),
      number,
      appName: app.name,
      returnHost: new URL(redirectUri).host,
    };
    return sendPage(c, consentPage(question), 200);
  });

  routes.post(paths.authorize, async (c) => {
    const form = await readForm(c);
    const consent = grants.takeConsent(form.get('number') ?? '');
    const member = members.find(({ id }) => id === form.get('member'));
    if (consent === undefined || member === undefined)
      return refuse(c, 'This page was answered before, or is not ours.');
    const { redirectUri, state } = consent;
    if (form.get('answer') !== 'allow')
      return c.redirect(backTo(redirectUri, { error: 'access_denied', state }), 303);
    return c.redirect(backTo(redirectUri, { code: grants.allow(consent, member.id), state }), 303);
  });

  routes.post(paths.token, async (c) => {
    const form = await readForm(c);
    authenticate(c, form, app);
    const { answer, grant } = issue(form, provider);
    const member = members.find(({ id }) => id === grant.memberId);
    return c.json({ ...answer, ...(member && description.addToTokens?.(grant, member)) });
  });

  if (paths.revoke !== undefined) {
    routes.post(paths.revoke, async (c) => {
      const form = await readForm(c);
      authenticate(c, form, app);
      grants.revoke(required(form, 'token'));
      return c.body(null, 200);
    });
  }
  return routes;
}

/** @throws OAuthRefusal */
function issue(form: URLSearchParams, { grants }: OAuthProvider): IssuedTokens {
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return grants.exchange(required(form, 'code'), {
        redirectUri: form.get('redirect_uri') ?? undefined,
        verifier: form.get('code_verifier') ?? undefined,
      });
    case 'refresh_token':
      return grants.refresh(required(form, 'refresh_token'));
    default:
      throw new OAuthRefusal('unsupported_grant_type', 'Send authorization_code or refresh_token.');
  }
}

/**
 * Sends no `form-action`: browsers apply it to every redirect after the post, and the app's own redirects are
 * not known here.
 */
export function sendPage(
  c: Context,
  content: ReturnType<typeof consentPage>,
  status: 200 | 400,
): Response | Promise<Response> {
  c.header(
    'content-security-policy',
    `default-src 'none'; style-src ${STYLE_SOURCE}; img-src data:; frame-ancestors 'none'`,
  );
  c.header('referrer-policy', 'same-origin');
  c.header('x-content-type-options', 'nosniff');
  return c.html(content, status);
}

function backTo(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** Keeps duplicate parameters, so that they can be refused. @throws OAuthRefusal invalid_request */
export async function readForm(c: Context): Promise<URLSearchParams> {
  if (!(c.req.header('content-type') ?? '').startsWith('application/x-www-form-urlencoded'))
    throw new OAuthRefusal('invalid_request', 'Send the body as application/x-www-form-urlencoded.');
  const form = new URLSearchParams(await c.req.text());
  if (new Set(form.keys()).size < [...form.keys()].length)
    throw new OAuthRefusal('invalid_request', 'A parameter is there twice.');
  return form;
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (value === null || value === '')
    throw new OAuthRefusal('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

/** The app authenticates in the form or in the header, not in both. @throws OAuthRefusal */
function authenticate(c: Context, form: URLSearchParams, app: OAuthApp): void {
  const basic = /^Basic (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  if (basic !== undefined && form.has('client_secret'))
    throw new OAuthRefusal(
      'invalid_request',
      'Send the client secret in the form or in the header, not in both.',
    );
  const [id, secret] =
    basic === undefined
      ? [form.get('client_id'), form.get('client_secret')]
      : Buffer.from(basic, 'base64').toString().split(':').map(decodeFormText);
  if (id !== app.clientId || hashSecret(secret ?? '') !== hashSecret(app.clientSecret))
    throw new OAuthRefusal('invalid_client', 'Unknown client, or wrong client secret.');
}

/** RFC 6749 section 2.3.1: both parts are form-encoded before they are joined. */
function decodeFormText(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? '';
}
