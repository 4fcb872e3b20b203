/** Recorded executions over REST (docs/contract.md#executions). Inputs and outputs are not recorded and not shown. */
import { z } from '@hono/zod-openapi';
import { CALL_SOURCES, EXECUTION_STATUSES } from '../../core/stored-words.ts';
import type { Endpoints } from '../api/endpoint.ts';
import type { ExecutionList } from '../../executor/execution-list.ts';
import { rangeViolation } from '../../executor/execution-summary.ts';
import {
  accountId,
  connectorName,
  idParams,
  listed,
  organizationId,
  pageAnswerShape,
  pageOf,
  pageShape,
  text,
  time,
  timeFilter,
  timestamp,
  userId,
} from '../api/schemas.ts';

const BUCKETS = ['hour', 'day'] as const;
const GROUPS = ['connector', 'source', 'error_code'] as const;

const serverId = text(64, 'Id of the virtual MCP server at whose address it was called, `mcp_…`.');

const executionQuery = z.strictObject({
  tool_name: text(128, 'Name of the tool.').optional(),
  connected_account_id: accountId.optional(),
  source: z.enum(CALL_SOURCES).optional().openapi({ description: 'The door through which it was called.' }),
  status: z.enum(EXECUTION_STATUSES).optional().openapi({ description: 'How it ended.' }),
  error_code: text(64, 'Code of the error, such as `TOOL_ERROR`.').optional(),
  user_id: userId.optional(),
  organization_id: organizationId.optional(),
  connector: connectorName.optional(),
  virtual_server_id: serverId.optional(),
  from: timeFilter('Not before this time.'),
  to: timeFilter('Before this time.'),
  ...pageShape,
});

const UNKNOWN = 'null: recorded before this was noted.';

const execution = z
  .object({
    execution_id: z.string().openapi({ description: 'Id of the execution, `exe_…`.' }),
    tool_name: z
      .string()
      .openapi({ description: 'Name of the tool; `proxy` for a request through the proxy.' }),
    connected_account_id: z.string().nullable().openapi({ description: 'The account it ran on.' }),
    source: z
      .string()
      .openapi({ enum: [...CALL_SOURCES], description: 'The door through which it was called.' }),
    status: z.string().openapi({ enum: [...EXECUTION_STATUSES], description: 'How it ended.' }),
    error_code: z.string().nullable().openapi({ description: 'Code of the error; null for a success.' }),
    duration_ms: z.number().int().openapi({ description: 'Milliseconds from the call to its answer.' }),
    at: timestamp.openapi({ description: 'When it ended.' }),
    user_id: z
      .string()
      .nullable()
      .openapi({ description: `User of the account, empty for none. ${UNKNOWN}` }),
    organization_id: z
      .string()
      .nullable()
      .openapi({ description: `Organization of the account, empty for none. ${UNKNOWN}` }),
    connector: z
      .string()
      .nullable()
      .openapi({ description: `Name of the connection. ${UNKNOWN}` }),
    virtual_server_id: z.string().nullable().openapi({
      description:
        'Virtual MCP server at whose address it was called, `mcp_…`. null: called elsewhere, or recorded before this was noted.',
    }),
    error_message: z
      .string()
      .nullable()
      .openapi({ description: 'What went wrong, in words of Gatehouse, at most 300 characters.' }),
    provider_status: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'HTTP status with which the provider refused; null without one.' }),
  })
  .openapi('Execution', { description: 'The record of one call.' });

const noted = (description: string) =>
  z
    .number()
    .int()
    .nullable()
    .openapi({ description: `${description} null: not noted, or not ended.` });

const executionDetails = execution
  .extend({
    own_ms: noted('Milliseconds spent by Gatehouse itself, the database included.'),
    queue_ms: noted('Milliseconds of waiting for a connection to the provider and for a renewed credential.'),
    provider_ms: noted('Milliseconds in which the provider had a request of the call.'),
    attempts: noted('Requests to the provider, repeated ones included.'),
    refreshed: z
      .boolean()
      .nullable()
      .openapi({ description: 'Whether the credential was renewed for the call. null: not noted.' }),
  })
  .openapi('ExecutionDetails', { description: 'The record of one call, with where its time went.' });

const summaryQuery = z
  .strictObject({
    from: time('The hour or day of this time is the first.'),
    to: time('Before this time, which completes its hour or day.'),
    bucket: z.enum(BUCKETS).default('hour').openapi({ description: 'Length of a bucket; days are in UTC.' }),
    group_by: z.enum(GROUPS).optional().openapi({ description: 'One bucket for each value of this.' }),
  })
  .refine((query) => wrongRange(query) === undefined, {
    // Also where another parameter is wrong, so that one answer names everything.
    when: () => true,
    path: ['from'],
    params: { constraint: 'range' },
    error: ({ input }) => wrongRange(input)?.description,
  });

function wrongRange(query: unknown) {
  const range = z.object({ from: z.number(), to: z.number(), bucket: z.enum(BUCKETS).catch('hour') });
  const { data } = range.safeParse(query);
  return data && rangeViolation(data);
}

const summaryBucket = z
  .object({
    at: timestamp.openapi({ description: 'Begin of the hour or day.' }),
    group: z
      .string()
      .nullable()
      .openapi({ description: 'Value of `group_by`; null without one, and for successes by error code.' }),
    ok: z.number().int().openapi({ description: 'Calls that ended well.' }),
    error: z.number().int().openapi({ description: 'Calls that failed.' }),
    p50_ms: z.number().int().openapi({ description: 'Estimate of the duration that half do not exceed.' }),
    p95_ms: z.number().int().openapi({ description: 'Estimate of the one that 95 of 100 do not exceed.' }),
  })
  .openapi('ExecutionSummaryBucket', { description: 'Calls of an hour or day, and of a group.' });

/** Adds the routes of executions. */
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
      answer: z.object({ executions: listed(execution), ...pageAnswerShape }),
      refusals: [404],
    },
    ({ caller, query }) =>
      executions.list(caller, {
        toolName: query.tool_name,
        connectedAccountId: query.connected_account_id,
        source: query.source,
        status: query.status,
        errorCode: query.error_code,
        userId: query.user_id,
        organizationId: query.organization_id,
        connection: query.connector,
        virtualServerId: query.virtual_server_id,
        from: query.from,
        to: query.to,
        ...pageOf(query),
      }),
  );
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/executions:summary',
      operationId: 'summarizeExecutions',
      tag: 'Tools',
      summary: 'Count executions by hour or day. Hours without a call are left out.',
      access: 'tools:execute',
      query: summaryQuery,
      answer: z.object({
        buckets: z.array(summaryBucket).openapi({ description: 'In the order of their begin and group.' }),
      }),
    },
    ({ caller, query: { group_by: groupBy, ...range } }) => executions.summary(caller, { ...range, groupBy }),
  );
  endpoints.add(
    {
      method: 'get',
      path: '/api/v1/executions/{id}',
      operationId: 'getExecution',
      tag: 'Tools',
      summary: 'Show an execution and where its time went.',
      access: 'tools:execute',
      params: idParams,
      answer: z.object({ execution: executionDetails }),
      refusals: [404],
    },
    async ({ caller, params }) => ({ execution: await executions.describe(caller, params.id) }),
  );
}
