/** A stored connection as the rules of authorization types see it. Pure. */
import type { ConnectionFacts } from '../authorization-types/facts.ts';
import type { Connection } from '../store/accounts/connection.ts';

/** The facts of a connection. */
export function connectionFacts({
  clientId,
  clientSecretSealed,
  params,
  overrides,
}: Pick<Connection, 'clientId' | 'clientSecretSealed' | 'params' | 'overrides'>): ConnectionFacts {
  return {
    hasClientId: clientId !== null,
    hasSecret: clientSecretSealed !== null,
    params,
    hasOverrides: Object.keys(overrides).length > 0,
  };
}
