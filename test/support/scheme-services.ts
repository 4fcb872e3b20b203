/** What schemes ask a provider with, where a test has nothing but token requests. */
import type { TokenEndpoint } from '../../src/credentials/oauth/token-endpoint.ts';
import type { SchemeServices } from '../../src/credentials/schemes/renewal.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Vault } from '../../src/vault/vault.ts';

/** Every other request is a mistake of the test. */
export function tokenRequestsOnly(given: {
  vault: Vault;
  clock: Clock;
  tokens: TokenEndpoint;
}): SchemeServices {
  const refuse = (): never => {
    throw new Error('this test expects token requests only');
  };
  return {
    ...given,
    http: { totalTimeoutMs: 30_000, send: async () => refuse() },
    identityTokens: { issue: async () => refuse() },
    mcp: {
      servers: { known: async () => refuse(), endpointsOf: async () => refuse() },
      clients: {
        forConsent: async () => refuse(),
        ofGrant: async () => refuse(),
        worked: async () => refuse(),
        vanished: async () => refuse(),
      },
    },
  };
}
