/** Filters of calls in the address. Pure. */
import { invalidArgument, violation, type FieldViolation } from '../../../core/errors.ts';
import { CALL_SOURCES, EXECUTION_STATUSES } from '../../../core/stored-words.ts';
import type { ExecutionQuery } from '../../../executor/execution-list.ts';
import { calls as words } from '../../words/calls.ts';

/** @throws ServiceError INVALID_ARGUMENT with every invalid filter */
export function callQuery(query: URLSearchParams): Omit<ExecutionQuery, 'pageSize' | 'pageToken'> {
  const text = (name: string): string | undefined => {
    const value = (query.get(name) ?? '').trim();
    return value === '' ? undefined : value;
  };
  const problems: FieldViolation[] = [];
  const word = <Word extends string>(name: string, all: readonly Word[]): Word | undefined => {
    const value = text(name);
    const found = all.find((one) => one === value);
    if (value !== undefined && found === undefined)
      problems.push(violation(name, `Must be one of ${all.join(', ')}.`, 'enum'));
    return found;
  };
  const moment = (name: string): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    // A date field of a browser has no time zone; the dashboard uses UTC.
    const time = Date.parse(/[zZ]|[+-]\d\d:\d\d$/.test(value) ? value : `${value}Z`);
    if (!Number.isNaN(time)) return time;
    problems.push(violation(name, words.filters.notATime, 'format'));
    return undefined;
  };
  const asked = {
    toolName: text('tool'),
    connection: text('connector'),
    connectedAccountId: text('account'),
    virtualServerId: text('server'),
    userId: text('user_id'),
    status: word('status', EXECUTION_STATUSES),
    errorCode: text('error_code'),
    source: word('source', CALL_SOURCES),
    from: moment('from'),
    to: moment('to'),
  };
  if (problems.length > 0) throw invalidArgument(problems);
  return asked;
}
