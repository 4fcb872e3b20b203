/**
 * The answer that an agent gets for a call, as MCP renders it. The app supplies the function, because the dashboard
 * may not import MCP.
 */
import type { Tool } from '../../catalog/model/types.ts';
import type { ServiceError } from '../../core/errors.ts';
import type { ExecuteResult } from '../../executor/executor.ts';

/** A call that was made. */
export interface AnsweredToolCall {
  environmentId: string;
  tool: Tool;
  input: Readonly<Record<string, unknown>>;
}

/** @returns the texts of the result, in their order */
export type AgentAnswer = (
  call: AnsweredToolCall,
  outcome: ExecuteResult | ServiceError,
) => readonly string[];
