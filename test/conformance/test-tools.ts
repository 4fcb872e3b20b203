/** The tools the conformance suite asks for. They exist in this test only; the program publishes catalog tools. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequest,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { RequestStates } from '../../src/mcp/request-state.ts';
import type { ExtraTool } from '../../src/mcp/session.ts';

const STATE_TTL_SECONDS = 60;

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV header without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

function tool(
  name: string,
  call: ExtraTool['call'],
  inputSchema: ExtraTool['definition']['inputSchema'] = {
    type: 'object',
    properties: {},
    additionalProperties: false,
  },
): ExtraTool {
  return {
    definition: {
      name,
      title: name.replaceAll('_', ' '),
      description: 'A tool of the conformance suite.',
      inputSchema,
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    call,
  };
}

function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}

const askName = (): InputRequest =>
  inputRequired.elicit({
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  });

const askConfirmation = (): InputRequest =>
  inputRequired.elicit({
    message: 'Please confirm',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  });

const askModel = (question: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });

function wasAnswered(ctx: ServerContext, key: string): boolean {
  const answer = inputResponse(ctx.mcpReq.inputResponses, key);
  return answer.kind !== 'missing';
}

/** A tool that asks one question without keeping state. */
function asking(name: string, key: string, question: () => InputRequest): ExtraTool {
  return tool(name, async (_, ctx) =>
    wasAnswered(ctx, key) ? text('Thank you.') : inputRequired({ inputRequests: { [key]: question() } }),
  );
}

/** A tool that asks with signed state and checks that the state came back. */
function askingWithState(name: string, questions: () => Record<string, InputRequest>): ExtraTool {
  return tool(name, async (_, ctx, states: RequestStates) => {
    if (ctx.mcpReq.requestState() !== undefined) return text('state-ok');
    const requestState = await states.mint({ round: 1 }, STATE_TTL_SECONDS, ctx);
    return inputRequired({ inputRequests: questions(), requestState });
  });
}

const multiRound = tool('test_input_required_result_multi_round', async (_, ctx, states) => {
  const { round } = ctx.mcpReq.requestState<{ round: number }>() ?? { round: 0 };
  if (round === 2) return text('Done.');
  const requestState = await states.mint({ round: round + 1 }, STATE_TTL_SECONDS, ctx);
  return inputRequired({ inputRequests: { [`step${round + 1}`]: askName() }, requestState });
});

const byCapabilities = tool('test_input_required_result_capabilities', async (_, ctx) => {
  const envelope: Record<string, unknown> = ctx.mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as Record<string, unknown>;
  return inputRequired({
    inputRequests: {
      ...('elicitation' in declared && { user_name: askName() }),
      ...('sampling' in declared && { greeting: askModel('Generate a greeting') }),
    },
  });
});

const withProgress = tool('test_tool_with_progress', async (_, ctx) => {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      await ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    }
    await delay(20);
  }
  return text('Done.');
});

const jsonSchema = tool('json_schema_2020_12_tool', async () => text('ok'), {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
});

/** All of them. Those that need a session, logging or server-to-client requests are left out: see the baselines. */
export const TEST_TOOLS: readonly ExtraTool[] = [
  tool('test_simple_text', async () => text('This is a simple text response for testing.')),
  tool('test_image_content', async () => ({ content: [IMAGE] })),
  tool('test_audio_content', async () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  })),
  tool('test_embedded_resource', async () => ({
    content: [
      { type: 'resource', resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'Embedded.' } },
    ],
  })),
  tool('test_multiple_content_types', async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      IMAGE,
      { type: 'resource', resource: { uri: 'test://mixed', mimeType: 'application/json', text: '{"a":1}' } },
    ],
  })),
  tool('test_error_handling', async () => ({ ...text('This tool always fails.'), isError: true })),
  withProgress,
  tool('test_logging_tool', async (_, ctx) => {
    await ctx.mcpReq.log('info', 'Never sent: this server has no logging capability.');
    return text('Done.');
  }),
  asking('test_missing_capability', 'answer', () => askModel('Anything?')),
  asking('test_streaming_elicitation', 'user_name', askName),
  asking('test_input_required_result_elicitation', 'user_name', askName),
  asking('test_input_required_result_sampling', 'capital_question', () => askModel('Capital of France?')),
  asking('test_input_required_result_list_roots', 'client_roots', () => inputRequired.listRoots()),
  askingWithState('test_input_required_result_request_state', () => ({ confirm: askConfirmation() })),
  askingWithState('test_input_required_result_tampered_state', () => ({ confirm: askConfirmation() })),
  askingWithState('test_input_required_result_multiple_inputs', () => ({
    user_name: askName(),
    greeting: askModel('Generate a greeting'),
    client_roots: inputRequired.listRoots(),
  })),
  multiRound,
  byCapabilities,
  jsonSchema,
];
