/**
 * Notifies webhooks of events of remote MCP servers, in the transaction of the change
 * (store/policy/webhook-events.ts).
 */
import type { UpstreamEventType } from '../core/webhook-events.ts';
import type { Connection } from '../store/accounts/connection.ts';
import type { WriteTransaction } from '../store/engine/database.ts';
import { writeEvent } from '../store/policy/webhook-events.ts';

/** The connection of a server, as its events name it. */
export type AnnouncedUpstream = Pick<Connection, 'environmentId' | 'id' | 'name' | 'connector'>;

/** @param details members of the event, in addition to the server */
export async function announceUpstream(
  tx: WriteTransaction,
  { environmentId, id, name, connector }: AnnouncedUpstream,
  type: UpstreamEventType,
  details: object,
  now: number,
): Promise<void> {
  await writeEvent(tx, { environmentId, type, subjectId: id, now }, () => ({
    upstream: { name, connector, connection_id: id },
    ...details,
  }));
}
