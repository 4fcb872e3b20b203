/** Builds links, consent flows and verification. */
import type { Finders } from '../../accounts/build-accounts.ts';
import type { CredentialTrials } from '../../accounts/credential-trials.ts';
import type { WaitingCredentials } from '../../accounts/waiting-credentials.ts';
import type { Catalog } from '../../catalog/model/types.ts';
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { Revocation } from '../../credentials/revocation.ts';
import type { SchemeServices } from '../../credentials/schemes/renewal.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Vault } from '../../vault/vault.ts';
import { LinkCompletion } from '../link-completion.ts';
import { LinkVerifier } from '../link-verifier.ts';
import { Links } from '../links.ts';
import { OAuthFlows } from './oauth-flows.ts';

/**
 * Builds them.
 *
 * @param base.linkBase public origin of an environment for its links
 * @param base.lifetimes of links, of credentials that wait for verify, and of consents under way
 */
export function buildLinks(
  base: Finders & {
    db: Database;
    vault: Vault;
    clock: Clock;
    catalog: Catalog;
    environments: Environments;
    waiting: WaitingCredentials;
    trials: CredentialTrials;
    schemeServices: SchemeServices;
    revocation: Revocation;
    linkBase: (environmentId: string) => Promise<string>;
    lifetimes: { linkMs: number; pendingVerificationMs: number; stateMs: number };
  },
) {
  const { vault, linkBase, lifetimes } = base;
  const { accountFinder: finder, connectionFinder: connections, schemeServices: services } = base;
  const completion = new LinkCompletion({ ...base, pendingMs: lifetimes.pendingVerificationMs });
  return {
    completion,
    links: new Links({
      ...base,
      finder,
      connections,
      completion,
      csrfKey: vault.derive('connect-form'),
      lifetimeMs: lifetimes.linkMs,
      baseUrl: linkBase,
    }),
    consents: new OAuthFlows({ ...base, connections, completion, services, stateMs: lifetimes.stateMs }),
    verification: new LinkVerifier(base),
  };
}
