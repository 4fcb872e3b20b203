/**
 * Talking to a model: chat completions as OpenAI and many others speak them, and Anthropic's messages.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://docs.anthropic.com/en/api/messages
 */
import { membersOf, parsedJson } from '../../core/json.ts';
import type { AgentTool } from '../demo/demo-agent.ts';

/** The protocols of model endpoints. */
export type ModelApi = 'openai' | 'anthropic';

/** A model at an endpoint. */
export interface ModelEndpoint {
  api: ModelApi;
  /** With the version, if the endpoint has one in its path: `https://api.example.com/v1`. */
  baseUrl: string;
  model: string;
  /** Undefined for endpoints without keys, as on one's own machine. */
  apiKey?: string | undefined;
}

/** A call that the model wants. */
export interface WantedCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** One answer of the model. */
export interface ModelTurn {
  text: string;
  calls: readonly WantedCall[];
  /** Tokens read and written, as the endpoint counts them. */
  tokens: number;
}

/** A conversation that is open. */
export interface Conversation {
  /** @throws Error if the endpoint refuses or answers with something else */
  next(): Promise<ModelTurn>;
  addResults(results: readonly { id: string; text: string; isError: boolean }[]): void;
}

const MAX_ANSWER_TOKENS = 4_096;

const TIMEOUT_MS = 300_000;

/** Starts a conversation with the tools, the instructions of the server, and the task. */
export function startConversation(
  endpoint: ModelEndpoint,
  start: { tools: readonly AgentTool[]; instructions: string; task: string },
): Conversation {
  return endpoint.api === 'anthropic' ? anthropic(endpoint, start) : openai(endpoint, start);
}

type Start = Parameters<typeof startConversation>[1];

interface OpenAiAnswer {
  choices?: readonly {
    message: {
      content?: string | null;
      tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
    };
  }[];
  usage?: { total_tokens?: number };
}

function openai(endpoint: ModelEndpoint, { tools, instructions, task }: Start): Conversation {
  const messages: unknown[] = [
    { role: 'system', content: instructions },
    { role: 'user', content: task },
  ];
  const offered = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  return {
    next: async () => {
      const { choices, usage } = await ask<OpenAiAnswer>(
        endpoint,
        '/chat/completions',
        {
          ...(endpoint.apiKey !== undefined && { authorization: `Bearer ${endpoint.apiKey}` }),
        },
        { model: endpoint.model, messages, tools: offered },
      );
      const message = choices?.[0]?.message;
      if (message === undefined) throw new Error(`${endpoint.baseUrl} answered without a message`);
      messages.push(message);
      return {
        text: message.content ?? '',
        calls: (message.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          input: argumentsOf(call.function.arguments),
        })),
        tokens: usage?.total_tokens ?? 0,
      };
    },
    addResults: (results) => {
      for (const { id, text } of results) messages.push({ role: 'tool', tool_call_id: id, content: text });
    },
  };
}

interface AnthropicAnswer {
  content?: readonly (
    | { type: 'text'; text: string }
    | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
  )[];
  usage?: { input_tokens?: number; output_tokens?: number };
}

function anthropic(endpoint: ModelEndpoint, { tools, instructions, task }: Start): Conversation {
  const messages: unknown[] = [{ role: 'user', content: task }];
  const offered = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
  return {
    next: async () => {
      const { content, usage } = await ask<AnthropicAnswer>(
        endpoint,
        '/messages',
        {
          'anthropic-version': '2023-06-01',
          ...(endpoint.apiKey !== undefined && { 'x-api-key': endpoint.apiKey }),
        },
        {
          model: endpoint.model,
          max_tokens: MAX_ANSWER_TOKENS,
          system: instructions,
          messages,
          tools: offered,
        },
      );
      if (content === undefined) throw new Error(`${endpoint.baseUrl} answered without content`);
      messages.push({ role: 'assistant', content });
      return {
        text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
        calls: content.flatMap((block) => (block.type === 'tool_use' ? [block] : [])),
        tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
      };
    },
    addResults: (results) => {
      const content = results.map(({ id, text, isError }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: text,
        is_error: isError,
      }));
      messages.push({ role: 'user', content });
    },
  };
}

/**
 * The arguments of a call. If a model writes something other than a JSON object, the tool is called without
 * arguments, and refuses.
 */
function argumentsOf(written: string): Record<string, unknown> {
  try {
    return membersOf(parsedJson(written === '' ? '{}' : written));
  } catch {
    return {};
  }
}

async function ask<Answer>(
  { baseUrl }: ModelEndpoint,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<Answer> {
  const response = await answerOf(
    baseUrl,
    fetch(baseUrl.replace(/\/$/, '') + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
  const text = await answerOf(baseUrl, response.text());
  if (!response.ok) throw new Error(`${baseUrl} answered ${response.status}: ${text.slice(0, 500)}`);
  try {
    return JSON.parse(text) as Answer;
  } catch (cause) {
    throw new Error(`${baseUrl} answered something that is no JSON. Is it the address with the version?`, {
      cause,
    });
  }
}

/**
 * The answer of an endpoint. `fetch` throws a TypeError for an endpoint that cannot be reached, which must not look
 * like a bug of ours.
 */
async function answerOf<Value>(baseUrl: string, running: Promise<Value>): Promise<Value> {
  try {
    return await running;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${baseUrl} could not be reached: ${reason}`, { cause: error });
  }
}
