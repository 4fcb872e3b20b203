/** The outcome of a trial of a tool, with everything that the page says about it. */
import type { Tool } from '../../../catalog/model/types.ts';
import { ServiceError, type FieldViolation } from '../../../core/errors.ts';
import type { ShownRequest } from '../../../executor/call/dry-run.ts';
import type { ExecuteCall, ExecuteResult } from '../../../executor/executor.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';

/** Total milliseconds, and the part that the app took. */
interface CallTimesShown {
  wholeMs: number;
  providerMs: number | null;
}

/** The answer of the app, or the reason why there is none. */
export type TrialOutcome =
  | { kind: 'none' }
  | { kind: 'dry'; request: ShownRequest | null; note: string }
  | {
      kind: 'answered';
      data: unknown;
      executionId: string;
      times: CallTimesShown | undefined;
      warnings: readonly string[];
      request: ShownRequest | undefined;
      agent: readonly string[];
    }
  | { kind: 'refused'; error: ServiceError; request: ShownRequest | undefined; agent: readonly string[] };

/** An outcome, or violations of the input. */
export interface Tried {
  outcome: TrialOutcome;
  violations: readonly FieldViolation[];
}

type TrialDeps = Pick<DashboardDependencies, 'executor' | 'executions' | 'agentAnswer'>;

/** The request that a call would make. Nothing is sent. */
export async function tryDry({ executor }: Pick<TrialDeps, 'executor'>, call: ExecuteCall): Promise<Tried> {
  return orRefusal(async () => {
    const withoutAccount =
      call.account.id === undefined ? await executor.dryRunWithoutAccount(call) : undefined;
    const { request, note } = withoutAccount ?? (await executor.dryRun(call));
    return { kind: 'dry', request, note };
  });
}

/** Makes the call. */
export async function tryForReal(deps: TrialDeps, call: ExecuteCall, tool: Tool): Promise<Tried> {
  const { executor, executions, agentAnswer } = deps;
  const input: Readonly<Record<string, unknown>> = Object(call.input);
  const answered = { environmentId: call.caller.environmentId, tool, input };
  return orRefusal(
    async () => {
      const result: ExecuteResult = await executor.execute(call);
      return {
        kind: 'answered',
        data: result.data,
        executionId: result.executionId,
        times: await timesOf(executions, call, result),
        warnings: result.warnings ?? [],
        request: await shownRequest(executor, call),
        agent: agentAnswer(answered, result),
      };
    },
    async (error) => ({
      kind: 'refused',
      error,
      request: await shownRequest(executor, call),
      agent: agentAnswer(answered, error),
    }),
  );
}

/** Times of the call; `undefined` if its record could not be stored. The call was made in any case. */
async function timesOf(
  executions: TrialDeps['executions'],
  { caller }: ExecuteCall,
  { executionId }: ExecuteResult,
): Promise<CallTimesShown | undefined> {
  try {
    const { duration_ms: wholeMs, provider_ms: providerMs } = await executions.describe(caller, executionId);
    return { wholeMs, providerMs };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RESOURCE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The request with its credential masked; `undefined` if it can no longer be built. */
async function shownRequest(
  executor: TrialDeps['executor'],
  call: ExecuteCall,
): Promise<ShownRequest | undefined> {
  const { outcome } = await tryDry({ executor }, call);
  return outcome.kind === 'dry' ? (outcome.request ?? undefined) : undefined;
}

/** Violations of the input are shown in the form; every other refusal is an outcome. */
async function orRefusal(
  work: () => Promise<TrialOutcome>,
  refused: (error: ServiceError) => Promise<TrialOutcome> = async (error) => ({
    kind: 'refused',
    error,
    request: undefined,
    agent: [],
  }),
): Promise<Tried> {
  try {
    return { outcome: await work(), violations: [] };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.violations.length > 0) return { outcome: { kind: 'none' }, violations: error.violations };
    return { outcome: await refused(error), violations: [] };
  }
}
