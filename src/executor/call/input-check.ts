/**
 * Checks the input of a call with the catalog and the tool's own code together, before an account is looked up.
 *
 * The tool's own code only reads the input here; nothing is sent.
 */
import { asDeclared, checkInput, inputViolations } from '../../catalog/call/input.ts';
import type { Tool } from '../../catalog/model/types.ts';
import { invalidArgument, type FieldViolation } from '../../core/errors.ts';
import type { HandlerSource } from './perform-call.ts';

/**
 * Returns the input in the form from which the request is built.
 *
 * @param others violations of the call outside its input, to be reported together
 * @throws ServiceError INVALID_ARGUMENT with every violation that can be found without the provider
 */
export async function requireValidInput(
  handlers: HandlerSource,
  tool: Tool,
  input: unknown,
  others: readonly FieldViolation[] = [],
): Promise<Record<string, unknown>> {
  if (tool.handler === undefined && others.length === 0) return checkInput(tool, input);
  const violations = inputViolations(tool, input);
  const wrong = new Set(violations.map(({ field }) => rootOf(field)));
  const sound = violations.length === 0 ? checkInput(tool, input) : soundPart(tool, input, wrong);
  const handler = tool.handler === undefined ? undefined : (await handlers()).get(tool.handler);
  const own = handler?.check?.(sound) ?? [];
  // Violations that are reported already, or follow from a missing value, are not repeated. The input as a whole cannot
  // be judged while a part of it is missing.
  const more = own.filter(
    ({ field, description }) =>
      !wrong.has(rootOf(field)) &&
      (field !== '' || wrong.size === 0) &&
      ![...wrong].some((name) => name !== '' && description.includes(name)),
  );
  const all = [...violations, ...more, ...others];
  if (all.length > 0) throw invalidArgument(all);
  return sound;
}

function soundPart(tool: Tool, input: unknown, wrong: ReadonlySet<string>): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {};
  return Object.fromEntries(
    Object.entries(asDeclared(tool, input)).filter(
      ([name]) => Object.hasOwn(tool.parameters, name) && !wrong.has(name),
    ),
  );
}

/** The parameter at the start of a path. */
function rootOf(field: string): string {
  return /^[^.[]*/.exec(field)?.[0] ?? '';
}
