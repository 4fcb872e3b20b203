/** Rules for interceptors, and their view for callers. Pure. */
import { toTimestamp } from '../core/clock.ts';
import type { FieldViolation } from '../core/errors.ts';
import { declaredNameViolations } from '../signed-sender/declared-names.ts';
import { endpointProblems, type IsReachable } from '../signed-sender/endpoint-rules.ts';
import { FALLBACKS, TRIGGER_POINTS, wordOf, type Fallback, type TriggerPoint } from '../core/stored-words.ts';
import type { StoredForm } from '../store/tables/column-types.ts';
import type { Interceptor, InterceptorTable } from '../store/tables/policy-tables.ts';

/** Limits for an endpoint's time to answer, in milliseconds (docs/contract.md#what-an-interceptor-answers). */
export const TIMEOUT_MS = { min: 100, max: 30_000, default: 5_000 } as const;

/** An interceptor as given in a request or in gatehouse.yaml. */
export interface InterceptorInput {
  name: string;
  /** One of TRIGGER_POINTS. */
  trigger_point: string;
  endpoint: string;
  /** Default: 5000. */
  timeout_ms?: number | undefined;
  /** One of FALLBACKS. */
  fallback: string;
  /** Default: true. */
  enabled?: boolean | undefined;
}

/** Changes to an interceptor; absent members stay as they are. */
export type InterceptorChange = { [Member in keyof InterceptorInput]?: InterceptorInput[Member] | undefined };

/** An interceptor as the API shows it. */
export interface InterceptorView {
  id: string;
  name: string;
  trigger_point: TriggerPoint;
  endpoint: string;
  timeout_ms: number;
  fallback: Fallback;
  enabled: boolean;
  managed_by_file: boolean;
  created_at: string;
  updated_at: string;
}

/** Everything wrong with the given members; absent ones are skipped. */
export function interceptorViolations(input: InterceptorChange, isReachable: IsReachable): FieldViolation[] {
  const { name, trigger_point: trigger, endpoint, timeout_ms: timeoutMs, fallback } = input;
  const { min, max } = TIMEOUT_MS;
  const out = declaredNameViolations(name);
  if (trigger !== undefined && !TRIGGER_POINTS.some((ours) => ours === trigger)) {
    const description = `There is no such trigger point. Choose from ${TRIGGER_POINTS.join(', ')}.`;
    out.push({ field: 'trigger_point', description, constraint: 'enum' });
  }
  for (const description of endpoint === undefined ? [] : endpointProblems(endpoint, isReachable))
    out.push({ field: 'endpoint', description, constraint: 'address' });
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= min && timeoutMs <= max)) {
    const description = `Must be a whole number of milliseconds from ${min} to ${max}.`;
    out.push({ field: 'timeout_ms', description, constraint: 'range' });
  }
  if (fallback !== undefined && !FALLBACKS.some((ours) => ours === fallback)) {
    const description = `Choose from ${FALLBACKS.join(', ')}.`;
    out.push({ field: 'fallback', description, constraint: 'enum' });
  }
  return out;
}

type Columns = StoredForm<InterceptorTable>;

type GivenColumns = Partial<
  Pick<Columns, 'name' | 'trigger_point' | 'endpoint' | 'timeout_ms' | 'fallback' | 'enabled'>
>;

/** The columns that a checked request sets. */
export function interceptorColumns(change: InterceptorChange): GivenColumns {
  const { name, trigger_point: trigger, endpoint, timeout_ms: timeoutMs, fallback, enabled } = change;
  return {
    ...(name !== undefined && { name: name.normalize('NFC') }),
    ...(trigger !== undefined && { trigger_point: wordOf(TRIGGER_POINTS, trigger) }),
    ...(endpoint !== undefined && { endpoint }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(fallback !== undefined && { fallback: wordOf(FALLBACKS, fallback) }),
    ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
  };
}

/** A complete row from a complete and checked input. */
export function newInterceptorRow(
  input: InterceptorInput,
  of: Pick<Columns, 'id' | 'environment_id' | 'managed_by'> & { now: number },
): Columns {
  const { now, ...rest } = of;
  return {
    ...rest,
    name: input.name.normalize('NFC'),
    trigger_point: wordOf(TRIGGER_POINTS, input.trigger_point),
    endpoint: input.endpoint,
    timeout_ms: input.timeout_ms ?? TIMEOUT_MS.default,
    fallback: wordOf(FALLBACKS, input.fallback),
    enabled: input.enabled === false ? 0 : 1,
    created_at: now,
    updated_at: now,
  };
}

/** A stored interceptor as the API shows it. */
export function toInterceptorView(row: Interceptor): InterceptorView {
  return {
    id: row.id,
    name: row.name,
    trigger_point: row.trigger_point,
    endpoint: row.endpoint,
    timeout_ms: row.timeout_ms,
    fallback: row.fallback,
    enabled: row.enabled,
    managed_by_file: row.managed_by === 'file',
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
