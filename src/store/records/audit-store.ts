/** Rows of the audit log. Append only: the database itself refuses to change or delete them. */
import type { Kysely, Selectable } from 'kysely';
import { newId } from '../../core/ids.ts';
import type { PagePosition } from '../../core/page-token.ts';
import type { WriteTransaction } from '../engine/database.ts';
import { rowsFrom } from '../engine/keyset.ts';
import type { AuditTable, Tables } from '../tables/tables.ts';

export type AuditRow = Selectable<AuditTable>;

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
  await new AuditStore(tx).append({
    id: newId('aud', now),
    environment_id: by.environmentId,
    at: now,
    actor: by.actor,
    action,
    target,
    ip: by.ip,
  });
}

export class AuditStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async append(row: AuditRow): Promise<void> {
    await this.#db.insertInto('audit').values(row).execute();
  }

  /** Up to `limit` rows from a position on, in list order (newest first) for `next`, oldest first for `prev`. */
  async page(
    environmentId: string,
    position: PagePosition | undefined,
    limit: number,
    filter: AuditFilter = {},
  ): Promise<AuditRow[]> {
    const query = this.#filtered(environmentId, filter).selectAll();
    return rowsFrom(query, 'at', position, limit);
  }

  async count(environmentId: string, filter: AuditFilter = {}): Promise<number> {
    const { total } = await this.#filtered(environmentId, filter)
      .select((e) => e.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }

  #filtered(environmentId: string, { actor, action, target, from, until }: AuditFilter) {
    let query = this.#db.selectFrom('audit').where('environment_id', '=', environmentId);
    if (actor !== undefined) query = query.where('actor', '=', actor);
    if (target !== undefined) query = query.where('target', '=', target);
    if (action?.endsWith('.')) {
      // The character after the dot in both databases' byte order ends the range of actions with this prefix.
      query = query.where('action', '>=', action).where('action', '<', `${action.slice(0, -1)}/`);
    } else if (action !== undefined) {
      query = query.where('action', '=', action);
    }
    if (from !== undefined) query = query.where('at', '>=', from);
    if (until !== undefined) query = query.where('at', '<', until);
    return query;
  }
}
