/** Approved forms of tools that a newer approval has replaced. */
import type { WriteTransaction } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { writeAuditLine, type AuditedBy } from '../../store/records/audit-store.ts';
import { listedHashes, type UpstreamTool } from '../../store/upstreams/upstream-store.ts';

/**
 * Ends replaced forms that are in no account's list any more.
 *
 * As long as such a form counts as approved, it keeps the tool's effect dangerous, because a tool has the most
 * dangerous effect of all its approved forms. Its approval ends with it: if a list has it again, it is held back.
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
  const tools = new Set(approvals.map(({ tool }) => tool));
  const approved = new Set(approvals.map(({ hash }) => hash));
  const older = known.filter(
    ({ tool, hash, state }) =>
      (state === 'approved' || state === 'gone') && tools.has(tool) && !approved.has(hash),
  );
  if (older.length === 0) return;
  const kept = await listedHashes(tx, by.environmentId, connectionId);
  for (const { id, hash, state } of older.filter((form) => !kept.has(form.hash))) {
    const ended = { state: 'gone', decided_by: null, decided_at: null } as const;
    await rows(tx, 'upstream_tools').update(by.environmentId, id, ended);
    if (state === 'approved')
      await writeAuditLine(tx, by, { action: 'upstream_tool.gone', target: `${id} ${hash}`, now });
  }
}
