/** Whether an owner's accounts make a connector's tools usable (`tools/scoped` in docs/contract.md#bodies). Pure. */
import type { AccountListItem } from '../../accounts/account-views.ts';

export interface ToolReadiness {
  /** The account that a call would use; null without an account, or with several to choose from. */
  account: { id: string; identifier: string } | null;
  status: 'ready' | 'needs_connection' | 'needs_reauth';
}

/** Statuses of accounts whose owner has to consent again. */
const REAUTH = new Set(['EXPIRED', 'DISCONNECTED']);

/**
 * A tool uses the connection with its connector's name if that exists, whatever other accounts there are
 * (docs/contract.md#which-account-a-call-means).
 *
 * @param accounts of one owner, at any connectors
 * @param connections names of all connections
 * @returns the readiness of a catalog connector's tools
 */
export function readinessOf(
  accounts: readonly AccountListItem[],
  connections: ReadonlySet<string>,
): (connector: string) => ToolReadiness {
  const byConnector = Map.groupBy(accounts, (account) => account.provider);
  return (connector) => {
    const all = byConnector.get(connector) ?? [];
    const own = connections.has(connector) ? all.filter((account) => account.connector === connector) : all;
    const active = own.filter((account) => account.status === 'ACTIVE');
    if (active.length > 0) return { account: only(active), status: 'ready' };
    const lapsed = own.filter((account) => REAUTH.has(account.status));
    if (lapsed.length > 0) return { account: only(lapsed), status: 'needs_reauth' };
    return { account: only(own), status: 'needs_connection' };
  };
}

function only(accounts: readonly AccountListItem[]): ToolReadiness['account'] {
  const [first, ...others] = accounts;
  return first === undefined || others.length > 0 ? null : { id: first.id, identifier: first.identifier };
}
