/** POST /api/v1/execute_tool (specification 4.9, contract section 7). */
import { isDeepStrictEqual } from 'node:util';
import { z } from '@hono/zod-openapi';
import { invalidField } from '../../core/errors.ts';
import type { Executor } from '../../executor/executor.ts';
import type { Endpoints } from '../endpoint.ts';
import { accountId, anyObject, connectorName, identifier, organizationId, text, userId } from '../schemas.ts';

const executeBody = z.strictObject({
  tool_name: text(128, 'Name of a tool; GET /api/v1/tools lists them.'),
  tool_input: anyObject
    .optional()
    .openapi({ description: 'Parameters of the tool, as its input_schema says.' }),
  params: anyObject.optional().openapi({ description: 'Another name of tool_input.' }),
  connected_account_id: accountId.optional(),
  connector: connectorName.optional(),
  identifier: identifier.optional(),
  organization_id: organizationId.optional(),
  user_id: userId.optional(),
});

const executeAnswer = z.object({
  data: z.unknown().openapi({ description: "The provider's JSON; null for an empty answer." }),
  execution_id: z.string(),
});

/** Members of the interface that this version refuses, because to ignore them would be to break a promise. */
const UNSUPPORTED = {
  idempotency_key:
    'This version does not support idempotency keys. Leave it out; a repeated call is a second call.',
  dry_run: 'This version does not support dry runs. Leave it out; the tool would be executed.',
};

export interface ExecuteServices {
  executor: Pick<Executor, 'execute'>;
}

/** Adds the route that executes tools. */
export function addExecuteRoute(endpoints: Endpoints, { executor }: ExecuteServices): void {
  endpoints.add(
    {
      method: 'post',
      path: '/api/v1/execute_tool',
      tag: 'Tools',
      summary: 'Execute a tool for a connected account.',
      access: 'tools:execute',
      body: executeBody,
      unsupported: UNSUPPORTED,
      answer: executeAnswer,
      refusals: [404, 409, 429, 502, 504],
    },
    async ({ caller, body, context, signal }) => {
      const { data, executionId } = await executor.execute({
        caller,
        toolName: body.tool_name,
        input: inputOf(body),
        account: {
          id: body.connected_account_id,
          connector: body.connector,
          identifier: body.identifier,
          userId: body.user_id,
          organizationId: body.organization_id,
        },
        signal,
        traceparent: context.trace.traceparent,
      });
      return { data, execution_id: executionId };
    },
  );
}

/** @throws ServiceError INVALID_ARGUMENT when both names are given and say different things */
function inputOf({ tool_input, params }: z.output<typeof executeBody>): Record<string, unknown> {
  if (tool_input !== undefined && params !== undefined && !isDeepStrictEqual(tool_input, params)) {
    throw invalidField(
      'params',
      'params and tool_input are the same thing and differ here. Give one of them.',
      'exclusive',
    );
  }
  return tool_input ?? params ?? {};
}
