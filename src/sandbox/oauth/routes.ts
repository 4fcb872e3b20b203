/** The stand-in's OAuth endpoints: the question to the person, tokens, revocation. */
import { Hono, type Context } from 'hono';
import { hashSecret } from '../../core/ids.ts';
import { appsPage, consentPage, refusalPage, type ConsentQuestion } from './consent-page.ts';
import type { Grant, Grants, OAuthApp } from './grants.ts';
import { OAuthRefusal } from './refusal.ts';

/** What the endpoints need beside the grants. */
export interface OAuthRoutesOptions {
  app: OAuthApp;
  grants: Grants;
  /** Registered for the app, compared exactly. */
  redirectUris: ReadonlySet<string>;
  /** Who and what the consent page names. */
  question: Pick<ConsentQuestion, 'workspaceName' | 'members' | 'permissions'>;
}

/** `/authorize`, `/oauth/token`, `/revoke`, and `/apps` for people. */
export function oauthRoutes({ app, grants, redirectUris, question }: OAuthRoutesOptions): Hono {
  const routes = new Hono();
  routes.onError((error, c) => {
    if (!(error instanceof OAuthRefusal)) throw error;
    if (error.error === 'invalid_client') c.header('www-authenticate', 'Basic realm="Sandbox CRM"');
    return c.json({ error: error.error, error_description: error.message }, error.status);
  });
  for (const path of ['/authorize', '/oauth/token', '/revoke', '/apps']) {
    routes.use(path, async (c, next) => {
      await next();
      c.header('cache-control', 'no-store');
    });
  }

  routes.get('/authorize', (c) => {
    const query = new URL(c.req.url).searchParams;
    const redirectUri = query.get('redirect_uri') ?? '';
    if (new Set(query.keys()).size < [...query.keys()].length)
      return sendPage(c, refusalPage('The request names a parameter twice.'), 400);
    if (query.get('client_id') !== app.clientId)
      return sendPage(c, refusalPage('The app that asks is not registered here (client_id).'), 400);
    if (!redirectUris.has(redirectUri))
      return sendPage(
        c,
        refusalPage('The address to go back to is not registered for this app (redirect_uri).'),
        400,
      );

    const state = query.get('state') ?? undefined;
    const refuse = (error: string) => c.redirect(backTo(redirectUri, { error, state }), 303);
    if (query.get('response_type') !== 'code') return refuse('unsupported_response_type');
    const codeChallenge = query.get('code_challenge') ?? undefined;
    if (codeChallenge !== undefined && query.get('code_challenge_method') !== 'S256')
      return refuse('invalid_request');
    const number = grants.ask({ redirectUri, state, codeChallenge });
    const returnHost = new URL(redirectUri).host;
    return sendPage(c, consentPage({ ...question, number, appName: app.name, returnHost }), 200);
  });

  routes.post('/authorize', async (c) => {
    const form = await readForm(c);
    const consent = grants.takeConsent(form.get('number') ?? '');
    const member = question.members.find(({ id }) => id === form.get('member'));
    if (consent === undefined || member === undefined)
      return sendPage(c, refusalPage('This page was answered before, or is not ours.'), 400);
    const { redirectUri, state } = consent;
    if (form.get('answer') !== 'allow')
      return c.redirect(backTo(redirectUri, { error: 'access_denied', state }), 303);
    return c.redirect(backTo(redirectUri, { code: grants.allow(consent, member.id), state }), 303);
  });

  routes.post('/oauth/token', async (c) => {
    const form = await readForm(c);
    authenticate(c, form, app);
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return c.json(
          grants.exchange(required(form, 'code'), {
            redirectUri: form.get('redirect_uri') ?? undefined,
            verifier: form.get('code_verifier') ?? undefined,
          }),
        );
      case 'refresh_token':
        return c.json(grants.refresh(required(form, 'refresh_token')));
      default:
        throw new OAuthRefusal('unsupported_grant_type', 'Send authorization_code or refresh_token.');
    }
  });

  routes.post('/revoke', async (c) => {
    const form = await readForm(c);
    authenticate(c, form, app);
    grants.revoke(required(form, 'token'));
    return c.body(null, 200);
  });

  routes.get('/apps', (c) => {
    const shown = grants
      .live()
      .toReversed()
      .map(({ number, memberId, grantedAt }) => ({
        number,
        grantedAt,
        memberName: question.members.find(({ id }) => id === memberId)?.name ?? memberId,
      }));
    return sendPage(c, appsPage(app.name, shown), 200);
  });
  routes.post('/apps', async (c) => {
    const form = await readForm(c);
    const isMeant = (grant: Grant): boolean => String(grant.number) === form.get('number');
    if (form.get('action') === 'remove') grants.revokeGrants(isMeant);
    if (form.get('action') === 'expire') grants.expireAccessTokens(grants.live().filter(isMeant));
    return c.redirect('/apps', 303);
  });
  return routes;
}

/** No `form-action`: browsers hold every redirect after the post against it, and the app's own are not known here. */
function sendPage(
  c: Context,
  content: ReturnType<typeof consentPage>,
  status: 200 | 400,
): Response | Promise<Response> {
  c.header(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
  );
  c.header('referrer-policy', 'same-origin');
  return c.html(content, status);
}

function backTo(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** Keeps duplicates apart, so that they can be refused. @throws OAuthRefusal invalid_request */
async function readForm(c: Context): Promise<URLSearchParams> {
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

/** The app proves itself in the form or in the header, not in both. @throws OAuthRefusal */
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
