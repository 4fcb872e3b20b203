/**
 * The input check of a lenient call. The input is checked as for every call, and only refused values are corrected
 * and checked again. So a valid call costs no more than a strict one.
 */
import {
  emptyFilterViolations,
  mendedInput,
  ownMemberNames,
  withNamesMeant,
  withoutLeftOut,
  type MendedInput,
} from '../../catalog/call/mended-input.ts';
import type { Tool } from '../../catalog/model/types.ts';
import { ServiceError, type FieldViolation } from '../../core/errors.ts';
import { requireValidInput } from './input-check.ts';
import type { HandlerSource } from './perform-call.ts';

/** Checked input, and the input that it was made from. */
export interface LenientInput {
  /** In the form from which the request is built. */
  checked: Record<string, unknown>;
  mended: MendedInput;
}

/**
 * @param given as the caller gave it
 * @param others violations of the call outside its input
 * @throws ServiceError INVALID_ARGUMENT with the violations that remain after mending
 */
export async function requireMendedInput(
  handlers: HandlerSource,
  tool: Tool,
  given: unknown,
  others: readonly FieldViolation[],
): Promise<LenientInput> {
  const named = withNamesMeant(tool, given);
  const whole = withoutLeftOut(tool, named.input);
  const more = [...others, ...emptyFilterViolations(tool, named.input)];
  const changed = new Set([...named.coerced, ...whole.coerced]);
  try {
    const checked = await requireValidInput(handlers, tool, whole.input, more);
    return { checked, mended: { ...whole, coerced: [...changed], me: ownMemberNames(tool, checked) } };
  } catch (error) {
    const violations = error instanceof ServiceError ? error.violations : [];
    const better = mendedInput(tool, whole.input, violations);
    if (better === undefined) throw error;
    const mended = { ...better, coerced: [...new Set([...changed, ...better.coerced])] };
    return { checked: await requireValidInput(handlers, tool, mended.input, more), mended };
  }
}
