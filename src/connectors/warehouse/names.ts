/** What the tools about databases, tables and grants check before they make a statement. */
import { invalidArgument, type FieldViolation } from '../../core/errors.ts';
import { identifierViolations, storedIdentifier } from './sql.ts';

/**
 * @param names given names by parameter
 * @param others further violations
 * @throws ServiceError INVALID_ARGUMENT with all of them
 */
export function requireNames(
  names: Readonly<Record<string, string | undefined>>,
  others: readonly FieldViolation[] = [],
): void {
  const violations = [...identifierViolations(names), ...others];
  if (violations.length > 0) throw invalidArgument(violations);
}

/** A name as a value to compare with. */
export function comparedName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : storedIdentifier(name);
}
