/** A server in this process, and an operator who looks at remote MCP servers and decides about them. */
import type { Caller } from '../../src/core/caller.ts';
import { rows } from '../../src/store/engine/rows.ts';
import type { UpstreamOperators } from '../../src/upstream/operators/upstream-operators.ts';
import { startShopServer } from '../support/shop-server.ts';

export type OperatorSite = Awaited<ReturnType<typeof openOperatorSite>>;

/** @param hosts that may be called */
export async function openOperatorSite(hosts: { main: string; files: string }) {
  const shop = await startShopServer({ hosts });
  const { db, environments, upstreams } = shop.services;
  const { operators } = upstreams;
  const environmentId = environments.byName('development').id;
  const caller: Caller = {
    kind: 'operator',
    environmentId,
    actor: 'local',
    scopes: new Set(['admin']),
    source: 'cli',
    ip: '',
  };
  return {
    shop,
    operators,
    caller,
    /** How many servers were added. */
    stored: async (): Promise<number> => rows(db.read, 'upstreams').count(environmentId),
    /** What the audit log has of servers and connections, in order. */
    audited: async (): Promise<string[]> => {
      const lines = await rows(db.read, 'audit').list(environmentId, { orderBy: ['id'] });
      return lines.map(({ action }) => action).filter((action) => /^(upstream|connection)/.test(action));
    },
    /** Looks, and confirms what was shown. */
    addLooked: async (input: Parameters<UpstreamOperators['add']>[1]) => {
      const seen = await operators.add(caller, input);
      return operators.add(caller, { ...input, confirm: true, seen });
    },
  };
}
