/** MCP_OAUTH end to end: discovery, a client, a consent with PKCE and `resource`, renewal, revocation, and what goes wrong. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rows } from '../../../src/store/engine/rows.ts';
import { startExampleServer, refusal, type ExampleServer } from '../../support/example-server.ts';
import { at, startMcpProvider, type McpProvider } from '../../support/mcp-provider.ts';
import { measuring } from '../../support/measured.ts';
import { ROUNDS } from '../../support/rounds.ts';

const EXAMPLE = 'mcp-oauth/connector.yaml';

let provider: McpProvider;
let server: ExampleServer;

beforeEach(async () => {
  provider = await startMcpProvider();
});
afterEach(async () => {
  await server.close();
  await provider.close();
});

/** @param rules lines of `mcp_oauth` */
const start = async (
  connection: Record<string, unknown> = {},
  rules: readonly string[] = [],
): Promise<void> => {
  const block = ['type: MCP_OAUTH', 'mcp_oauth:', ...rules.map((line) => `  ${line}`)].join('\n    ');
  server = await startExampleServer({
    changes: rules.length === 0 ? {} : { [EXAMPLE]: ['type: MCP_OAUTH', block] },
    connections: [{ connector: 'tracker', overrides: at(provider.server), ...connection }],
  });
};
const connect = async (user = 'ada') => {
  const done = await server.browser().connect(await server.link('tracker', user));
  expect([done.status, done.location]).toEqual([302, '/connect/done']);
};
const renew = async (user = 'ada') => {
  const { id } = await server.details('tracker', user);
  return server.services.accountRefresh.refresh(server.operator, id);
};
/** The message for the operator when a consent cannot begin. */
const obstacle = async (): Promise<string> => {
  const { connectionFinder, mcpServers } = server.services;
  const { auth } = connectionFinder.connectorOf({
    environmentId: server.operator.environmentId,
    connector: 'tracker',
    type: 'MCP_OAUTH',
  });
  if (auth.type !== 'MCP_OAUTH') throw new Error('another type');
  return mcpServers.probe(new URL(provider.url), auth.mcp_oauth).then(
    () => 'nothing',
    (error: unknown) =>
      (error as Error).message.replaceAll(/http:\/\/127\.0\.0\.1:(\d+)/g, (_, port) =>
        provider.server.origin.endsWith(`:${port}`) ? 'SERVER' : 'AUTHORIZER',
      ),
  );
};

