/** How many statements a call costs once everything is loaded: on Postgres each is a way to the server and back. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { modern } from '../../mcp/fixtures.ts';
import { forEachDatabase } from '../../support/databases.ts';
import { sentStatements } from '../../support/measured.ts';
import { peopleOf } from '../../support/people.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { startShopServer, type ShopServer } from '../../support/shop-server.ts';

const CALLS = ROUNDS.full ? 100 : 20;

/** Statements that a server sends without a call while so many calls run: polls, and checks of tokens every 4 s. */
const MEANWHILE = 10;

/** Makes one call. Rejects unless it works. */
type MakeCall = () => Promise<void>;

forEachDatabase((name, _open, newUrl) => {
  let shop: ShopServer;
  let calls: Record<string, MakeCall>;

  beforeAll(async () => {
    const provider = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"entries":[]}');
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const connections = [
      { name: 'shop', connector: 'shop' },
      { name: 'shop-of-sales', connector: 'shop' },
    ];
    shop = await startShopServer({
      hosts: { main: origin, files: origin },
      settings: { connections },
      databaseUrl: await newUrl(),
    });
    const people = peopleOf(shop.services, shop.services.environments.byName('development').id);
    const ada = await people.user('ada');
    const id = await shop.account('ada');
    await shop.account(ada);
    await shop.account(ada, 'shop-of-sales');
    const { token: hers } = await people.signIn(ada, { resource: `${shop.baseUrl}/mcp` });
    const rest = (account: object) => async () => {
      const body = { tool_name: 'shop_list', tool_input: {}, ...account };
      const { status } = await shop.api('POST', '/execute_tool', body);
      expect(status).toBe(200);
    };
    const mcp = (headers: Record<string, string>) => async () => {
      const { body } = await modern(
        `${shop.baseUrl}/mcp`,
        'tools/call',
        { name: 'shop_list', arguments: {} },
        { headers },
      );
      expect(body.result?.isError).not.toBe(true);
      expect(body.result?.content).toBeDefined();
    };
    calls = {
      'REST with the id of the account': rest({ connected_account_id: id }),
      'REST with connection, owner and identifier': rest({
        connector: 'shop',
        identifier: 'ada',
        user_id: 'ada',
      }),
      'REST with connection and identifier alone': rest({ connector: 'shop', identifier: 'ada' }),
      'REST with the owner alone': rest({ user_id: 'ada' }),
      'MCP for a named user': mcp({ authorization: `Bearer ${shop.token}`, 'gatehouse-user-id': 'ada' }),
      "MCP with a person's token": mcp({ authorization: `Bearer ${hers}` }),
    };
    return async () => {
      await shop.close();
      provider.close();
    };
  });

  /** Statements of so many calls one after the other, once what they need is loaded. */
  async function sentBy(call: MakeCall): Promise<string[]> {
    await call();
    const sent = sentStatements();
    for (let i = 0; i < CALLS; i++) await call();
    await shop.services.executor.recorded();
    return [...sent];
  }

  describe('call in the steady state', () => {
    it.each([
      'REST with the id of the account',
      'REST with connection, owner and identifier',
      'REST with connection and identifier alone',
      'REST with the owner alone',
      'MCP for a named user',
      "MCP with a person's token",
    ])('sends one statement to read, and on Postgres one to write: %s', async (path) => {
      const sent = await sentBy(calls[path]!);
      const reads = sent.filter((sql) => sql.startsWith('select') && sql.includes('"accounts".*'));
      // On SQLite an account is read again only after somebody wrote.
      if (name === 'postgres') expect(reads).toHaveLength(CALLS);
      else expect(reads.length).toBeLessThanOrEqual(CALLS);
      // On SQLite the write is a transaction of several statements, none of which goes to a server.
      if (name === 'postgres') expect(sent.length).toBeLessThanOrEqual(2 * CALLS + MEANWHILE);
    });
  });
});
