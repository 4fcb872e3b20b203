/** The audit log. Append only: the database itself refuses to change or delete lines. */
import { newId } from '../../core/ids.ts';
import type { PagePosition } from '../../core/page-token.ts';
import type { Readable, WriteTransaction } from '../engine/database.ts';
import type { Among } from '../engine/keyset.ts';
import { rows } from '../engine/rows.ts';

/** Filters of a list; absent members do not filter. */
export interface AuditFilter {
  actor?: string | undefined;
  /** An exact action, or a prefix that ends with a dot: `connection.` for all actions on connections. */
  action?: string | undefined;
  target?: string | undefined;
  /** Unix milliseconds, inclusive. */
  from?: number | undefined;
  /** Unix milliseconds, exclusive. */
  until?: number | undefined;
}

/** The actor of an audit line; a Caller is one. */
export interface AuditedBy {
  environmentId: string;
  actor: string;
  ip: string;
}

/** The operator at the command line, or the settings file. */
export const LOCAL = { actor: 'local', ip: '' } as const;

/**
 * Writes one line, in the transaction of the change it describes.
 *
 * @param line.action `<resource>.<verb>`
 * @param line.target id of the changed thing
 * @param line.now Unix milliseconds
 */
export async function writeAuditLine(
  tx: WriteTransaction,
  by: AuditedBy,
  { action, target, now }: { action: string; target: string; now: number },
): Promise<void> {
  await rows(tx, 'audit').insert({
    id: newId('aud', now),
    environment_id: by.environmentId,
    at: now,
    actor: by.actor,
    action,
    target,
    ip: by.ip,
  });
}

/** The part of a list of lines that `newestFirst` needs. */
export async function auditPages(db: Readable, environmentId: string, filter: AuditFilter) {
  const { actor, action, target, from, until } = filter;
  const lines = rows(db, 'audit');
  const among = await auditedAmong(db, environmentId, filter);
  // Each part of the list has one action.
  const where = { actor, target, action: among === undefined ? action : undefined };
  const list = { where, among, range: { from, until } };
  return {
    ...lines.pages(environmentId),
    read: async (position: PagePosition | undefined, limit: number) =>
      lines.page(environmentId, { ...list, position, limit }),
    count: async (atMost: number) => lines.countUpTo(environmentId, list, atMost),
  };
}

/** The actions among which those of a filter are, if it has a prefix of them. Programs write few different ones. */
async function auditedAmong(
  db: Readable,
  environmentId: string,
  { action }: AuditFilter,
): Promise<Among | undefined> {
  if (action?.endsWith('.') !== true) return undefined;
  const values: string[] = [];
  // Each statement reads one entry of an index: the next action that exists.
  for (let last = action; ;) {
    const next = await db
      .selectFrom('audit')
      .select('action')
      .where('environment_id', '=', environmentId)
      .where('action', '>', last)
      .where('action', '<', endOfActions(action))
      .orderBy('action')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return { column: 'action', values };
    last = next.action;
    values.push(last);
  }
}

/** The character after the dot in the byte order of both databases. */
function endOfActions(action: string): string {
  return `${action.slice(0, -1)}/`;
}
