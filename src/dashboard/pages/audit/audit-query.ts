/** Filters of the audit log in the address. */
import { invalidArgument, violation, type FieldViolation } from '../../../core/errors.ts';
import type { AuditFilter } from '../../../api-credentials/audit-log.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import type { Viewer } from '../../frame/dashboard-context.ts';
import { audit as words } from '../../words/audit.ts';

/**
 * Reads the filters. A person may be named by their e-mail address. @throws ServiceError INVALID_ARGUMENT with
 * every wrong time
 */
export async function auditQuery(
  { users }: Pick<DashboardDependencies, 'users'>,
  { caller }: Viewer,
  query: URLSearchParams,
): Promise<AuditFilter> {
  const text = (name: string): string | undefined => query.get(name)?.trim() || undefined;
  const problems: FieldViolation[] = [];
  const moment = (name: string): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    // A date field of a browser has no time zone; the dashboard uses UTC.
    const time = Date.parse(/[zZ]$|[+-]\d\d:\d\d$/.test(value) ? value : `${value}Z`);
    if (!Number.isNaN(time)) return time;
    problems.push(violation(name, words.filters.notATime, 'format'));
    return undefined;
  };
  const [from, until] = [moment('from'), moment('until')];
  if (problems.length > 0) throw invalidArgument(problems);
  const actor = text('actor');
  const known =
    actor?.includes('@') === true ? (await users.list(caller, { email: actor })).users[0] : undefined;
  return { actor: known?.id ?? actor, action: text('action'), target: text('target'), from, until };
}
