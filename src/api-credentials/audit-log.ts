/** Reads the audit log: pages, newest first, and all of it for an export (docs/contract.md#bodies). */
import { requireScope, type Caller } from '../core/caller.ts';
import { toTimestamp } from '../core/clock.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PagePosition, PageTokens } from '../core/page-token.ts';
import { auditPages, type AuditFilter } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import type { AuditLine } from '../store/tables/tables.ts';

export type { AuditFilter } from '../store/records/audit-store.ts';

/** Number of rows that an export holds in memory. */
const EXPORT_ROWS = 500;

/** One line in the API: the actor, the action, its target, the time and the address. Never a secret. */
export interface AuditView {
  id: string;
  /** RFC 3339. */
  at: string;
  /** `cred_…`, `usr_…`, or `local` for the command line and the program itself. */
  actor: string;
  /** `<resource>.<verb>` */
  action: string;
  /** Id of the changed object. */
  target: string;
  /** Network address; '' without a network request. */
  ip: string;
}

/** One page of lines, newest first. */
export interface AuditPage extends PageLinks {
  audit: AuditView[];
}

export class AuditLog {
  readonly #db: Database;
  readonly #pageTokens: PageTokens;

  constructor({ db, pageTokens }: { db: Database; pageTokens: PageTokens }) {
    this.#db = db;
    this.#pageTokens = pageTokens;
  }

  /** @throws ServiceError PERMISSION_DENIED without `admin`; INVALID_ARGUMENT for a page token of another list */
  async list(caller: Caller, filter: AuditFilter, query: PageQuery = {}): Promise<AuditPage> {
    requireScope(caller, 'admin');
    const { environmentId } = caller;
    const { rows: page, links } = await newestFirst(this.#pageTokens, query, {
      bound: ['audit', environmentId, filter],
      ...(await auditPages(this.#db.longRead, environmentId, filter)),
    });
    return { audit: page.map(toView), ...links };
  }

  /**
   * All lines that match the filter, newest first, each as one JSON object with a line end. Lines written meanwhile are
   * not included.
   *
   * @throws ServiceError PERMISSION_DENIED without `admin`, before the first line
   */
  async *lines(caller: Caller, filter: AuditFilter): AsyncGenerator<string, void> {
    requireScope(caller, 'admin');
    const audit = await auditPages(this.#db.longRead, caller.environmentId, filter);
    let position: PagePosition | undefined;
    for (;;) {
      const lines = await audit.read(position, EXPORT_ROWS);
      const last = lines.at(-1);
      if (last === undefined) return;
      yield lines.map((row) => `${JSON.stringify(toView(row))}\n`).join('');
      position = { direction: 'next', createdAt: last.at, id: last.id };
    }
  }
}

function toView({ id, at, actor, action, target, ip }: AuditLine): AuditView {
  return { id, at: toTimestamp(at), actor, action, target, ip };
}
