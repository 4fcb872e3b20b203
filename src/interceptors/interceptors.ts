/** Interceptors of an environment: list, create, change, enable, disable, delete, and what gatehouse.yaml declares. */
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { invalidArgument, notFound } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { newestFirst, type PageLinks, type PageQuery } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import { writeAuditLine } from '../store/records/audit-store.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import { writeUnique } from '../store/engine/unique-rows.ts';
import { requireNotManagedByFile } from '../signed-sender/declared-names.ts';
import { synchronizeDeclared } from '../signed-sender/declared-rows.ts';
import type { IsReachable } from '../signed-sender/endpoint-rules.ts';
import {
  interceptorColumns,
  interceptorViolations,
  newInterceptorRow,
  toInterceptorView,
  type InterceptorChange,
  type InterceptorInput,
  type InterceptorView,
} from './interceptor-rules.ts';
import { asRead, changedColumns } from '../store/engine/row-reader.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import type { Interceptor, InterceptorTable } from '../store/tables/policy-tables.ts';

/** One page of interceptors, newest first. */
export interface InterceptorPage extends PageLinks {
  interceptors: InterceptorView[];
}

const TAKEN = 'There is an interceptor with this name already. Choose another, or change the existing one.';

interface InterceptorsDeps {
  db: Database;
  clock: Clock;
  pageTokens: PageTokens;
  isReachable: IsReachable;
}

export class Interceptors {
  readonly #deps: InterceptorsDeps;

  constructor(deps: InterceptorsDeps) {
    this.#deps = deps;
  }

  /** All of them; those of one trigger point are in the order in which they are called. */
  async inOrder(environmentId: string): Promise<InterceptorView[]> {
    const stored = rows(this.#deps.db.read, 'interceptors');
    return (await stored.list(environmentId, { orderBy: ['created_at', 'id'] })).map(toInterceptorView);
  }

  /** One page, newest first. @throws ServiceError INVALID_ARGUMENT for a bad page token */
  async list(environmentId: string, query: PageQuery): Promise<InterceptorPage> {
    const { rows: page, links } = await newestFirst(this.#deps.pageTokens, query, {
      bound: ['interceptors', environmentId],
      ...rows(this.#deps.db.read, 'interceptors').pages(environmentId),
    });
    return { interceptors: page.map(toInterceptorView), ...links };
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(environmentId: string, id: string): Promise<InterceptorView> {
    return toInterceptorView(
      foundInterceptor(await rows(this.#deps.db.read, 'interceptors').find(environmentId, id)),
    );
  }

  /** @throws ServiceError INVALID_ARGUMENT with all violations; ALREADY_EXISTS for a taken name */
  async create(caller: Caller, input: InterceptorInput): Promise<InterceptorView> {
    this.#refuseInvalid(input);
    const now = this.#deps.clock.now();
    const of = { environment_id: caller.environmentId, managed_by: 'operator', now } as const;
    const row = newInterceptorRow(input, { id: newId('icp', now), ...of });
    await writeUnique(this.#deps.db, TAKEN, async (tx) => {
      await rows(tx, 'interceptors').insert(row);
      await writeAuditLine(tx, caller, { action: 'interceptor.create', target: row.id, now });
    });
    return toInterceptorView(asRead('interceptors', row));
  }

  /**
   * Changes the given members.
   *
   * @throws ServiceError INVALID_ARGUMENT with all violations, or for one declared in gatehouse.yaml;
   *   RESOURCE_NOT_FOUND; ALREADY_EXISTS for a taken name
   */
  async update(caller: Caller, id: string, change: InterceptorChange): Promise<InterceptorView> {
    this.#refuseInvalid(change);
    return this.#change(caller, id, interceptorColumns(change), 'interceptor.update');
  }

  /** Calls it from now on. @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for one declared in gatehouse.yaml */
  async enable(caller: Caller, id: string): Promise<InterceptorView> {
    return this.#change(caller, id, { enabled: 1 }, 'interceptor.enable');
  }

  /** Does not call it any more. @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for one declared in gatehouse.yaml */
  async disable(caller: Caller, id: string): Promise<InterceptorView> {
    return this.#change(caller, id, { enabled: 0 }, 'interceptor.disable');
  }

  /**
   * Deletes the interceptor. Its log stays until retention ends.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for one declared in gatehouse.yaml
   */
  async remove(caller: Caller, id: string): Promise<void> {
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction(async (tx) => {
      const store = rows(tx, 'interceptors');
      requireNotManagedByFile('interceptor', foundInterceptor(await store.find(caller.environmentId, id)));
      await store.delete(caller.environmentId, id);
      await writeAuditLine(tx, caller, { action: 'interceptor.delete', target: id, now });
    });
  }

  /**
   * Creates and changes the environment's interceptors as gatehouse.yaml declares them, found by name; new ones are called in the
   * order of the file. Those no longer declared stay, for the operator to change or delete.
   *
   * @throws ServiceError INVALID_ARGUMENT with every violation of every entry (`interceptors[0].endpoint`); nothing is written then
   */
  async synchronize(environmentId: string, declared: readonly InterceptorInput[]): Promise<void> {
    const violations = declared.flatMap((input, index) =>
      interceptorViolations(input, this.#deps.isReachable).map((violation) => ({
        ...violation,
        field: `interceptors[${index}].${violation.field}`,
      })),
    );
    if (violations.length > 0) throw invalidArgument(violations);
    const now = this.#deps.clock.now();
    const of = { environment_id: environmentId, managed_by: 'file', now } as const;
    const wanted = declared.map((input) => newInterceptorRow(input, { id: newId('icp', now), ...of }));
    await synchronizeDeclared(
      this.#deps.db,
      'interceptor',
      (db) => rows(db, 'interceptors'),
      environmentId,
      wanted,
      now,
    );
  }

  #refuseInvalid(input: InterceptorChange): void {
    const violations = interceptorViolations(input, this.#deps.isReachable);
    if (violations.length > 0) throw invalidArgument(violations);
  }

  /** Writes nothing if nothing changes. */
  async #change(
    caller: Caller,
    id: string,
    columns: Partial<StoredForm<InterceptorTable>>,
    action: string,
  ): Promise<InterceptorView> {
    const now = this.#deps.clock.now();
    const changed = await writeUnique(this.#deps.db, TAKEN, async (tx) => {
      const store = rows(tx, 'interceptors');
      const row = foundInterceptor(await store.find(caller.environmentId, id));
      requireNotManagedByFile('interceptor', row);
      if (Object.keys(changedColumns('interceptors', row, columns)).length === 0) return row;
      const set = { ...columns, updated_at: now };
      await store.update(caller.environmentId, id, set);
      await writeAuditLine(tx, caller, { action, target: id, now });
      return { ...row, ...asRead('interceptors', set) };
    });
    return toInterceptorView(changed);
  }
}

/** @throws ServiceError RESOURCE_NOT_FOUND for an unknown interceptor */
export function foundInterceptor(row: Interceptor | undefined): Interceptor {
  if (row !== undefined) return row;
  throw notFound('interceptor');
}
