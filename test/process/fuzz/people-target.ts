/** People, policy and a client that bad requests are aimed at, made over the public routes. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FuzzPerson } from './bad-request.ts';

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

const EMAIL = 'ann@example.test';
const CALLBACK = 'http://127.0.0.1:33418/callback';
const FORM = 'application/x-www-form-urlencoded';

/** One of everything with an id. */
export async function makePeople(call: Call): Promise<Record<string, string>> {
  const { organization, user } = await call<Made<'organization' | 'user'>>('POST', 'organizations', {
    name: 'Acme',
    user: { email: EMAIL },
  });
  const { interceptor } = await call<Made<'interceptor'>>('POST', 'interceptors', {
    name: 'Rule',
    trigger_point: 'PRE_USER_INVITATION',
    endpoint: 'https://policy.example.test/ask',
    fallback: 'allow',
    enabled: false,
  });
  const { mcp_server } = await call<Made<'mcp_server'>>('POST', 'mcp_servers', {
    name: 'desk',
    connections: ['websearch'],
  });
  const { invitation } = await call<{ invitation: { link: string } }>(
    'POST',
    `organizations/${organization.id}/invitations`,
    { email: 'bob@example.test' },
  );
  return {
    organization: organization.id,
    user: user.id,
    interceptor: interceptor.id,
    server: mcp_server.id,
    invitation: invitation.link.split('/').at(-1) ?? '',
  };
}

type Made<Name extends string> = Record<Name, { id: string }>;

/** Registers a client, starts a consent, and signs in with the code that the log shows. */
export async function signInBrowser(base: string, logged: readonly string[]): Promise<FuzzPerson> {
  const jar = new Map<string, string>();
  const cookies = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const visit = async (path: string, form?: Record<string, string>): Promise<Response> => {
    const headers = { cookie: cookies(), ...(form && { 'content-type': FORM, origin: base }) };
    const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form).toString() };
    const answer = await fetch(new URL(path, base), { ...body, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      jar.set(name, value);
    }
    return answer;
  };
  const registered = await fetch(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const authorize = {
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    resource: `${base}/mcp`,
    scope: 'tools:execute',
    state: 'a-state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  const away = await visit(`/oauth/authorize?${new URLSearchParams(authorize).toString()}`);
  const consentPath = new URL(away.headers.get('location') ?? '', base).pathname;
  const page = await (await visit('/sign-in')).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  await visit('/sign-in', { csrf, email: EMAIL });
  const codeLine = (): string => logged.find((line) => line.includes('sign_in_code')) ?? '';
  while (codeLine() === '') await delay(20);
  await visit('/sign-in/code', { csrf, email: EMAIL, code: /\b\d{8}\b/.exec(codeLine())?.[0] ?? '' });
  const consent = await visit(consentPath);
  expect([consent.status, (await consent.text()).includes(EMAIL)]).toEqual([200, true]);
  return { cookies: cookies(), csrf, consentPath, authorize };
}
