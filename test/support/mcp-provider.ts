/**
 * A remote MCP server with an authorization server at another origin, both on loopback, that follow the specification. A
 * test replaces what it wants to go wrong.
 */
import { createHash } from 'node:crypto';
import { startStandIn, type StandIn, type StandInReply, type StandInRequest } from './stand-in.ts';

export type McpProvider = Awaited<ReturnType<typeof startMcpProvider>>;

/** A message to the MCP server. */
export interface McpMessage {
  id: number;
  method: string;
}

/** What a server of 2026-07-28 answers that has one tool, `find`, which does not fail. */
export function oneTool({ method }: McpMessage): object {
  const results: Readonly<Record<string, object>> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools: [{ name: 'find', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'found' }] },
  };
  return { ...results[method], resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
}

/** Starts both servers. */
export async function startMcpProvider() {
  const notFound = (): StandInReply => ({ status: 404, json: {} });
  const server = await startStandIn(notFound);
  const authorizer = await startStandIn(notFound);
  const clients = new Map<string, { secret: string | undefined; redirectUri: string }>();
  const codes = new Map<string, URLSearchParams>();
  const refreshTokens = new Set<string>();
  let issued = 0;

  const provider = {
    server,
    authorizer,
    /** Address of the MCP server. */
    url: `${server.origin}/mcp`,
    /** Metadata of the MCP server. */
    resource: {
      resource: `${server.origin}/mcp`,
      authorization_servers: [authorizer.origin],
    } as Record<string, unknown>,
    /** Metadata of the authorization server. */
    metadata: {
      issuer: authorizer.origin,
      authorization_endpoint: `${authorizer.origin}/authorize`,
      token_endpoint: `${authorizer.origin}/token`,
      registration_endpoint: `${authorizer.origin}/register`,
      revocation_endpoint: `${authorizer.origin}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      authorization_response_iss_parameter_supported: true,
    } as Record<string, unknown>,
    /** `WWW-Authenticate` of the MCP server. */
    challenge: `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`,
    /** Where the two documents are. */
    resourcePath: '/.well-known/oauth-protected-resource/mcp',
    metadataPath: '/.well-known/oauth-authorization-server',
    /** Replaces answers; `undefined` leaves them. */
    answer: (_request: StandInRequest): StandInReply | undefined => undefined,
    /** Changes what the browser brings back. */
    back: (_query: URLSearchParams): void => {},
    /** Result of a message that comes with the newest token. */
    result: (_message: McpMessage): object => ({}),
    /** Members of token replies. */
    reply: {} as Record<string, unknown>,
    registrations: () =>
      authorizer.at('/register').map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    /** Token requests, as their forms. */
    tokenForms: () => authorizer.at('/token').map(({ form }) => Object.fromEntries(form)),
    /** The authorization server forgets everybody. */
    forgetClients: () => clients.clear(),
    close: async () => {
      await Promise.all([server.close(), authorizer.close()]);
    },
  };

  server.answer = (request) => {
    const replaced = provider.answer(request);
    if (replaced !== undefined) return replaced;
    if (request.path === provider.resourcePath) return { json: provider.resource };
    if (request.path !== '/mcp') return notFound();
    if (request.headers['authorization'] === `Bearer at-${issued}`) {
      const message = JSON.parse(request.body) as McpMessage;
      return { json: { jsonrpc: '2.0', id: message.id, result: provider.result(message) } };
    }
    return { status: 401, json: {}, headers: { 'www-authenticate': provider.challenge } };
  };

  const register = ({ body }: StandInRequest): StandInReply => {
    const asked = JSON.parse(body) as { redirect_uris: string[]; token_endpoint_auth_method: string };
    const id = `client-${clients.size + 1}-${authorizer.at('/register').length}`;
    const secret = asked.token_endpoint_auth_method === 'none' ? undefined : `secret-of-${id}`;
    clients.set(id, { secret, redirectUri: asked.redirect_uris[0] ?? '' });
    return {
      status: 201,
      json: { ...asked, client_id: id, ...(secret !== undefined && { client_secret: secret }) },
    };
  };

  const authorize = ({ query }: StandInRequest): StandInReply => {
    const code = `code-${codes.size + 1}`;
    codes.set(code, query);
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    back.searchParams.set('iss', String(provider.metadata['issuer']));
    provider.back(back.searchParams);
    return { status: 302, json: {}, headers: { location: back.href } };
  };

  /** The client of a request, if it proves who it is; public ones and documents have nothing to prove. */
  const clientOf = ({ form, headers }: StandInRequest): string | undefined => {
    const [, basic = ''] = /^Basic (.+)$/.exec(headers['authorization'] ?? '') ?? [];
    const [name = '', password] = Buffer.from(basic, 'base64').toString().split(':');
    const id = basic === '' ? (form.get('client_id') ?? '') : decodeURIComponent(name);
    if (id.startsWith('https://') || id === 'by-hand') return id;
    const client = clients.get(id);
    const secret = basic === '' ? form.get('client_secret') : decodeURIComponent(password ?? '');
    return client !== undefined && (client.secret ?? null) === (secret ?? null) ? id : undefined;
  };

  const token = (request: StandInRequest): StandInReply => {
    const { form } = request;
    const client = clientOf(request);
    if (client === undefined) return { status: 401, json: { error: 'invalid_client' } };
    if (form.get('grant_type') === 'refresh_token') {
      // Each refresh token works once.
      if (!refreshTokens.delete(form.get('refresh_token') ?? ''))
        return { status: 400, json: { error: 'invalid_grant' } };
    } else {
      const asked = codes.get(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (asked?.get('client_id') !== client || asked.get('code_challenge') !== challenge)
        return { status: 400, json: { error: 'invalid_grant' } };
    }
    issued += 1;
    refreshTokens.add(`rt-${issued}`);
    return {
      json: {
        access_token: `at-${issued}`,
        token_type: 'Bearer',
        expires_in: 300,
        refresh_token: `rt-${issued}`,
        ...provider.reply,
      },
    };
  };

  authorizer.answer = (request) => {
    const replaced = provider.answer(request);
    if (replaced !== undefined) return replaced;
    if (request.path === provider.metadataPath) return { json: provider.metadata };
    if (request.path === '/register') return register(request);
    if (request.path === '/authorize') return authorize(request);
    if (request.path === '/token') return token(request);
    return request.path === '/revoke' ? { json: {} } : notFound();
  };
  return provider;
}

/** The base address of a stand-in as a connection's override. */
export function at({ origin }: StandIn): { base_url: string } {
  return { base_url: origin };
}
