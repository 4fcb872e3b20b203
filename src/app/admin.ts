/** The administrative commands' way to an installation: the same services as the server, acting as the operator. */
import type { Accounts } from '../accounts/accounts.ts';
import type { Connections } from '../accounts/connections.ts';
import type { Disconnection } from '../auth/disconnection.ts';
import type { Links } from '../auth/links.ts';
import type { Catalog } from '../catalog/types.ts';
import { SCOPES, type Caller } from '../core/caller.ts';
import type { Settings } from '../core/config/settings.ts';
import type { Log } from '../core/log.ts';
import type { AccountRefresh } from '../executor/account-refresh.ts';
import type { Executor } from '../executor/executor.ts';
import type { ApiCredentials } from '../identity/api-credentials.ts';
import { buildIdentity } from './identity.ts';
import { openInstallation } from './installation.ts';

export interface Admin {
  accounts: Accounts;
  accountRefresh: AccountRefresh;
  disconnection: Disconnection;
  connections: Connections;
  credentials: ApiCredentials;
  links: Links;
  executor: Executor;
  catalog: Catalog;
  environmentId(name: string): Promise<string>;
  /** The operator: everything is allowed, nothing is hidden. */
  caller(environmentName: string): Promise<Caller>;
  close(): Promise<void>;
}

export async function openAdmin({ settings, log }: { settings: Settings; log: Log }): Promise<Admin> {
  const installation = await openInstallation({ settings, log });
  const { environments } = installation;
  const environmentId = async (name: string): Promise<string> => environments.byName(name).id;
  return {
    ...installation,
    credentials: buildIdentity(installation).credentials,
    environmentId,
    caller: async (name) => operatorIn(await environmentId(name)),
  };
}

/** Whoever may run commands on this machine. */
export function operatorIn(environmentId: string): Caller {
  return { environmentId, actor: 'local', scopes: new Set(SCOPES), source: 'cli', ip: '' };
}
