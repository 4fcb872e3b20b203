/** The result of a tool of a remote MCP server, as its blocks were passed on (docs/contract.md#results). */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ExecuteResult } from '../executor/executor.ts';
import type { UpstreamData } from '../executor/call/perform-upstream.ts';
import { accountMeta, ACCOUNT_META_KEY, EXECUTION_META_KEY } from './result.ts';
import { asUntrusted, notice } from './result-blocks.ts';

/** Each block of the server stays separate and marked as the server's. Our own words are the last block. */
export function renderPassed(result: ExecuteResult): CallToolResult {
  const { content, structured_content, notices = [] } = result.data as UpstreamData;
  const words = [...(result.warnings ?? []), ...notices].join(' ');
  return {
    content: [...content.map(asUntrusted), ...(words === '' ? [] : [notice(words)])],
    ...(structured_content !== undefined && { structuredContent: structured_content }),
    _meta: { [ACCOUNT_META_KEY]: accountMeta(result.account), [EXECUTION_META_KEY]: result.executionId },
  };
}
