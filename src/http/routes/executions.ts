/** Recorded executions over REST (docs/contract.md#bodies). Inputs and outputs are not recorded and not shown. */
import { z } from '@hono/zod-openapi';
import type { Endpoints } from '../api/endpoint.ts';
import type { ExecutionList } from '../../executor/execution-list.ts';
import { accountId, pageAnswerShape, pageOf, pageShape, text, timestamp } from '../api/schemas.ts';

const executionQuery = z.strictObject({
  tool_name: text(128, 'Name of the tool.').optional(),
  connected_account_id: accountId.optional(),
  source: z.enum(['api', 'mcp', 'cli', 'proxy']).optional(),
  status: z.enum(['ok', 'error']).optional(),
  ...pageShape,
});

const execution = z
  .object({
    execution_id: z.string(),
    tool_name: z.string(),
    connected_account_id: z.string().nullable(),
    source: z.string(),
    status: z.string(),
    error_code: z.string().nullable(),
    duration_ms: z.number().int(),
    at: timestamp,
  })
  .openapi('Execution');

/** Adds the route of executions. */
export function addExecutionRoutes(
  endpoints: Endpoints,
  { executions }: { executions: ExecutionList },
): void {
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/executions',
      tag: 'Tools',
      summary: 'List executions, newest first.',
      access: 'tools:execute',
      query: executionQuery,
      answer: z.object({ executions: z.array(execution), ...pageAnswerShape }),
      refusals: [404],
    },
    ({ caller, query }) =>
      executions.list(caller, {
        toolName: query.tool_name,
        connectedAccountId: query.connected_account_id,
        source: query.source,
        status: query.status,
        ...pageOf(query),
      }),
  );
}
