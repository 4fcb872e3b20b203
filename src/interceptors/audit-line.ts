/** One line of the audit log, in the transaction of what it tells about. */
import type { Caller } from '../core/caller.ts';
import { newId } from '../core/ids.ts';
import { AuditStore } from '../store/audit-store.ts';
import type { WriteTransaction } from '../store/database.ts';

/** @param action `webhook.create`; @param target id of what was acted on */
export async function writeAuditLine(
  tx: WriteTransaction,
  caller: Caller,
  { action, target, now }: { action: string; target: string; now: number },
): Promise<void> {
  await new AuditStore(tx).append({
    id: newId('aud', now),
    environment_id: caller.environmentId,
    at: now,
    actor: caller.actor,
    action,
    target,
    ip: caller.ip,
  });
}
