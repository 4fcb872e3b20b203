/**
 * The record of a failed call (docs/contract.md#bodies): what went wrong in our own words. It holds no word of the
 * provider, no identifier, no link and no input, because records outlive the call and are read by others. Pure.
 */
import { AccountNotActive } from '../../accounts/not-active.ts';
import { ServiceError } from '../../core/errors.ts';
import type { ToolError } from '../../outbound/provider-failure.ts';
import type { Execution } from '../../store/tables/tables.ts';

/** Longest sentence in a record. */
const MAX_MESSAGE = 300;

/** The columns of an execution that tell how its call failed; `undefined` means that it did not. */
export function recordedFailure(
  error: unknown,
): Pick<Execution, 'error_code' | 'error_message' | 'provider_status'> {
  if (error === undefined) return { error_code: null, error_message: null, provider_status: null };
  if (!(error instanceof ServiceError))
    return { error_code: 'INTERNAL', error_message: INTERNAL, provider_status: null };
  const toolError = error.details['tool_error'] as ToolError | undefined;
  return {
    error_code: error.code,
    error_message: shortened(sentence(error)),
    provider_status: toolError?.provider_status ?? null,
  };
}

const INTERNAL = 'Gatehouse failed. Its log has the cause.';

function sentence(error: ServiceError): string {
  if (error instanceof AccountNotActive)
    return `The account was not connected (${error.account.status}). Its owner has to connect it.`;
  if (error.code !== 'INVALID_ARGUMENT') return error.message;
  // The descriptions of violations may quote what was entered.
  const names = [...new Set(error.violations.map(({ field }) => /^\w*/.exec(field)?.[0] ?? ''))];
  return `The request was not valid: ${names.join(', ')}.`;
}

function shortened(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1).toWellFormed()}…`;
}
