/** What operators do with remote MCP servers that people consent at: nothing is pinned that they have not seen. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startMcpProvider, type McpProvider } from '../support/mcp-provider.ts';
import { openOperatorSite, type OperatorSite } from './operator-site.ts';

let site: OperatorSite;
let shop: OperatorSite['shop'];
let operators: OperatorSite['operators'];
let caller: OperatorSite['caller'];

describe('remote MCP server with consents', () => {
  let provider: McpProvider;
  beforeEach(async () => {
    provider = await startMcpProvider();
    site = await openOperatorSite({ main: provider.server.origin, files: provider.authorizer.origin });
    ({ shop, operators, caller } = site);
  });
  afterEach(async () => {
    await shop.close();
    await provider.close();
  });

  it('shows the authorization server, the way Gatehouse becomes a client, and the redirect URI, which stays the same', async () => {
    provider.metadata['scopes_supported'] = ['offline_access'];
    provider.resource['scopes_supported'] = ['read'];
    const look = await operators.add(caller, { name: 'tracker', url: provider.url });
    expect(look).toMatchObject({
      state: 'not_added',
      authorization_type: 'MCP_OAUTH',
      issuer: provider.authorizer.origin,
      registration: { way: 'dynamic', client_id: null, registered_at: null },
      scopes: ['read', 'offline_access'],
    });
    expect(look.findings.map(({ severity, field }) => [severity, field])).toEqual([
      ['info', 'issuer'],
      ['info', 'registration'],
    ]);
    expect(look.origins).toEqual([provider.authorizer.origin]);
    const added = await site.addLooked({ name: 'tracker', url: provider.url });
    expect(added.redirect_uri).toBe(look.redirect_uri);
    expect(added.redirect_uri).toBe(`${shop.baseUrl}/sso/v1/oauth/${added.connection_id}/callback`);
    expect(provider.registrations()).toEqual([]);
  });

  it('accepts only values that the operator has seen', async () => {
    const tracker = { name: 'tracker', url: provider.url };
    const seen = await operators.add(caller, tracker);
    provider.metadata['token_endpoint'] = `${provider.server.origin}/token`;
    const violationsOf = async (given: object): Promise<unknown> =>
      operators.add(caller, { ...tracker, confirm: true, ...given }).then(
        () => [],
        (error: unknown) => (error as { violations: unknown }).violations,
      );
    expect(await violationsOf({ seen })).toEqual([
      {
        field: 'seen.origins',
        description: `Now it is ${provider.authorizer.origin}, ${provider.server.origin}. Look at it again.`,
        constraint: 'changed',
      },
    ]);
    expect(await violationsOf({})).toMatchObject([{ field: 'seen', constraint: 'required' }]);
    const open = { authorization_type: 'NO_AUTH', issuer: null, origins: [] };
    expect(await violationsOf({ seen: open })).toMatchObject([
      { field: 'seen.authorization_type', description: 'Now it is MCP_OAUTH. Look at it again.' },
      { field: 'seen.issuer' },
      { field: 'seen.origins' },
    ]);
    expect([await site.stored(), await site.audited()]).toEqual([0, []]);
    expect(await site.addLooked(tracker)).toMatchObject({
      origins: [provider.authorizer.origin, provider.server.origin],
    });
  });

  it('needs a client from the operator if it registers none', async () => {
    delete provider.metadata['registration_endpoint'];
    const view = await site.addLooked({ name: 'tracker', url: provider.url });
    expect(view.registration).toEqual({ way: null, client_id: null, registered_at: null });
    expect(view.findings.map(({ message }) => message)).toContainEqual(
      `It registers no clients by itself. Register one with Tracker, with the redirect URI ${view.redirect_uri}, and enter it with "gatehouse connections update tracker --client-id … --client-secret".`,
    );
  });

  it('waits for the operator once its authorization server has changed', async () => {
    await site.addLooked({ name: 'tracker', url: provider.url });
    const { environmentId } = caller;
    const moved = `${provider.authorizer.origin}/moved`;
    const shown = { issuer: moved, origins: [provider.authorizer.origin, provider.server.origin] };
    await expect(operators.accept(caller, 'tracker', shown)).rejects.toMatchObject({
      violations: [{ field: 'name', constraint: 'nothing_waits' }],
    });
    const link = async (): Promise<number> => {
      const answer = await shop.api('POST', '/connected_accounts/magic_link', {
        connector: 'tracker',
        identifier: 'ada',
        user_id: 'ada',
      });
      const { link: address } = (await answer.json()) as { link: string };
      const shown = await fetch(address);
      await shown.text();
      return shown.status;
    };
    expect(await link()).toBe(200);
    expect(await operators.get(environmentId, 'tracker')).toMatchObject({
      issuer: provider.authorizer.origin,
    });

    provider.metadata['token_endpoint'] = `${provider.server.origin}/token`;
    const finding = {
      severity: 'warning',
      field: 'issuer',
      message: `Its documents name the authorization server ${provider.authorizer.origin} at ${provider.authorizer.origin}, ${provider.server.origin} now. Consents go where they went for up to ten minutes more; the next after that holds this back until you accept it.`,
    };
    expect((await operators.probe(environmentId, 'tracker')).findings).toContainEqual(finding);

    provider.metadata['issuer'] = moved;
    provider.metadataPath = '/.well-known/oauth-authorization-server/moved';
    provider.resource['authorization_servers'] = [moved];
    expect((await operators.probe(environmentId, 'tracker')).findings).toContainEqual({
      ...finding,
      message: finding.message.replace(`server ${provider.authorizer.origin} `, `server ${moved} `),
    });
    const { connectionFinder, mcpServers } = shop.services;
    await mcpServers.forget(await connectionFinder.byName(environmentId, 'tracker'));
    await link();
    const held = await operators.get(environmentId, 'tracker');
    expect(held).toMatchObject({
      state: 'authorization_server_changed',
      issuer: provider.authorizer.origin,
      authorization_server_change: shown,
    });
    for (const other of [
      { ...shown, issuer: provider.authorizer.origin },
      { ...shown, origins: [provider.authorizer.origin] },
      { ...shown, origins: shown.origins.toReversed() },
    ])
      await expect(operators.accept(caller, 'tracker', other)).rejects.toMatchObject({
        violations: [{ field: 'issuer', constraint: 'changed' }],
      });
    expect(await operators.accept(caller, 'tracker', shown)).toMatchObject({
      ...shown,
      authorization_server_change: null,
    });
    await operators.reregister(caller, 'tracker');
    expect((await site.audited()).slice(-3)).toEqual([
      'upstream.authorization_server_changed',
      'upstream.accept_authorization_server',
      'upstream.reregister',
    ]);
  });
});
