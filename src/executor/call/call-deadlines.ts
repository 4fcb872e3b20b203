/** How long a call may take: what its account or connection says, else its tool, else the settings. Pure. */
import type { CallSettings } from '../../connections/call-settings.ts';
import type { Tool } from '../../catalog/model/types.ts';

/** Deadlines of a request; absent members: the settings'. */
export interface CallDeadlines {
  headersTimeoutMs?: number;
  totalTimeoutMs?: number;
}

/** @param tool undefined for a request that is no tool's */
export function deadlinesOf(
  tool: Pick<Tool, 'deadline'> | undefined,
  { timeoutMs }: CallSettings,
): CallDeadlines {
  if (timeoutMs !== undefined) return { headersTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs };
  const deadline = tool?.deadline;
  return deadline === undefined
    ? {}
    : { headersTimeoutMs: deadline.headersMs, totalTimeoutMs: deadline.totalMs };
}
