/** Puts the refusal of a value that exists already beside its field. Pure. */
import type { FieldViolation } from '../../core/errors.ts';

/** The same violations; those about a value that exists already are about this field. */
export function besideField(
  violations: readonly FieldViolation[],
  field: 'name' | 'email' | 'domains',
): readonly FieldViolation[] {
  return violations.map((one) => (one.constraint === 'ALREADY_EXISTS' ? { ...one, field } : one));
}
