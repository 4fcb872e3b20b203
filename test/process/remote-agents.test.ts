/** Remote agents of both SDK lines: their own OAuth code against the real program, and a person who signs in and allows it. */
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeProject, serve, type Project, type Served } from '../mcp/real-processes.ts';
import { emailOf, SigningPeople } from '../mcp/signing-people.ts';

const NAME = { name: 'remote', version: '1' };
const CALLBACK = 'http://127.0.0.1:33418/callback';

let project: Project;
let served: Served;
let signing: SigningPeople;
const people = new Map<string, string>();

beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  project = await makeProject();
  served = await serve(project);
  signing = new SigningPeople(project, served);
  for (const name of ['ann', 'bob']) {
    const id = await signing.user(name);
    people.set(name, id);
    await served.connect(id, `key-of-${name}`);
  }
});
afterAll(async () => {
  vi.restoreAllMocks();
  await served.stop();
  await project.close();
});

/** A person signs in, allows the agent, and the browser leaves for the agent's address. */
async function allow(name: string, authorizationUrl: URL): Promise<URL> {
  const { browser, page } = await signing.signIn(name, authorizationUrl.href);
  expect(page.text).toContain('Remote agent');
  expect(page.text).toContain(emailOf(name));
  return new URL((await browser.submit(page, { answer: 'allow' })).url);
}

/** What an agent keeps; both SDK lines take it. */
function agent(): OAuthClientProvider & { asked: URL[]; kept: Kept } {
  const kept: Kept = {};
  const asked: URL[] = [];
  return {
    asked,
    kept,
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: 'Remote agent',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void asked.push(url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (state) => void (kept.discovery = state),
    discoveryState: () => kept.discovery,
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'tokens') delete kept.tokens;
      if (scope === 'all' || scope === 'client') delete kept.client;
    },
  };
}

interface Kept {
  client?: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  tokens?: NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>;
  verifier?: string;
  discovery?: Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0];
}

/** A connection of either line. */
interface Connection {
  connect: () => Promise<void>;
  finish: (callback: URL) => Promise<void>;
  search: () => Promise<string>;
  close: () => Promise<void>;
}

type Line = (provider: ReturnType<typeof agent>) => Connection;

const LINES: [name: string, line: Line, unauthorized: new (...args: never[]) => Error][] = [
  [
    '@modelcontextprotocol/client',
    (authProvider) => {
      const client = new Client(NAME);
      const transport = () => new StreamableHTTPClientTransport(new URL(served.mcpUrl), { authProvider });
      const first = transport();
      return {
        connect: async () => client.connect(authProvider.kept.tokens === undefined ? first : transport()),
        finish: async ({ searchParams }) => first.finishAuth(searchParams),
        search: async () =>
          textOf(await client.callTool({ name: 'websearch_search', arguments: { query: 'news' } })),
        close: async () => client.close(),
      };
    },
    UnauthorizedError,
  ],
  [
    '@modelcontextprotocol/sdk',
    (provider) => {
      const client = new OldClient(NAME);
      const authProvider = provider as ConstructorParameters<typeof OldHttpTransport>[1] extends
        { authProvider?: infer P } | undefined
        ? NonNullable<P>
        : never;
      const transport = () => new OldHttpTransport(new URL(served.mcpUrl), { authProvider });
      const first = transport();
      return {
        connect: async () => client.connect(provider.kept.tokens === undefined ? first : transport()),
        finish: async ({ searchParams }) => first.finishAuth(searchParams.get('code') ?? ''),
        search: async () =>
          textOf(await client.callTool({ name: 'websearch_search', arguments: { query: 'news' } })),
        close: async () => client.close(),
      };
    },
    OldUnauthorizedError,
  ],
];

function textOf(result: object): string {
  const { content } = result as { content: { text?: string }[] };
  return content.map(({ text = '' }) => text).join(' ');
}

async function revoke(clientId: string, token: string): Promise<void> {
  const body = new URLSearchParams({ client_id: clientId, token });
  const answer = await fetch(`${served.baseUrl}/oauth/revoke`, { method: 'POST', body });
  expect(answer.status).toBe(200);
}

describe.each(LINES)('remote agent %s', (_name, line, unauthorized) => {
  it.each(['ann', 'bob'])(
    'signs in over OAuth for %s, refreshes, and gets 401 after the session ends',
    async (name) => {
      const provider = agent();
      const connection = line(provider);
      await expect(connection.connect()).rejects.toThrow(unauthorized);
      const [url] = provider.asked;
      if (url === undefined) throw new Error('was not sent anywhere');
      expect(url.searchParams.get('resource')).toBe(served.mcpUrl);
      expect(url.searchParams.get('scope')).toBe('tools:execute');
      const callback = await allow(name, url);
      expect(callback.href.startsWith(`${CALLBACK}?code=`)).toBe(true);
      await connection.finish(callback);
      await connection.connect();
      expect(await connection.search()).toContain(`${name} asked news`);

      const { kept } = provider;
      const clientId = kept.client?.client_id ?? '';
      const before = kept.tokens?.access_token ?? '';
      expect(decodeJwt(before)).toMatchObject({
        sub: people.get(name),
        aud: served.mcpUrl,
        client_id: clientId,
      });
      await revoke(clientId, before);
      expect(await connection.search()).toContain(`${name} asked news`);
      expect(kept.tokens?.access_token).not.toBe(before);

      await revoke(clientId, kept.tokens?.access_token ?? '');
      await revoke(clientId, kept.tokens?.refresh_token ?? '');
      await expect(connection.search()).rejects.toThrow(unauthorized);
      expect(provider.asked).toHaveLength(2);
      await connection.close();
    },
  );
});
