/** Connections and connected accounts: what finds them, and the services that change them. */
import type { OnConnected } from './account-update.ts';
import type { SelectionNames } from '../catalog/model/tool-selection.ts';
import type { Catalog } from '../catalog/model/types.ts';
import { ConnectionFinder } from '../connections/connection-finder.ts';
import { Connections } from '../connections/connections.ts';
import type { Clock } from '../core/clock.ts';
import type { Environments } from '../core/environment.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { Database } from '../store/engine/database.ts';
import type { RateLimiter } from '../store/records/rate-limiter.ts';
import type { Vault } from '../vault/vault.ts';
import { AccountFinder } from './account-finder.ts';
import { Accounts } from './accounts.ts';
import { CredentialTrials, type SendTrial } from './credential-trials.ts';
import { DisplayNames, type AskWho } from './display-names.ts';
import { SealedDetails } from './sealed-details.ts';
import { WaitingCredentials, type ErasedCredentials } from './waiting-credentials.ts';

/** Services that find connections and accounts, and open their sealed values. */
export type Finders = ReturnType<typeof buildFinders>;

/** Builds what everything about accounts begins with. */
export function buildFinders({ db, vault, catalog }: { db: Database; vault: Vault; catalog: Catalog }) {
  const connectionFinder = new ConnectionFinder(db, catalog);
  return {
    connectionFinder,
    accountFinder: new AccountFinder(db, connectionFinder),
    sealed: new SealedDetails(vault),
  };
}

/** Builds the services. @param base.erased what is done with credentials that are erased here */
export function buildAccounts(
  base: Finders & {
    db: Database;
    vault: Vault;
    catalog: Catalog;
    selection?: SelectionNames | undefined;
    clock: Clock;
    environments: Environments;
    pageTokens: PageTokens;
    isReachable: (url: URL) => boolean;
    erased: ErasedCredentials;
    rates: RateLimiter;
    sendTrial: SendTrial;
    askWho: AskWho;
    onConnected?: OnConnected;
  },
) {
  const waiting = new WaitingCredentials(base);
  const { accountFinder: finder, connectionFinder: connections } = base;
  const displayNames = new DisplayNames({ ...base, connections });
  return {
    waiting,
    displayNames,
    trials: new CredentialTrials(base),
    connections: new Connections(base),
    accounts: new Accounts({ ...base, finder, connections, waiting, displayNames }),
  };
}
