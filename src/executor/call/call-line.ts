/**
 * The log line of a call: who, tool, account, status, milliseconds (docs/operations.md#log-lines). Never the input, the
 * answer or a link. The call is also a span. A tool that does not exist has no name here, because the name is the caller's own text.
 */
import type { Caller } from '../../core/caller.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log, LogFields } from '../../core/log.ts';
import { asSpan, type SpanAttributes } from '../../core/telemetry/spans.ts';

/** Facts that become known while a call runs. */
export type CallFacts = Pick<LogFields, 'tool_name' | 'connected_account_id' | 'execution_id'>;

/**
 * Runs a call and logs it, however it ends.
 *
 * @param log `undefined` if calls are not logged
 * @param run fills in the facts
 */
export async function withCallLine<T extends { executionId: string; status?: number }>(
  log: Log | undefined,
  { caller, traceparent }: { caller: Caller; traceparent?: string | undefined },
  run: (facts: CallFacts) => Promise<T>,
): Promise<T> {
  const facts: CallFacts = {};
  const work = (): Promise<T> =>
    asSpan(
      'call',
      () => run(facts),
      (outcome) => spanFacts(facts, outcome),
    );
  if (log === undefined) return work();
  const startedAt = performance.now();
  const write = (end: LogFields): void =>
    log.info('tool_call', {
      environment_id: caller.environmentId,
      actor: caller.actor,
      ...facts,
      ...end,
      duration_ms: Math.round(performance.now() - startedAt),
      // W3C trace context: version, trace id, parent id, flags.
      ...(traceparent !== undefined && { trace_id: traceparent.slice(3, 35) }),
    });
  try {
    const result = await work();
    write({ status: result.status ?? 200, execution_id: result.executionId });
    return result;
  } catch (error) {
    write(failureOf(error));
    throw error;
  }
}

function failureOf(error: unknown): { status: number; error_code: string } {
  return error instanceof ServiceError
    ? { status: error.status, error_code: error.code }
    : { status: 500, error_code: 'INTERNAL' };
}

function spanFacts(
  { tool_name: tool, connected_account_id: account, execution_id: execution }: CallFacts,
  outcome: { value: { executionId: string } } | { error: unknown },
): { attributes: SpanAttributes; error?: string } {
  const executionId = 'value' in outcome ? outcome.value.executionId : execution;
  const attributes = {
    ...(tool !== undefined && { 'gatehouse.tool_name': tool }),
    ...(account !== undefined && { 'gatehouse.connected_account_id': account }),
    ...(executionId !== undefined && { 'gatehouse.execution_id': executionId }),
  };
  return { attributes, ...('error' in outcome && { error: failureOf(outcome.error).error_code }) };
}
