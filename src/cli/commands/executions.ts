/** `gatehouse executions`: the calls that were made, and how they ended. Input and output are recorded nowhere. */
import { CALL_SOURCES, EXECUTION_STATUSES } from '../../core/stored-words.ts';
import { adminCommand, commandGroup } from '../terminal/command.ts';
import { COMMON_OPTIONS, oneOf, PAGE_OPTIONS, pageOf, timeOf } from '../terminal/options.ts';

const list = adminCommand({
  name: 'list',
  description: 'Lists calls, newest first.',
  options: {
    '--tool <name>': 'of this tool only',
    '--account <id>': 'with this connected account only, ca_…',
    '--connector <name>': 'at this connection only',
    '--mcp-server <id>': 'at the address of this virtual MCP server only, mcp_…',
    '--user <id>': 'with accounts of this user only',
    '--organization <id>': 'with accounts of this organization only',
    '--from <time>': { about: 'not before this time, such as 2026-01-31T12:00:00Z', parse: timeOf },
    '--to <time>': { about: 'before this time', parse: timeOf },
    '--source <source>': oneOf(...CALL_SOURCES),
    '--status <status>': oneOf(...EXECUTION_STATUSES),
    '--error-code <code>': 'that failed with this code only, such as TOOL_ERROR',
    ...PAGE_OPTIONS,
  },
  example: 'gatehouse executions list --status error',
  run: async ({ admin, caller, options, out }) => {
    const page = await admin.executions.list(caller, {
      toolName: options.tool,
      connectedAccountId: options.account,
      source: options.source,
      status: options.status,
      errorCode: options.errorCode,
      connection: options.connector,
      virtualServerId: options.mcpServer,
      userId: options.user,
      organizationId: options.organization,
      from: options.from,
      to: options.to,
      ...pageOf(options),
    });
    out.list({
      answer: page,
      rows: page.executions,
      columns: [
        'execution_id',
        'at',
        'tool_name',
        'connected_account_id',
        'source',
        'status',
        'error_message',
        'duration_ms',
      ],
      empty: 'No call matches, or none was made yet.',
    });
    out.nextPage(page);
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows a call and where its time went.',
  options: COMMON_OPTIONS,
  args: { id: 'id of the execution, exe_…' },
  example: 'gatehouse executions show exe_01jd3v8k2m4n5p6q7r8s9tavbw',
  run: async ({ admin, caller, args: { id }, out }) =>
    out.fields(await admin.executions.describe(caller, id)),
});

const summary = adminCommand({
  name: 'summary',
  description: 'Counts calls by hour or day. Hours without a call are left out.',
  options: {
    '--from <time>': {
      about: 'the first hour or day, such as 2026-01-31T12:00:00Z',
      parse: timeOf,
      required: true,
    },
    '--to <time>': { about: 'before this time', parse: timeOf, required: true },
    '--bucket <length>': oneOf('hour', 'day'),
    '--group-by <column>': oneOf('connector', 'source', 'error_code'),
    ...COMMON_OPTIONS,
  },
  example: 'gatehouse executions summary --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z --bucket day',
  run: async ({ admin, caller, options: { from, to, bucket, groupBy }, out }) => {
    const answer = await admin.executions.summary(caller, { from, to, bucket, groupBy });
    out.list({
      answer,
      rows: answer.buckets,
      columns: ['at', 'group', 'ok', 'error', 'p50_ms', 'p95_ms'],
      empty: 'No call ended in this time.',
    });
  },
});

/** The command `executions` with its subcommands. */
export const executionsCommand = commandGroup({
  name: 'executions',
  description: 'Lists, shows and counts the calls of tools and raw requests.',
  commands: [list, show, summary],
});
