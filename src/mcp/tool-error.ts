/**
 * Turns a failure into a tool result that the model can act on. The only file of MCP that does so. A missing
 * or inactive account is not a failure but a question to the user: connect-prompt.ts.
 *
 * A provider's reason comes first, as data in a block of its own, so that a model does not take it for advice of this
 * server. Our own text is last. The provider's whole answer is left to REST: a model pays for every word of it.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ServiceError, type FieldViolation } from '../core/errors.ts';
import { membersOf } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { LINK_META_KEY, notice, untrusted } from './result-blocks.ts';
import { shorten } from './results/shorten.ts';

/**
 * Maximum size of details; some hosts cut error texts at about 11,000 characters before a model sees them.
 */
const MAX_DETAIL_BYTES = 8_000;

/** Maximum bytes of an answer without a message, which is then the only reason that can be shown. */
const MAX_BODY_BYTES = 500;

/** Codes of a provider that may stand next to our words, because a model cannot read them as instructions. */
const PLAIN_CODE = /^[\w.-]{1,64}$/;

/** The call that failed, for the log. */
export interface FailedCall {
  toolName: string;
  /** Name of its app for people; absent for a tool of ours. */
  app?: string | undefined;
  environmentId: string;
  log: Log;
}

/**
 * An `isError` result.
 *
 * INVALID_ARGUMENT names each field. A provider's failure gives its reason and then our sentence, with `code`,
 * `execution_id` and `retry_after` as far as they are known. Other failures of ours give their sentence, and their details, if any, as JSON in a second block. A link that fixes the
 * failure is in the sentence and in `_meta`. Any other error is a bug: it is logged, and the result describes it in
 * general words.
 */
export function toolErrorResult(error: unknown, call: FailedCall): CallToolResult {
  if (!(error instanceof ServiceError)) {
    call.log.error('mcp_call_failed', {
      tool_name: call.toolName,
      environment_id: call.environmentId,
      err: error,
    });
    return errorTexts(
      `Gatehouse could not run ${call.toolName} because of an internal failure; its log has the details. ` +
        'Calling again may help; if not, the operator of this server has to look into it.',
    );
  }
  if (error.code === 'INVALID_ARGUMENT' && error.violations.length > 0)
    return errorTexts(inputAdvice(call.toolName, error.violations));
  const { code } = error;
  const { authorization_link: link, tool_error: said, ...details } = error.details;
  const message = said === undefined ? error.message : (error.shortMessage ?? error.message);
  if (typeof link === 'string') {
    const sentence =
      `${message} Ask the user to open this link and finish there: ${link} ` +
      `(valid until ${String(details.expiry)}). Then call the tool again with the same arguments.`;
    const result =
      said === undefined
        ? errorTexts(sentence, { code, link, ...details })
        : providerFailure(said, sentence, call.app);
    return { ...result, _meta: { [LINK_META_KEY]: link } };
  }
  if (said !== undefined) return providerFailure(said, message, call.app);
  return errorTexts(message, Object.keys(details).length > 0 ? { code, ...details } : undefined);
}

/** @param toolError as `ToolError` of the API; old records may hold only a part of it */
function providerFailure(toolError: unknown, sentence: string, app = 'The app'): CallToolResult {
  const { code, message, provider_body: body, ...more } = membersOf(toolError);
  const facts = {
    code: typeof code === 'string' && PLAIN_CODE.test(code) ? code : 'TOOL_ERROR',
    execution_id: more['execution_id'] ?? undefined,
    retry_after: more['retry_after'] ?? undefined,
    required_scopes: more['required_scopes'] ?? undefined,
  };
  const reason = reasonOf(message, body);
  return {
    content: [
      ...(reason === undefined ? [] : [untrusted(`${app} answered: ${reason}`)]),
      notice(`${sentence} ${JSON.stringify(facts)}`),
    ],
    isError: true,
  };
}

/** The provider's message, or the beginning of an answer without one. */
function reasonOf(message: unknown, body: unknown): string | undefined {
  if (typeof message === 'string' && message !== '') return message;
  if (body === undefined || body === null || body === '') return undefined;
  return shorten(body, MAX_BODY_BYTES).text;
}

/** An `isError` result in our own words: one sentence and, in a second block, its facts as JSON. */
export function errorTexts(sentence: string, details?: Record<string, unknown>): CallToolResult {
  const content = [notice(sentence)];
  if (details !== undefined) content.push(notice(shorten(details, MAX_DETAIL_BYTES).text));
  return { content, isError: true };
}

function inputAdvice(toolName: string, violations: readonly FieldViolation[]): string {
  const lines = violations.map(({ field, description }) =>
    field === '' ? `- ${description}` : `- ${field}: ${description}`,
  );
  return `The input of ${toolName} is not valid. Correct this and call it again:\n${lines.join('\n')}`;
}
