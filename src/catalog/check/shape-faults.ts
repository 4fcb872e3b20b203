/**
 * Turns zod's findings about a catalog file into faults: one per wrong key, with the place of the key itself.
 * Pure.
 */
import type * as z from 'zod';
import type { Fault } from './fault.ts';
import { issueText } from '../grammar/issue-text.ts';

/** @param error of a parse with `reportInput` */
export function shapeFaults(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue) => faultsOf(issue, []));
}

function faultsOf(issue: z.core.$ZodIssue, above: readonly (string | number)[]): Fault[] {
  const path = [...above, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a key that exists here' }));
  if (issue.code === 'invalid_union') {
    const branch = closestBranch(issue.errors);
    if (branch !== undefined) return branch.flatMap((inner) => faultsOf(inner, path));
  }
  return [{ path, message: issueText(issue) }];
}

/**
 * Of several allowed shapes, the intended one: its faults lie inside the value, not at its root. If there is
 * none, the union's own message lists what is allowed.
 */
function closestBranch(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  return branches.find(
    (issues) =>
      issues.length > 0 &&
      issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  );
}
