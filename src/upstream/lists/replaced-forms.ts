/** Approved forms of tools in whose place other ones were approved. */
import type { WriteTransaction } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { writeAuditLine, type AuditedBy } from '../../store/records/audit-store.ts';
import type { UpstreamTool } from '../../store/upstreams/upstream-store.ts';

/**
 * Ends those that no account's list has any more. A tool has the most dangerous effect of all its approved forms, so an
 * approval could not make it less dangerous before.
 *
 * @param of.known forms of the connection, as they were before the approvals
 */
export async function endReplaced(
  tx: WriteTransaction,
  by: AuditedBy,
  connectionId: string,
  of: {
    known: readonly UpstreamTool[];
    approvals: readonly { tool: string; hash: string }[];
    now: number;
  },
): Promise<void> {
  const { known, approvals, now } = of;
  const lists = await rows(tx, 'upstream_lists').list(by.environmentId, {
    where: { connection_id: connectionId },
  });
  const kept = new Set([
    ...lists.flatMap(({ tools }) => tools.map(([, hash]) => hash)),
    ...approvals.map(({ hash }) => hash),
  ]);
  const tools = new Set(approvals.map(({ tool }) => tool));
  for (const { id, tool, hash, state } of known) {
    if (state !== 'approved' || !tools.has(tool) || kept.has(hash)) continue;
    await rows(tx, 'upstream_tools').update(by.environmentId, id, { state: 'gone' });
    await writeAuditLine(tx, by, { action: 'upstream_tool.gone', target: `${id} ${hash}`, now });
  }
}
