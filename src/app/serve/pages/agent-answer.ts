/** Renders the answer of a call as `tools/call` would, for the page that tries a tool. */
import { AccountNotActive } from '../../../accounts/not-active.ts';
import { toolNamed } from '../../../catalog/model/aliases.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { AgentAnswer } from '../../../dashboard/access/agent-answer.ts';
import { connectPrompt } from '../../../mcp/connect-prompt.ts';
import { renderResult } from '../../../mcp/result.ts';
import { toolErrorResult } from '../../../mcp/tool-error.ts';
import type { Services } from '../../services/services.ts';

/** Cuts results as `mcp.max_result_bytes` says. */
export function agentAnswers({
  catalog,
  settings,
  log,
}: Pick<Services, 'catalog' | 'settings' | 'log'>): AgentAnswer {
  return ({ environmentId, tool, input }, outcome) => {
    const findTool = (name: string) => toolNamed(catalog.in(environmentId).tools, name);
    const { content } =
      outcome instanceof AccountNotActive
        ? connectPrompt(outcome)
        : outcome instanceof ServiceError
          ? toolErrorResult(outcome, { toolName: tool.name, environmentId, log })
          : renderResult({ tool, input, findTool }, outcome, settings.mcp.maxResultBytes);
    return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  };
}
