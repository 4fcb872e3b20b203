/** The audit log. Append only: the database itself refuses to change or delete lines. */
import type { ExpressionBuilder } from 'kysely';
import { newId } from '../../core/ids.ts';
import type { WriteTransaction } from '../engine/database.ts';
import { rows, type Where } from '../engine/rows.ts';
import type { Tables } from '../tables/tables.ts';

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

/** The lines that a filter shows. */
export function auditedWhere({ actor, action, target, from, until }: AuditFilter): Where<'audit'> {
  return (e) =>
    e.and([
      ...(actor === undefined ? [] : [e('actor', '=', actor)]),
      ...(target === undefined ? [] : [e('target', '=', target)]),
      ...(action === undefined
        ? []
        : action.endsWith('.')
          ? beginningWith(e, action)
          : [e('action', '=', action)]),
      ...(from === undefined ? [] : [e('at', '>=', from)]),
      ...(until === undefined ? [] : [e('at', '<', until)]),
    ]);
}

/** Up to the character after the dot in the byte order of both databases: everything that begins with the text. */
function beginningWith(e: ExpressionBuilder<Tables, 'audit'>, action: string) {
  return [e('action', '>=', action), e('action', '<', `${action.slice(0, -1)}/`)];
}
