/** Accounts and connections that no store has made: for tests of rules that need a few of their members. */
import type { Account } from '../../src/store/accounts/account.ts';
import type { Connection } from '../../src/store/accounts/connection.ts';

/** A connection of the connector `desk`, complete for OAUTH. */
export function testConnection(change: Partial<Connection> = {}): Connection {
  return {
    id: 'conn_1',
    environmentId: 'env_1',
    name: 'desk',
    connector: 'desk',
    type: 'OAUTH',
    clientId: 'app-1',
    clientSecretSealed: 'sealed',
    secretSetAt: 1,
    scopes: [],
    params: {},
    overrides: {},
    postUserVerifyRedirectUrl: null,
    managedBy: 'operator',
    pausedUntil: null,
    createdAt: 1,
    updatedAt: 1,
    ...change,
  };
}

/** An ACTIVE account of the user `ada` at that connection, without credentials. */
export function testAccount(
  change: Partial<Omit<Account, 'connection'>> & { connection?: Partial<Account['connection']> } = {},
): Account {
  return {
    id: 'ca_1',
    environmentId: 'env_1',
    owner: { userId: 'ada', organizationId: '' },
    identifier: 'ada',
    status: 'ACTIVE',
    apiConfig: {},
    credentialsSealed: null,
    generation: 1,
    tokenExpiresAt: null,
    tokenReceivedAt: null,
    pausedUntil: null,
    declinedAt: null,
    displayNameSealed: null,
    lastUsedAt: null,
    createdAt: 1,
    updatedAt: 1,
    ...change,
    connection: testConnection(change.connection),
  };
}
