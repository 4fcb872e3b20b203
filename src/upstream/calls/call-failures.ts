/** Failures of calls to remote MCP servers, in the form that all tools have. */
import type { Connector } from '../../catalog/model/types.ts';
import { ServiceError } from '../../core/errors.ts';
import type { UpstreamOutcome } from '../../core/telemetry/measured.ts';
import { OutboundFailure, type OutboundFailureKind } from '../../outbound/outbound-failure.ts';
import { ProviderFailure, type ToolError } from '../../outbound/provider-failure.ts';
import { RedirectFailure } from '../../outbound/fetch-face.ts';
import { HttpFailure, McpFailure, TimeFailure } from './mcp-session.ts';
import type { PassedResult } from './passed-result.ts';
import { QuestionFailure, questionWords } from './questions.ts';

/** The call that failed, for the message and the log. */
export interface FailedCall {
  connector: Connector;
  /** `exe_…`; null outside a tool call. */
  executionId: string | null;
}

/** Longest error text of a tool that is passed on, in characters. */
const MAX_WORDS = 4_000;

/** A tool ran and reports that it failed. Its text is content for the model. */
export class ToolReportedFailure extends ProviderFailure {
  readonly result: PassedResult;

  constructor(call: FailedCall, result: PassedResult) {
    const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    super(
      `${call.connector.title} could not do it. See tool_error for its reason, correct the input and call again.`,
      422,
      toolError(call, {
        code: 'TOOL_REPORTED',
        message: text.slice(0, MAX_WORDS),
        provider_body: result.content,
      }),
      { details: { source: 'tool' } },
    );
    this.result = result;
  }
}

/** Details of a failure, in the form that all tools have. */
export function toolError(
  { executionId }: FailedCall,
  known: Partial<ToolError> & { code: string },
): ToolError {
  return {
    message: null,
    provider_status: null,
    provider_body: null,
    retry_after: null,
    required_scopes: null,
    execution_id: executionId,
    ...known,
  };
}

/** The failure of a call that is not made, because the server has failed several times in a row. */
export function sparedFailure(call: FailedCall, waitMs: number): ProviderFailure {
  const { title } = call.connector;
  return new ProviderFailure(
    `${title} has failed several times in a row, so it gets no calls for a moment. Try again later.`,
    502,
    toolError(call, { code: 'PROVIDER_UNREACHABLE', retry_after: Math.ceil(waitMs / 1_000) }),
  );
}

/**
 * The failure of a call that the server answered without a result; `undefined` for any other error.
 *
 * @param words text of the server, without secrets and cut to a length
 */
export function answeredFailure(
  call: FailedCall,
  error: unknown,
  words: (text: string) => string,
): ProviderFailure | undefined {
  const { title, mcp } = call.connector;
  if (error instanceof RedirectFailure) {
    const { sameOrigin } = error;
    const message = sameOrigin === undefined ? null : words(sameOrigin);
    const sentence = `${title} sends to another address. Redirects are not followed; its operator has to look at it.`;
    return new ProviderFailure(sentence, 502, toolError(call, { code: 'REDIRECT', message }));
  }
  if (error instanceof QuestionFailure) {
    const { sentence, page } = questionWords(title, error, mcp?.elicitation_hosts ?? []);
    const message = page === undefined ? null : words(page.href);
    return new ProviderFailure(sentence, 422, toolError(call, { code: 'QUESTION', message }));
  }
  if (!(error instanceof McpFailure)) return undefined;
  const isRefusal = error.code !== undefined;
  return new ProviderFailure(
    isRefusal
      ? `${title} refused the call. See tool_error for its reason, correct the input and call again.`
      : `${title} answered with something that is not MCP. Its operator has to look at it.`,
    502,
    toolError(call, {
      code: isRefusal ? `RPC_${error.code}` : 'PROVIDER_ANSWER_UNREADABLE',
      message: words(error.message),
      provider_status: error.status ?? null,
    }),
    { cause: error },
  );
}

function statusOf(error: unknown): number | undefined {
  return error instanceof HttpFailure || error instanceof McpFailure ? error.status : undefined;
}

/** Whether an error means that the server does not work. */
export function isOutage(error: unknown): boolean {
  if (error instanceof OutboundFailure) return ['connect', 'tls', 'reset', 'timeout'].includes(error.kind);
  return error instanceof TimeFailure || (statusOf(error) ?? 0) >= 500;
}

/** Whether an error is an answer of the server, which therefore works. */
export function isAnswer(error: unknown): boolean {
  return [HttpFailure, McpFailure, QuestionFailure, RedirectFailure].some((kind) => error instanceof kind);
}

const OUTCOMES = {
  refused_address: 'not_sent',
  invalid_request: 'not_sent',
  connect: 'unreachable',
  tls: 'unreachable',
  reset: 'unreachable',
  timeout: 'timeout',
  // Callers that leave are counted before.
  aborted: 'timeout',
  bad_response: 'unreadable',
  bad_encoding: 'unreadable',
  too_large: 'unreadable',
} as const satisfies Record<OutboundFailureKind, UpstreamOutcome>;

/** Outcome to count in metrics for an error. Calls whose caller left are counted before. */
export function failedOutcome(error: unknown): UpstreamOutcome {
  if (error instanceof OutboundFailure) return OUTCOMES[error.kind];
  if (error instanceof TimeFailure || isAbort(error)) return 'timeout';
  if (error instanceof ServiceError && error.code === 'RATE_LIMITED') return 'limited';
  const status = statusOf(error) ?? 0;
  if (status === 429) return 'limited';
  if (status === 401 || status === 403) return 'refused';
  if (status >= 500) return 'failed';
  const isMessage =
    error instanceof QuestionFailure || (error instanceof McpFailure && error.code !== undefined);
  return isMessage ? 'rpc_error' : 'unreadable';
}

/** The error in the form that the retry rules expect. */
export function repeatable(error: unknown): OutboundFailure | { status: number } {
  return error instanceof OutboundFailure ? error : { status: statusOf(error) ?? 0 };
}

/** Whether the session must not be used again after this error. */
export function isSessionBroken(error: unknown): boolean {
  return (
    (error instanceof McpFailure && (error.isLostSession || error.isUnknownWay)) ||
    error instanceof OutboundFailure ||
    isOutage(error)
  );
}

/** Whether the request ended because its signal was aborted. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
