import { expect, it } from 'vitest';
import { ConnectionFinder } from '../../src/connections/connection-finder.ts';
import type { CatalogOfEnvironments } from '../../src/catalog/model/environment-catalog.ts';
import type { Catalog, Connector } from '../../src/catalog/model/types.ts';
import { smallestEntry } from '../support/auth-entries.ts';
import { forEachDatabase } from '../support/databases.ts';
import { ENVIRONMENT_ID, testServices } from '../support/services.ts';
import { testCatalog } from '../support/test-catalog.ts';

forEachDatabase((_name, open) => {
  it.each([
    [
      'OAUTH',
      'The operator runs "gatehouse connections create vault", which shows the redirect URI to register with Vault, and then adds the client id and secret of that app; or declares the connection in gatehouse.yaml.',
    ],
    [
      'OAUTH_M2M',
      'The operator registers a client and its public key with Vault and runs "gatehouse connections create vault" with --client-id, and private_key in --params, or declares the connection in gatehouse.yaml.',
    ],
    [
      'WORKSPACE_DWD',
      'The operator makes a service account with Vault and runs "gatehouse connections create vault" with its key file as service_account_json in --params, or declares the connection in gatehouse.yaml.',
    ],
    [
      'TRUSTED_IDP',
      'The operator makes a role at AWS that trusts the issuer of this Gatehouse and runs "gatehouse connections create vault" with role_arn, database, and workgroup or cluster of Vault in --params, or declares the connection in gatehouse.yaml.',
    ],
  ] as const)('tells what a connection of type %s needs where there is none', async (type, advice) => {
    const connector: Connector = {
      ...testCatalog.connectors.get('mailbox')!,
      name: 'vault',
      title: 'Vault',
      auth: [smallestEntry(type)],
      needsNoOperator: false,
    };
    const catalog = { ...testCatalog, connectors: new Map([['vault', connector]]) };
    const finder = new ConnectionFinder(await open(), catalog);
    await expect(finder.byName('env_1', 'vault')).rejects.toMatchObject({
      code: 'CONNECTION_MISSING',
      message: `No connection to Vault has been set up. ${advice}`,
    });
  });

  it('knows the connector that another process has added a moment ago, with its connection', async () => {
    const db = await open();
    await testServices({ db });
    const before: Catalog = { ...testCatalog, connectors: new Map() };
    const finderOf = (): ConnectionFinder => {
      let known = before;
      const refresh = async (): Promise<void> => void (known = testCatalog);
      const catalog: CatalogOfEnvironments = { ...before, in: () => known, refresh };
      return new ConnectionFinder(db, catalog);
    };
    const place = { connector: 'notes', type: 'API_KEY', environmentId: ENVIRONMENT_ID };
    expect(() => finderOf().connectorOf(place)).toThrow('no longer has notes');
    for (const find of [
      async (finder: ConnectionFinder) => finder.byName(ENVIRONMENT_ID, 'notes'),
      async (finder: ConnectionFinder) => finder.forConnector(ENVIRONMENT_ID, 'notes'),
      async (finder: ConnectionFinder) => finder.addedConnectorOf(place),
    ]) {
      const finder = finderOf();
      await find(finder);
      expect(finder.connectorOf(place).connector.title).toBe('Notes');
    }
  });
});