describe('MCP_OAUTH connection: consent', () => {
  it('registers a client, asks for the resource of the metadata, and authenticates with the secret it got', async () => {
    const series = measuring();
    await start();
    await connect();
    expect([
      ...(await series('gatehouse_upstream_looks_total')),
      ...(await series('gatehouse_upstream_registrations_total')),
    ]).toEqual([
      'gatehouse_upstream_looks_total{by="consent",outcome="found"} 1',
      'gatehouse_upstream_registrations_total{outcome="registered"} 1',
    ]);
    const { authorizer, server: upstream } = provider;
    const redirectUri = expect.stringMatching(/\/sso\/v1\/oauth\/conn_[a-z0-9]+\/callback$/);
    expect(provider.registrations()).toEqual([
      {
        client_name: 'Gatehouse',
        client_uri: server.baseUrl,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        application_type: 'native',
      },
    ]);
    expect(Object.fromEntries(authorizer.at('/authorize')[0]!.query)).toEqual({
      response_type: 'code',
      client_id: 'client-1-1',
      redirect_uri: redirectUri,
      state: expect.stringMatching(/^[\w-]{43}$/),
      resource: `${upstream.origin}/mcp`,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(provider.tokenForms()).toEqual([
      {
        grant_type: 'authorization_code',
        code: 'code-1',
        redirect_uri: redirectUri,
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
        resource: `${upstream.origin}/mcp`,
      },
    ]);
    const auth = await server.auth('tracker', 'ada');
    expect(auth.authorization_details).toEqual({
      oauth_token: { access_token: 'at-1', refresh_token: 'rt-1', scopes: [] },
    });
  });

  it('names the authorization server and not the MCP server before the person goes there', async () => {
    await start();
    const shown = await (await fetch(await server.link('tracker', 'ada'))).text();
    expect(shown).toContain(`<bdi>${new URL(provider.authorizer.origin).host}</bdi>`);
    expect(shown).not.toContain(new URL(provider.server.origin).host);
  });

  it('names no host where the server does not say who asks for the consent', async () => {
    provider.resource['authorization_servers'] = [];
    await start();
    const answer = await fetch(await server.link('tracker', 'ada'));
    const shown = await answer.text();
    expect([answer.status, shown.includes('Continue to Tracker')]).toEqual([200, true]);
    expect(shown).toContain('Tracker names the permissions. Read what it shows before you agree.');
  });

  it('renews with the same client and resource, and revokes both tokens when the account is disconnected', async () => {
    await start();
    await connect();
    await renew();
    expect(provider.tokenForms()[1]).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'rt-1',
      resource: provider.url,
    });
    const { id } = await server.details('tracker', 'ada');
    await server.services.disconnection.disconnect(server.operator, id);
    expect(provider.authorizer.at('/revoke').map(({ form }) => form.get('token'))).toEqual(['rt-2', 'at-2']);
  });

  it('takes the client of the connection before any other way', async () => {
    await start({ client_id: 'by-hand', client_secret: 'its-secret' });
    await connect();
    expect(provider.registrations()).toEqual([]);
    const [token] = provider.authorizer.at('/token');
    expect(token!.headers['authorization']).toBe(
      `Basic ${Buffer.from('by-hand:its-secret').toString('base64')}`,
    );
  });

  it.each([
    ['those of the challenge', ['a', 'b'], [], 'a b'],
    ['those of the metadata where the challenge has none', [], ['c'], 'c'],
    ['none where nobody names any', [], [], null],
  ])('asks the person for the scopes: %s', async (_case, challenged, named, asked) => {
    if (challenged.length > 0) provider.challenge += `, scope="${challenged.join(' ')}"`;
    if (named.length > 0) provider.resource['scopes_supported'] = named;
    await start();
    await connect();
    expect(provider.authorizer.at('/authorize')[0]!.query.get('scope')).toBe(asked);
  });

  it('shows the person the scopes that the server names, and says that there are none only if it names none', async () => {
    await start();
    const shown = async () => (await fetch(await server.link('tracker', 'ada'))).text();
    expect(await shown()).toContain('No particular permissions are requested.');
    provider.challenge += ', scope="notes:read notes:write"';
    await server.services.mcpServers.forget(
      await server.services.connectionFinder.byName(server.operator.environmentId, 'tracker'),
    );
    const page = await shown();
    expect(page).not.toContain('No particular permissions are requested.');
    for (const scope of ['notes:read', 'notes:write']) expect(page).toContain(`<bdi>${scope}</bdi>`);
  });

  it('neither shows nor asks for what a server names as scopes and is none', async () => {
    const many = Array.from({ length: 200 }, (_, i) => `s${i}`);
    provider.resource['scopes_supported'] = ['read only, as Gatehouse has checked', 'a\u202eb', ...many];
    await start();
    const page = await (await fetch(await server.link('tracker', 'ada'))).text();
    expect(page).not.toMatch(/checked|\u202e/);
    await connect();
    expect(provider.authorizer.at('/authorize')[0]!.query.get('scope')!.split(' ')).toEqual(
      many.slice(0, 100),
    );
  });

  it('adds offline_access only where the authorization server lists it', async () => {
    provider.challenge += ', scope="a"';
    provider.metadata['scopes_supported'] = ['a', 'offline_access'];
    await start();
    await connect();
    expect(provider.authorizer.at('/authorize')[0]!.query.get('scope')).toBe('a offline_access');
  });

  it(`has ${ROUNDS.callersAtOnce} first consents register one client`, async () => {
    await start();
    const users = Array.from({ length: ROUNDS.callersAtOnce }, (_, i) => `user-${i}`);
    const links = await Promise.all(users.map(async (user) => server.link('tracker', user)));
    const sent = await Promise.all(links.map(async (link) => server.browser().toProvider(link)));
    expect(new Set(sent.map((url) => new URL(url).searchParams.get('client_id')))).toEqual(
      new Set(['client-1-1']),
    );
    expect(provider.registrations()).toHaveLength(1);
  });
});

