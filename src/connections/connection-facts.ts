/** A stored connection as the rules of authorization types see it. Pure. */
import type { ConnectionFacts } from '../authorization-types/facts.ts';
import type { ConnectionRow } from '../store/accounts/connection-store.ts';

/** The facts of a connection. */
export function connectionFacts({
  client_id: clientId,
  client_secret_sealed: secret,
  params,
  overrides,
}: Pick<ConnectionRow, 'client_id' | 'client_secret_sealed' | 'params' | 'overrides'>): ConnectionFacts {
  return {
    hasClientId: clientId !== null,
    hasSecret: secret !== null,
    params,
    hasOverrides: Object.keys(overrides).length > 0,
  };
}
