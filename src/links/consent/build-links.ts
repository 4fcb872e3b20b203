/** Builds links, consent flows and verification. */
import type { OnConnected } from '../../accounts/account-update.ts';
import type { DisplayNames } from '../../accounts/display-names.ts';
import type { Finders } from '../../accounts/build-accounts.ts';
import type { CredentialTrials } from '../../accounts/credential-trials.ts';
import type { WaitingCredentials } from '../../accounts/waiting-credentials.ts';
import type { SelectionNames } from '../../catalog/model/tool-selection.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { Revocation } from '../../credentials/revocation.ts';
import type { SchemeServices } from '../../credentials/schemes/renewal.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Vault } from '../../vault/vault.ts';
import { LinkCompletion } from '../link-completion.ts';
import { LinkEnds } from '../link-ends.ts';
import { LinkVerifier } from '../link-verifier.ts';
import type { CallerName } from '../link-rules.ts';
import { Links } from '../links.ts';
import { OAuthFlows } from './oauth-flows.ts';

/**
 * Builds them.
 *
 * @param base.linkBase public origin of an environment for its links
 * @param base.callerName name of the API credential or app that calls, where it has one
 * @param base.lifetimes of links, of credentials that wait for verify, and of consents under way
 */
export function buildLinks(
  base: Finders & {
    db: Database;
    vault: Vault;
    clock: Clock;
    catalog: Catalog;
    selection?: SelectionNames | undefined;
    environments: Environments;
    waiting: WaitingCredentials;
    trials: CredentialTrials;
    schemeServices: SchemeServices;
    revocation: Revocation;
    displayNames: DisplayNames;
    onConnected?: OnConnected;
    linkBase: (environmentId: string) => Promise<string>;
    callerName: (caller: Caller) => Promise<CallerName | undefined>;
    lifetimes: { linkMs: number; pendingVerificationMs: number; stateMs: number };
  },
) {
  const { vault, linkBase, lifetimes } = base;
  const { accountFinder: finder, connectionFinder: connections, schemeServices: services } = base;
  const completion = new LinkCompletion({
    ...base,
    pendingMs: lifetimes.pendingVerificationMs,
  });
  const csrfKey = vault.derive('connect-form');
  return {
    completion,
    links: new Links({
      ...base,
      services,
      finder,
      connections,
      completion,
      csrfKey,
      lifetimeMs: lifetimes.linkMs,
      baseUrl: linkBase,
    }),
    consents: new OAuthFlows({
      ...base,
      connections,
      completion,
      services,
      csrfKey,
      stateMs: lifetimes.stateMs,
    }),
    verification: new LinkVerifier({ ...base, csrfKey }),
    linkEnds: new LinkEnds({ ...base, connections, csrfKey }),
  };
}
