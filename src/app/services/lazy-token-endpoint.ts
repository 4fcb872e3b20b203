/** Token requests, loaded at the first one: starting, listing and calls with a valid token do not need them. */
import type { TokenEndpoint } from '../../credentials/oauth/token-endpoint.ts';
import type { Clock } from '../../core/clock.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import { loadOnce } from '../../core/load-once.ts';

/** A TokenEndpoint over `sender` that is created when something is sent. */
export function lazyTokenEndpoint(sender: Sender, clock: Clock): TokenEndpoint {
  const client = loadOnce(async () => {
    const { TokenClient } = await import('../../credentials/oauth/token-client.ts');
    return new TokenClient(sender, { clock, timeoutMs: sender.totalTimeoutMs });
  });
  return {
    exchange: async (party, grant) => (await client()).exchange(party, grant),
    refresh: async (party, refreshToken, options) => (await client()).refresh(party, refreshToken, options),
    mint: async (party, grant, options) => (await client()).mint(party, grant, options),
    revoke: async (party, token, hint) => (await client()).revoke(party, token, hint),
  };
}
