/** Token requests, loaded at the first one: starting, listing and calling with a valid token does not need them. */
import type { TokenClient } from '../auth/oauth/token-client.ts';
import type { TokenEndpoint } from '../auth/oauth/token-endpoint.ts';
import type { Clock } from '../core/clock.ts';
import type { Sender } from '../provider/provider-client.ts';

/** A TokenEndpoint over `sender` that comes into being when something is sent. */
export function lazyTokenEndpoint(sender: Sender, clock: Clock): TokenEndpoint {
  let opened: Promise<TokenClient> | undefined;
  const open = async (): Promise<TokenClient> => {
    const { TokenClient } = await import('../auth/oauth/token-client.ts');
    return new TokenClient(sender, { clock, timeoutMs: sender.totalTimeoutMs });
  };
  const openOnce = async (): Promise<TokenClient> => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  return {
    exchange: async (client, grant) => (await openOnce()).exchange(client, grant),
    refresh: async (client, refreshToken, options) =>
      (await openOnce()).refresh(client, refreshToken, options),
    mint: async (client, grant, options) => (await openOnce()).mint(client, grant, options),
    revoke: async (client, token, hint) => (await openOnce()).revoke(client, token, hint),
  };
}
