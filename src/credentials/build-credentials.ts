/** Everything that opens, renews and revokes credentials of accounts, built once. */
import type { Finders } from '../accounts/build-accounts.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Timers } from '../core/timers.ts';
import type { Database } from '../store/engine/database.ts';
import type { Vault } from '../vault/vault.ts';
import { CredentialAccess } from './credential-access.ts';
import { Disconnection } from './disconnection.ts';
import type { TokenEndpoint } from './oauth/token-endpoint.ts';
import { Refresher, type RefreshRates, type RefreshSettings } from './refresh/refresher.ts';
import { Revocation } from './revocation.ts';
import type { IdentityTokens, SchemeServices } from './schemes/renewal.ts';
import { CredentialSource } from './usable-credential.ts';

/** Part of the 15 s shutdown limit that is reserved for token requests after everything else has drained. */
const STOP_GRACE_MS = 4_000;

/**
 * Builds these services.
 *
 * @param base.http sends requests other than those to OAuth 2.0 token endpoints
 * @param base.refresh `refresh` of the settings
 */
export function buildCredentials(
  base: Finders & {
    db: Database;
    vault: Vault;
    clock: Clock;
    log: Log;
    rates: RefreshRates;
    refresh: RefreshSettings;
    tokens: TokenEndpoint;
    http: SchemeServices['http'];
    identityTokens: IdentityTokens;
    timers?: Timers;
    random?: () => number;
  },
) {
  const { vault, clock, tokens, http, identityTokens, refresh: settings } = base;
  const { accountFinder: finder, connectionFinder: connections } = base;
  const schemeServices: SchemeServices = { vault, clock, tokens, http, identityTokens };
  const revocation = new Revocation({ ...base, connections });
  const refresher = new Refresher({
    ...base,
    services: schemeServices,
    settings,
    discarded: (row, token) => revocation.tokensDiscarded(row, token),
  });
  const credentials = new CredentialSource({ ...base, refresher, marginMs: settings.marginMs });
  return {
    schemeServices,
    revocation,
    refresher,
    credentials,
    credentialAccess: new CredentialAccess({ ...base, finder, connections, credentials }),
    disconnection: new Disconnection({ ...base, finder, revocation }),
    /** Waits for running token requests to be answered and stored. Call it before outbound calls are cut. */
    drain: async () => {
      await Promise.all([refresher.close(STOP_GRACE_MS), revocation.close(STOP_GRACE_MS)]);
    },
    /** Resolves when no token request is running and its outcome is stored. Call it before the database is closed. */
    settled: async () => {
      await Promise.all([refresher.settled(), revocation.settled()]);
    },
  };
}
