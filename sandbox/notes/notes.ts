/**
 * A stand-in for somebody else's MCP server: a few notes of each person behind OAuth, with the documents and the dynamic
 * registration that the MCP specification asks for.
 */
import { createMcpHandler, Server, type CallToolResult, type Tool } from '@modelcontextprotocol/server';
import { Hono, type Context } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import { listedScopes, OAuthProvider, type Member, type StandIn } from '../oauth/provider.ts';
import { OAuthRefusal } from '../oauth/refusal.ts';
import { oauthRoutes } from '../oauth/routes.ts';

/** Path of the MCP server, and of everything that belongs to its authorization server. */
const MCP = '/notes/mcp';
const ISSUER = '/notes';

const ACCESS_TOKEN_SECONDS = 3600;

const PERMISSIONS: Readonly<Record<string, string>> = {
  'notes:read': 'Read your notes',
  'notes:write': 'Write notes',
};

const MEMBERS: readonly Member[] = [
  { id: 'note-member-1', name: 'Ada Fielding', email: 'ada@northlight.example' },
  { id: 'note-member-2', name: 'Jonas Reed', email: 'jonas@northlight.example' },
];

/** Notes that everybody finds at first. */
const FIRST_NOTES = [
  'Harbour tour: ask for the lamp of 1911.',
  'The tide table of May has a misprint on page 4.',
  'Batteries for the beacon: two spare ones are in the shed.',
];

/** The server, and what the demo changes at it. */
export interface NotesStandIn extends StandIn {
  path: string;
  /** Says something else of a tool from now on, as a server may at any time. */
  retell: (tool: string, description: string) => void;
}

export function startNotes(clock: Clock): NotesStandIn {
  const scopes = Object.keys(PERMISSIONS);
  const provider = new OAuthProvider(
    {
      name: 'notes',
      thing: 'notes',
      place: { kind: 'workspace', name: 'Northlight Notes' },
      paths: { authorize: `${ISSUER}/authorize`, token: `${ISSUER}/token`, revoke: `${ISSUER}/revoke` },
      scopes,
      permissions: PERMISSIONS,
      members: MEMBERS,
      readConsent: (query) => {
        const wanted = listedScopes(query, scopes);
        if (wanted === undefined || wanted.length === 0)
          throw new OAuthRefusal('invalid_scope', 'Ask for notes:read, notes:write or both.');
        return { scopes: wanted, isOffline: true };
      },
    },
    { refreshTokens: true, accessTokenSeconds: ACCESS_TOKEN_SECONDS },
    clock,
  );
  const descriptions = new Map<string, string>();
  const notes = new Map(MEMBERS.map(({ id }) => [id, [...FIRST_NOTES]]));
  const handler = createMcpHandler(({ authInfo }) => {
    const server = new Server({ name: 'Notes', version: '1.0.0' }, { capabilities: { tools: {} } });
    const own = notes.get(authInfo?.token ?? '') ?? [];
    server.setRequestHandler('tools/list', () => ({ tools: toolsWith(descriptions) }));
    server.setRequestHandler('tools/call', ({ params }) => answer(own, params.name, params.arguments ?? {}));
    return server;
  });

  const routes = new Hono();
  routes.get(`/.well-known/oauth-protected-resource${MCP}`, (c) => c.json(resourceMetadata(c, scopes)));
  routes.get(`/.well-known/oauth-authorization-server${ISSUER}`, (c) => c.json(serverMetadata(c, provider)));
  routes.post(`${ISSUER}/register`, async (c) => register(c, provider));
  routes.all(MCP, async (c) => {
    const grant = provider.grantOf(c.req.header('authorization'));
    if (grant === undefined) {
      const metadata = `${originOf(c)}/.well-known/oauth-protected-resource${MCP}`;
      c.header('www-authenticate', `Bearer resource_metadata="${metadata}"`);
      return c.json({ error: 'invalid_token' }, 401);
    }
    const authInfo = { token: grant.memberId, clientId: provider.app.clientId, scopes: [...grant.scopes] };
    return handler.fetch(c.req.raw, { authInfo });
  });
  routes.route('/', oauthRoutes(provider));
  return {
    provider,
    routes,
    path: MCP,
    retell: (tool, description) => descriptions.set(tool, description),
  };
}

function toolsWith(descriptions: ReadonlyMap<string, string>): Tool[] {
  const text = (description: string) => ({ type: 'string' as const, description });
  const tools: Tool[] = [
    {
      name: 'search-notes',
      title: 'Search notes',
      description: 'Finds notes that have a word.',
      inputSchema: { type: 'object', properties: { query: text('A word.') }, required: ['query'] },
      annotations: { readOnlyHint: true },
    },
    {
      name: 'add-note',
      title: 'Add a note',
      description: 'Adds a note.',
      inputSchema: { type: 'object', properties: { text: text('What it says.') }, required: ['text'] },
      annotations: { destructiveHint: false },
    },
  ];
  return tools.map((tool) => ({ ...tool, description: descriptions.get(tool.name) ?? tool.description }));
}

function answer(notes: string[], tool: string, input: Readonly<Record<string, unknown>>): CallToolResult {
  if (tool === 'add-note') {
    notes.push(String(input['text']));
    return { content: [{ type: 'text', text: `Added. There are ${notes.length} notes.` }] };
  }
  const query = String(input['query']).toLowerCase();
  const found = notes.filter((note) => note.toLowerCase().includes(query));
  return {
    content: [{ type: 'text', text: found.length === 0 ? 'No note has that word.' : found.join('\n') }],
  };
}

/** RFC 9728. */
function resourceMetadata(c: Context, scopes: readonly string[]) {
  const origin = originOf(c);
  return {
    resource: origin + MCP,
    authorization_servers: [origin + ISSUER],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
  };
}

/** RFC 8414. */
function serverMetadata(c: Context, { paths, description }: OAuthProvider) {
  const origin = originOf(c);
  return {
    issuer: origin + ISSUER,
    authorization_endpoint: origin + paths.authorize,
    token_endpoint: origin + paths.token,
    revocation_endpoint: `${origin}${ISSUER}/revoke`,
    registration_endpoint: `${origin}${ISSUER}/register`,
    scopes_supported: description.scopes,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  };
}

/** RFC 7591. Everybody who registers is the one app of this stand-in. */
async function register(c: Context, provider: OAuthProvider) {
  const { app } = provider;
  const asked: unknown = await c.req.json().catch(() => undefined);
  const uris = redirectUrisOf(asked);
  if (uris === undefined) return c.json({ error: 'invalid_redirect_uri' }, 400);
  for (const uri of uris) provider.allowRedirect(uri);
  return c.json(
    {
      client_id: app.clientId,
      client_secret: app.clientSecret,
      client_secret_expires_at: 0,
      redirect_uris: uris,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    201,
  );
}

function redirectUrisOf(asked: unknown): string[] | undefined {
  if (typeof asked !== 'object' || asked === null || !('redirect_uris' in asked)) return undefined;
  const { redirect_uris: uris } = asked;
  if (!Array.isArray(uris) || uris.length === 0) return undefined;
  const texts = uris.filter((uri): uri is string => typeof uri === 'string' && URL.canParse(uri));
  return texts.length === uris.length ? texts : undefined;
}

function originOf(c: Context): string {
  return new URL(c.req.url).origin;
}
