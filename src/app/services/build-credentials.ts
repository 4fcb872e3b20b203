/** Everything that opens, renews and revokes credentials of accounts, built once. */
import type { ConnectionFinder } from '../../connections/connection-finder.ts';
import { SealedDetails } from '../../accounts/sealed-details.ts';
import { WaitingCredentials } from '../../accounts/waiting-credentials.ts';
import type { TokenEndpoint } from '../../credentials/oauth/token-endpoint.ts';
import { Refresher } from '../../credentials/refresh/refresher.ts';
import { Revocation } from '../../credentials/revocation.ts';
import type { SchemeServices } from '../../credentials/schemes/renewal.ts';
import { CredentialSource } from '../../credentials/usable-credential.ts';
import type { Clock } from '../../core/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../store/engine/database.ts';
import type { RateLimiter } from '../../store/records/rate-limiter.ts';
import type { Vault } from '../../vault/vault.ts';

/** Of the 15 s after which a stopping process is ended, what is left to token requests when everything else has drained. */
const STOP_GRACE_MS = 4_000;

export interface CredentialServices {
  sealed: SealedDetails;
  revocation: Revocation;
  waiting: WaitingCredentials;
  refresher: Refresher;
  credentials: CredentialSource;
  /** Gives token requests under way time to be answered and stored; before outbound calls are cut. */
  drain(): Promise<void>;
  /** Resolves when none is under way and its outcome is stored; before the database is closed. */
  settled(): Promise<void>;
}

export function buildCredentials(deps: {
  db: Database;
  vault: Vault;
  clock: Clock;
  log: Log;
  settings: Settings;
  rates: RateLimiter;
  connections: ConnectionFinder;
  tokens: TokenEndpoint;
  services: SchemeServices;
}): CredentialServices {
  const { db, clock, settings } = deps;
  const sealed = new SealedDetails(deps.vault);
  const revocation = new Revocation({ ...deps, sealed });
  const refresher = new Refresher({
    ...deps,
    sealed,
    settings: settings.refresh,
    discarded: (row, token) => revocation.tokensDiscarded(row, token),
  });
  return {
    sealed,
    revocation,
    refresher,
    waiting: new WaitingCredentials({ db, clock, erased: revocation }),
    credentials: new CredentialSource({
      db,
      vault: deps.vault,
      sealed,
      clock,
      refresher,
      marginMs: settings.refresh.marginMs,
    }),
    drain: async () => {
      await Promise.all([refresher.close(STOP_GRACE_MS), revocation.close(STOP_GRACE_MS)]);
    },
    settled: async () => {
      await Promise.all([refresher.settled(), revocation.settled()]);
    },
  };
}
