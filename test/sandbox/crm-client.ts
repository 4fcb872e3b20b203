/** A small client of the sandbox's CRM: the OAuth round without a browser, and calls with a token. */
import { expect } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** Registered by `consent`; nothing listens there. */
export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** One thing the CRM answers with; which members are there depends on the operation. */
export interface Item {
  id: Record<string, string>;
  values: Record<string, Record<string, unknown>[]>;
  comments: Item[];
  title: string;
  api_slug: string;
  thread_id: string;
  record_text: string;
  content_plaintext: string;
  [member: string]: unknown;
}

/** An answer of the CRM. */
export interface Answer {
  status: number;
  body: { data: Item & Item[]; pagination: { next_cursor: string | null }; message: string };
}

/** An answer of the token endpoint. */
export interface TokenAnswer {
  status: number;
  body: { access_token: string; refresh_token?: string; expires_in?: number; error?: string };
}

/** Opens the consent page and answers it. @returns where the browser is sent */
export async function consent(
  sandbox: Sandbox,
  options: { answer?: 'allow' | 'deny'; member?: number; parameters?: Record<string, string> } = {},
): Promise<URL> {
  sandbox.crm.allowRedirect(REDIRECT_URI);
  const page = await authorize(sandbox, options.parameters);
  expect(page.status).toBe(200);
  const html = await page.text();
  const answer = await fetch(`${sandbox.url}/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      number: /name="number" value="([\w-]+)"/.exec(html)?.[1] ?? '',
      member: sandbox.crm.members[options.member ?? 0]?.id ?? '',
      answer: options.answer ?? 'allow',
    }),
  });
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

/** GET /authorize with everything it needs. @param parameters additional or replacing; an empty text leaves one out */
export async function authorize(
  sandbox: Sandbox,
  parameters: Record<string, string> = {},
): Promise<Response> {
  const query = {
    client_id: sandbox.crm.app.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    state: 'st',
    ...parameters,
  };
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return fetch(`${sandbox.url}/authorize?${new URLSearchParams(given).toString()}`, { redirect: 'manual' });
}

/** POST /oauth/token as the registered app. */
export async function token(sandbox: Sandbox, form: Record<string, string>): Promise<TokenAnswer> {
  const { clientId, clientSecret } = sandbox.crm.app;
  const response = await fetch(`${sandbox.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form }),
  });
  return { status: response.status, body: (await response.json()) as TokenAnswer['body'] };
}

/** The whole round. @returns the token answer */
export async function connect(sandbox: Sandbox, member = 0): Promise<TokenAnswer['body']> {
  const code = (await consent(sandbox, { member })).searchParams.get('code') ?? '';
  return (await token(sandbox, { grant_type: 'authorization_code', code })).body;
}

/** Calls with one token. */
export function crmClient(sandbox: Sandbox, accessToken: string) {
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
}
