/** Shows the refusal of a value that already exists at its field. Pure. */
import type { FieldViolation } from '../../core/errors.ts';

/** The same violations, with those about a value that already exists assigned to this field. */
export function besideField(
  violations: readonly FieldViolation[],
  field: 'name' | 'email' | 'domains',
): readonly FieldViolation[] {
  return violations.map((one) => (one.constraint === 'ALREADY_EXISTS' ? { ...one, field } : one));
}
