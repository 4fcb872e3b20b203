/** POST /api/v1/execute_tool (docs/contract.md#calling-a-tool). */
import { isDeepStrictEqual } from 'node:util';
import { z } from '@hono/zod-openapi';
import type { Caller } from '../../core/caller.ts';
import { invalidField, type FieldViolation } from '../../core/errors.ts';
import { membersOf } from '../../core/json.ts';
import type { Executor } from '../../executor/executor.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { REPLAY_HEADER } from '../listener/error-response.ts';
import { idempotencyHeader, sameKey } from '../api/idempotency-header.ts';
import { renamedHeader } from '../api/renamed-header.ts';
import {
  accountId,
  anyObject,
  connectorName,
  identifier,
  FORCE_MEANING,
  linkOptionsShape,
  organizationId,
  shown,
  text,
  userId,
} from '../api/schemas.ts';

const executeBody = z.strictObject({
  tool_name: text(
    128,
    'Name of a tool; GET /api/v1/tools lists them. Old names of tools and parameters go on working: the answer then has the header `gatehouse-renamed`, such as `tool;from="crm_find";to="crm_search"`.',
  ),
  tool_input: anyObject
    .optional()
    .openapi({ description: 'Parameters of the tool, as its input_schema says.' }),
  params: anyObject.optional().openapi({ description: 'Another name of tool_input.' }),
  connected_account_id: accountId.optional(),
  connector: connectorName.optional(),
  identifier: identifier.optional(),
  organization_id: organizationId.optional(),
  user_id: userId.optional(),
  link: z
    .strictObject({
      ...linkOptionsShape,
      force: z.boolean().optional().openapi({ description: FORCE_MEANING }),
    })
    .optional()
    .openapi({ description: 'For the link of the answer, if the account is not connected.' }),
  idempotency_key: text(
    255,
    'A text of your own, the same in every repetition of one call: the call is made once, and its outcome is given again for 24 hours with the header `idempotency-replayed: true`. A write whose outcome is not known is not sent again. The header `Idempotency-Key` is another name of it.',
  ).optional(),
  dry_run: z.boolean().optional().openapi({
    description:
      'true: shows the provider request with the credential masked. Nothing is sent, recorded or kept under idempotency_key.',
  }),
});

const executeAnswer = z.object({
  data: z.unknown().openapi({ description: "The provider's JSON; null for an empty answer." }),
  execution_id: shown('Id of the record of the call, `exe_…`.'),
  warnings: z
    .array(z.string())
    .optional()
    .openapi({ description: 'What was not done as asked, a sentence each; left out where everything was.' }),
});

const dryRunAnswer = z.object({
  dry_run: z.literal(true).openapi({ description: 'Nothing was sent.' }),
  request: z
    .object({
      method: shown('HTTP method.'),
      url: shown('Address with the query.'),
      headers: z
        .record(z.string(), z.string())
        .openapi({ description: 'Headers, with the credential masked.' }),
      body: z.unknown().openapi({ description: 'JSON; null: none.' }),
    })
    .nullable()
    .openapi({ description: 'Null where the tool would send nothing.' }),
  note: z.string().openapi({ description: 'Facts that the request alone does not show.' }),
});

export interface ExecuteServices {
  executor: Pick<Executor, 'execute' | 'dryRun' | 'violations'>;
}

/** Adds the route that executes tools. */
export function addExecuteRoute(endpoints: Endpoints, { executor }: ExecuteServices): void {
  endpoints.add(
    {
      method: 'post',
      path: '/api/v1/execute_tool',
      operationId: 'executeTool',
      tag: 'Tools',
      summary: 'Execute a tool for a connected account.',
      access: 'tools:execute',
      body: executeBody,
      more: {
        ownTexts: ['tool_input', 'params'],
        violations: (body, caller) => violationsIn(body, caller, executor),
      },
      answer: z.union([executeAnswer, dryRunAnswer]),
      refusals: [404, 409, 429, 502, 504],
    },
    async ({ caller, body, context, rawHeaders, signal }) => {
      const call = {
        caller,
        toolName: body.tool_name,
        input: inputOf(body),
        account: {
          id: body.connected_account_id,
          connection: body.connector,
          identifier: body.identifier,
          userId: body.user_id,
          organizationId: body.organization_id,
        },
        link: body.link,
        signal,
        traceparent: context.trace.traceparent,
        idempotencyKey: sameKey(idempotencyHeader({ rawHeaders }), body.idempotency_key),
      };
      if (body.dry_run === true) return { dry_run: true as const, ...(await executor.dryRun(call)) };
      context.isCall = true;
      const { data, executionId, isReplay, renamed, warnings } = await executor.execute(call);
      const answer = {
        data,
        execution_id: executionId,
        ...(warnings !== undefined && { warnings: [...warnings] }),
      };
      const headers = { ...(isReplay === true && { [REPLAY_HEADER]: 'true' }), ...renamedHeader(renamed) };
      return Object.keys(headers).length > 0 ? Response.json(answer, { headers }) : answer;
    },
  );
}

/** Checks the parts of a malformed body that have the right type. */
function violationsIn(
  body: Readonly<Record<string, unknown>>,
  caller: Caller,
  executor: ExecuteServices['executor'],
): readonly FieldViolation[] {
  const textOf = (name: string, within = body): string | undefined => {
    const value = within[name];
    return typeof value === 'string' ? value : undefined;
  };
  const input = body['tool_input'] ?? body['params'] ?? {};
  const isObject = typeof input === 'object' && !Array.isArray(input);
  const link = membersOf(body['link']);
  return executor.violations({
    caller,
    link: { state: textOf('state', link), user_verify_url: textOf('user_verify_url', link) },
    toolName: (isObject && textOf('tool_name')) || '',
    input,
    account: {
      connection: textOf('connector'),
      identifier: textOf('identifier'),
      userId: textOf('user_id'),
      organizationId: textOf('organization_id'),
    },
  });
}

/** @throws ServiceError INVALID_ARGUMENT if both names are given with different values */
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