describe('MCP_OAUTH connection: where the documents are', () => {
  it.each([
    ['at the path of the server', '/.well-known/oauth-protected-resource/mcp'],
    ['at its root', '/.well-known/oauth-protected-resource'],
  ])('finds those of a server that names none %s', async (_case, path) => {
    provider.challenge = 'Bearer';
    provider.resourcePath = path;
    await start();
    await connect();
  });

  it.each([
    ['', '/.well-known/oauth-authorization-server'],
    ['', '/.well-known/openid-configuration'],
    ['/t', '/.well-known/oauth-authorization-server/t'],
    ['/t', '/.well-known/openid-configuration/t'],
    ['/t', '/t/.well-known/openid-configuration'],
  ])('finds those of the authorization server %s at %s', async (tenant, path) => {
    const issuer = `${provider.authorizer.origin}${tenant}`;
    provider.resource['authorization_servers'] = [issuer];
    Object.assign(provider.metadata, {
      issuer,
      jwks_uri: `${issuer}/jwks`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
    provider.metadataPath = path;
    await start();
    await connect();
  });

  it.each([
    ['metadata at the origin', true],
    ['three fixed paths', false],
  ])(
    'takes the origin of a server of 2025-03-26 as its authorization server, with %s',
    async (_case, isDescribed) => {
      provider.authorizer.answer = (request) => provider.server.answer(request);
      const { origin } = provider.server;
      const metadata = {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
      };
      provider.answer = ({ path }) =>
        path === provider.metadataPath && isDescribed ? { json: metadata } : undefined;
      await start({ client_id: 'by-hand' }, ['discovery: legacy']);
      const sent = new URL(await server.browser().toProvider(await server.link('tracker', 'ada')));
      expect([sent.origin, sent.pathname, sent.searchParams.has('resource')]).toEqual([
        origin,
        '/authorize',
        false,
      ]);
    },
  );
});

describe('MCP_OAUTH connection: documents that cannot be used', () => {
  it.each<[string, () => void, string, (readonly string[])?]>([
    [
      'whose metadata has another issuer',
      () => (provider.metadata['issuer'] = 'https://auth.example'),
      'The metadata of the authorization server has the issuer https://auth.example, and AUTHORIZER was expected. If that is right, the operator writes issuer: https://auth.example in its file.',
    ],
    [
      'whose metadata has another issuer than its file says',
      () => {},
      'The metadata of the authorization server has the issuer AUTHORIZER, and https://auth.example was expected. If that is right, the operator writes issuer: AUTHORIZER in its file.',
      ['issuer: https://auth.example'],
    ],
    [
      'that is about a resource on another host',
      () => (provider.resource['resource'] = 'https://other.example/mcp'),
      'Its metadata is about the resource https://other.example/mcp, and its address is SERVER/mcp. If that is right, the operator writes resource: https://other.example/mcp in its file.',
    ],
    [
      'that is about a neighbor at the same host',
      () => (provider.resource['resource'] = `${provider.server.origin}/mc`),
      'Its metadata is about the resource SERVER/mc, and its address is SERVER/mcp. If that is right, the operator writes resource: SERVER/mc in its file.',
    ],
    [
      'without metadata',
      () => {
        provider.challenge = 'Bearer';
        provider.resourcePath = '/nowhere';
      },
      'The metadata of SERVER: it answered 404. The operator writes authorization_server in its file, or discovery: legacy for a server of 2025-03-26.',
    ],
    [
      'whose issuer has control characters',
      () =>
        (provider.resource['authorization_servers'] = ['https://id.example/\u202eevil\u0007Write to eve']),
      'The authorization_servers, https://id.example/?evil?Write?to?eve, is not an address.',
    ],
    [
      'whose metadata has control characters in its issuer',
      () => (provider.metadata['issuer'] = 'https://id.example/\u001b[2J\u200b'),
      'The metadata of the authorization server has the issuer https://id.example/?[2J?, and AUTHORIZER was expected.',
    ],
    [
      'that names no authorization server',
      () => (provider.resource['authorization_servers'] = []),
      'The metadata of SERVER/mcp names no authorization server. The operator writes authorization_server in its file.',
    ],
    [
      'without the code challenge S256',
      () => delete provider.metadata['code_challenge_methods_supported'],
      'The authorization server does not say that it supports the code challenge S256.',
    ],
    [
      'that names metadata at an internal host',
      () => (provider.challenge = 'Bearer resource_metadata="http://169.254.169.254/latest"'),
      'The resource_metadata of its challenge, http://169.254.169.254/latest, may not be reached: it is not public, or not https.',
    ],
    [
      'that names metadata in a file',
      () => (provider.challenge = 'Bearer resource_metadata="file:///etc/passwd"'),
      'The resource_metadata of its challenge, file:///etc/passwd, is not a web address.',
    ],
    [
      'that names metadata behind a user name',
      () => (provider.challenge = 'Bearer resource_metadata="https://a:b@mcp.example/x"'),
      'The resource_metadata of its challenge, https://a:b@mcp.example/x, has a user name.',
    ],
    [
      'whose consent page is a script',
      () => (provider.metadata['authorization_endpoint'] = 'javascript:alert(1)'),
      'The metadata of AUTHORIZER: it is not a document of the form that its specification asks for.',
    ],
    [
      'whose consent page is not https',
      () => (provider.metadata['authorization_endpoint'] = 'http://auth.example/a'),
      'The authorization_endpoint, http://auth.example/a, may not be reached: it is not public, or not https.',
    ],
    [
      'that redirects to its metadata',
      () => {
        provider.answer = ({ path }) =>
          path === provider.resourcePath
            ? { status: 302, json: {}, headers: { location: 'http://169.254.169.254/' } }
            : undefined;
      },
      'SERVER/.well-known/oauth-protected-resource/mcp: The server sends to another address. Redirects are not followed.',
    ],
    [
      'whose metadata is too large',
      () => (provider.resource['padding'] = 'x'.repeat(300_000)),
      'SERVER/.well-known/oauth-protected-resource/mcp: ',
    ],
  ])('tells the operator what is wrong with a server %s', async (_case, change, sentence, rules = []) => {
    change();
    const series = measuring();
    await start({}, rules);
    expect(await obstacle()).toContain(sentence);
    const link = await server.link('tracker', 'ada');
    const browser = server.browser();
    await browser.get(link);
    const page = await browser.get(`${link}/go`);
    expect([page.status, page.location]).toEqual([502, '']);
    expect(page.text).not.toContain('.example');
    expect(await series('gatehouse_upstream_looks_total')).toEqual([
      'gatehouse_upstream_looks_total{by="consent",outcome="failed"} 2',
    ]);
    expect(provider.registrations()).toEqual([]);
  });

  it('takes an issuer, a resource and an authorization server that the operator has written', async () => {
    provider.metadata['issuer'] = 'https://auth.example';
    provider.resource['resource'] = 'api://tracker';
    await start({}, [
      'issuer: https://auth.example',
      'resource: api://tracker',
      `authorization_server: ${provider.authorizer.origin}`,
    ]);
    await connect();
    expect(provider.tokenForms()[0]).toMatchObject({ resource: 'api://tracker' });
  });
});

describe('MCP_OAUTH connection: callback', () => {
  it.each<[string, (query: URLSearchParams) => void, boolean]>([
    ['without the iss that the metadata announces', (query) => query.delete('iss'), true],
    ['with the iss of another server', (query) => query.set('iss', 'https://evil.example'), true],
    ['with an iss that differs by a slash', (query) => query.set('iss', `${query.get('iss')}/`), true],
    [
      'with a foreign iss that nobody has announced',
      (query) => query.set('iss', 'https://evil.example'),
      false,
    ],
  ])('sends the code nowhere %s', async (_case, change, isAnnounced) => {
    provider.metadata['authorization_response_iss_parameter_supported'] = isAnnounced;
    provider.back = (query) => {
      change(query);
      query.delete('code');
      query.set('error', 'evil_words');
    };
    await start();
    const page = await server.browser().connect(await server.link('tracker', 'ada'));
    expect(page.status).toBe(400);
    expect(page.text).not.toContain('evil');
    provider.back = change;
    const again = await server.browser().connect(await server.link('tracker', 'ben'));
    expect(again.status).toBe(400);
    expect(provider.tokenForms()).toEqual([]);
  });

  it('takes a callback without iss from a server that does not announce it', async () => {
    provider.metadata['authorization_response_iss_parameter_supported'] = false;
    provider.back = (query) => query.delete('iss');
    await start();
    await connect();
  });
});

describe('MCP_OAUTH connection: registration', () => {
  it.each<[string, () => Record<string, unknown>]>([
    ['answers with a foreign redirect URI', () => ({ redirect_uris: ['https://evil.example/cb'] })],
    ['gives a secret that has ended', () => ({ client_secret: 's', client_secret_expires_at: 1 })],
    ['answers with 10 MB', () => ({ client_name: 'x'.repeat(10_000_000) })],
    ['gives a client id with a line break', () => ({ client_id: 'a\nb' })],
  ])('uses no client of a server that %s, and asks once an hour', async (_case, changed) => {
    provider.answer = ({ path, body }) =>
      path === '/register'
        ? { status: 201, json: { ...(JSON.parse(body) as object), client_id: 'c', ...changed() } }
        : undefined;
    const series = measuring();
    await start();
    // The third one comes after one that asked for nothing.
    for (const user of ['ada', 'ben', 'cyd']) {
      const link = await server.link('tracker', user);
      const browser = server.browser();
      await browser.get(link);
      expect((await browser.get(`${link}/go`)).location).toBe('');
    }
    expect(provider.authorizer.at('/register')).toHaveLength(1);
    expect(await series('gatehouse_upstream_registrations_total')).toEqual([
      'gatehouse_upstream_registrations_total{outcome="client_refused"} 1',
    ]);
    expect(provider.authorizer.at('/authorize')).toEqual([]);
  });

  it('says what to do where a server registers nobody', async () => {
    delete provider.metadata['registration_endpoint'];
    await start();
    const link = await server.link('tracker', 'ada');
    const browser = server.browser();
    await browser.get(link);
    expect((await browser.get(`${link}/go`)).text).toContain('Tracker');
  });

  it('registers another client when the old one is forgotten, and links the account that is refused', async () => {
    await start();
    await connect('ada');
    provider.forgetClients();
    await refusal(renew('ada'));
    expect((await server.details('tracker', 'ada')).status).toBe('EXPIRED');
    await connect('ada');
    expect(provider.registrations()).toHaveLength(2);
    expect((await server.details('tracker', 'ada')).status).toBe('ACTIVE');
  });

  it('tells webhooks and the audit log of a client that replaces another one, and not of the first', async () => {
    await start();
    const { services, operator } = server;
    const { environmentId } = operator;
    await services.webhooks.create(operator, {
      name: 'hook',
      url: `${provider.server.origin}/hook`,
      events: ['upstream.client_replaced'],
    });
    const told = async () => rows(services.db.read, 'webhook_deliveries').list(environmentId);
    await connect('ada');
    expect(await told()).toEqual([]);
    provider.forgetClients();
    await refusal(renew('ada'));
    await connect('ada');
    const events = await told();
    const clients = await rows(services.db.read, 'upstream_clients').list(environmentId, {
      orderBy: ['created_at', 'id'],
    });
    const { id } = await services.connections.get(environmentId, 'tracker');
    const [before, after] = clients.map(({ client_id }) => ({
      client_id,
      issuer: provider.authorizer.origin,
    }));
    expect(events.map(({ body }) => (JSON.parse(body) as { data: unknown }).data)).toEqual([
      { upstream: { name: 'tracker', connector: 'tracker', connection_id: id }, before, after },
    ]);
    const lines = await rows(services.db.read, 'audit').list(environmentId, {
      where: { action: 'upstream.client_replaced' },
    });
    expect(lines.map(({ target }) => target)).toEqual([`${id} ${clients[1]?.id}`]);
  });
});

describe('MCP_OAUTH connection: another authorization server', () => {
  const move = async () => {
    const other = await startMcpProvider();
    provider.resource['authorization_servers'] = [other.authorizer.origin];
    await server.services.mcpServers.forget(await connection());
    return other;
  };
  const connection = async () => ({
    environmentId: server.operator.environmentId,
    id: (await server.services.connections.get(server.operator.environmentId, 'tracker')).id,
  });

  it('holds new consents back until an operator accepts it, while accounts continue with the old one', async () => {
    await start();
    await connect('ada');
    const other = await move();
    const link = await server.link('tracker', 'ben');
    const browser = server.browser();
    await browser.get(link);
    expect((await browser.get(`${link}/go`)).location).toBe('');
    await renew('ada');
    expect(provider.tokenForms()).toHaveLength(2);
    expect(other.authorizer.requests.map(({ path }) => path)).toEqual([other.metadataPath]);
    const audit = await rows(server.services.db.read, 'audit').list(server.operator.environmentId, {
      where: { action: 'upstream.authorization_server_changed' },
    });
    expect(audit).toHaveLength(1);
    const { origin } = other.authorizer;
    const shown = { issuer: origin, origins: [origin] };
    expect(await server.services.mcpServers.accept(server.operator, await connection(), shown)).toBe(1);
    const sent = await server.browser().toProvider(await server.link('tracker', 'ben'));
    expect(new URL(sent).origin).toBe(other.authorizer.origin);
    expect(other.registrations()).toHaveLength(1);
    await renew('ada');
    expect(provider.tokenForms()).toHaveLength(3);
    await other.close();
  });

  it('takes it at once where its file says follow, and never with a client of the operator', async () => {
    await start({}, ['authorization_servers: follow']);
    await connect('ada');
    const other = await move();
    const sent = await server.browser().toProvider(await server.link('tracker', 'ben'));
    expect(new URL(sent).origin).toBe(other.authorizer.origin);
    await other.close();
  });
});

describe('MCP_OAUTH connection: servers of the accounts', () => {
  /** Each account has a server of its own; what the file says of authorization stands in `block`. */
  async function startTeams(block: string): Promise<void> {
    server = await startExampleServer({
      changes: {
        [EXAMPLE]: [
          'example/mcp\nauth:\n  - type: MCP_OAUTH',
          `example/{team}\n  placeholders: {team: '[a-z]+'}\nauth:\n  - type: MCP_OAUTH\n${block}`,
        ],
      },
      connections: [
        {
          connector: 'tracker',
          overrides: at(provider.server),
          client_id: 'by-hand',
          client_secret: 'its-secret',
        },
      ],
    });
    for (const [user, team] of Object.entries({ ada: 'mcp', eve: 'eve' }))
      await server.services.accounts.create(server.operator, {
        connector: 'tracker',
        identifier: user,
        user_id: user,
        connected_account: { api_config: { team } },
      });
  }

  async function redirectOf(user: string): Promise<[number, string]> {
    const link = await server.link('tracker', user);
    const browser = server.browser();
    await browser.get(link);
    const { status, location } = await browser.get(`${link}/go`);
    return [status, location];
  }

  it('send the client of the operator to nobody whom the file does not name', async () => {
    await startTeams('');
    expect(await redirectOf('ada')).toEqual([502, '']);
  });

  it('send the client of the operator to no other authorization server than that of the file', async () => {
    const other = await startMcpProvider();
    const ofEve = '/.well-known/oauth-protected-resource/eve';
    const { origin } = provider.server;
    provider.answer = ({ path }) => {
      const resource = { resource: `${origin}/eve`, authorization_servers: [other.authorizer.origin] };
      if (path === ofEve) return { json: resource };
      const challenge = `Bearer resource_metadata="${origin}${ofEve}"`;
      return path === '/eve'
        ? { status: 401, json: {}, headers: { 'www-authenticate': challenge } }
        : undefined;
    };
    await startTeams(`    mcp_oauth: {authorization_server: '${provider.authorizer.origin}'}\n`);
    await connect('ada');
    expect(await redirectOf('eve')).toEqual([502, '']);
    expect(other.authorizer.requests).toEqual([]);
    await other.close();
  });
});

describe('MCP_OAUTH connection: renewal', () => {
  it(`sends one token request for ${ROUNDS.callersAtOnce} callers on a token that has ended`, async () => {
    await start();
    await connect();
    const { db } = server.services;
    const { id } = await server.details('tracker', 'ada');
    await db.transaction(async (tx) =>
      rows(tx, 'accounts').update(server.operator.environmentId, id, { token_expires_at: 1 }),
    );
    const callers = Array.from({ length: ROUNDS.callersAtOnce }, async () => server.auth('tracker', 'ada'));
    const calls = await Promise.all(callers);
    const tokens = calls.map(({ authorization_details: details }) => details);
    expect(new Set(tokens.map((details) => JSON.stringify(details))).size).toBe(1);
    expect(provider.tokenForms().map(({ grant_type: type }) => type)).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
  });

  it.each([
    ['of a type that cannot be sent', { token_type: 'mac' }],
    ['that is no text', { access_token: 5 }],
  ])('connects no account with a token %s', async (_case, reply) => {
    provider.reply = reply;
    await start();
    const page = await server.browser().connect(await server.link('tracker', 'ada'));
    expect(page.status).toBe(502);
    expect((await server.details('tracker', 'ada')).status).toBe('PENDING_AUTH');
  });

  it.each<[unknown, boolean]>([
    [undefined, false],
    [-5, false],
    [315_360_000, true],
  ])('keeps a token whose lifetime is %s', async (expires_in, isKnown) => {
    provider.reply = { expires_in, scope: 'a more' };
    await start();
    await connect();
    const details = await server.details('tracker', 'ada');
    expect(details.token_expires_at !== null && details.token_expires_at !== '').toBe(isKnown);
    expect(details.authorization_details).toEqual({ oauth_token: { scopes: ['a', 'more'] } });
  });

  it('ends the account whose rotated refresh token was lost, and presents no token twice', async () => {
    await start();
    await connect();
    provider.answer = ({ path, form }) =>
      path === '/token' && form.get('grant_type') === 'refresh_token'
        ? { status: 400, json: { error: 'invalid_grant' } }
        : undefined;
    await refusal(renew());
    expect((await server.details('tracker', 'ada')).status).toBe('EXPIRED');
    expect(provider.tokenForms()).toHaveLength(2);
  });
});
