/**
 * Turns a failure into a tool result that the model can act on. The only file of MCP that does so. A missing
 * or inactive account is not a failure but a question to the user: connect-prompt.ts.
 *
 * A provider's text comes first, as data in a block of its own, so that a model does not take it for advice of this
 * server. Our own text is last.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ServiceError, type FieldViolation } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { LINK_META_KEY, notice, untrusted } from './result-blocks.ts';
import { shorten } from './results/shorten.ts';

/**
 * Maximum size of details; some hosts cut error texts at about 11,000 characters before a model sees them.
 */
const MAX_DETAIL_BYTES = 8_000;

/** The call that failed, for the log. */
export interface FailedCall {
  toolName: string;
  environmentId: string;
  log: Log;
}

/**
 * An `isError` result.
 *
 * INVALID_ARGUMENT names each field. A provider's failure gives `tool_error` as JSON and then our sentence. Other
 * failures of ours give their sentence, and their details, if any, as JSON in a second block. A link that fixes the
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
  const { code, message } = error;
  const { authorization_link: link, tool_error: said, ...details } = error.details;
  if (typeof link === 'string') {
    const sentence =
      `${message} Ask the user to open this link and finish there: ${link} ` +
      `(valid until ${String(details.expiry)}). Then call the tool again with the same arguments.`;
    const result =
      said === undefined ? errorTexts(sentence, { code, link, ...details }) : failed(said, sentence);
    return { ...result, _meta: { [LINK_META_KEY]: link } };
  }
  if (said !== undefined) return failed(said, message);
  return errorTexts(message, Object.keys(details).length > 0 ? { code, ...details } : undefined);

  function failed(toolError: unknown, sentence: string): CallToolResult {
    const { text } = shorten({ code, tool_error: toolError }, MAX_DETAIL_BYTES);
    return { content: [untrusted(text), notice(sentence)], isError: true };
  }
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
