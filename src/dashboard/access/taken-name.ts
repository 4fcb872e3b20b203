/** Puts the refusal of a taken name beside the field of the name. Pure. */
import type { FieldViolation } from '../../core/errors.ts';

/** The same violations; those about a value that exists already are about the field that has to be another one. */
export function besideName(
  violations: readonly FieldViolation[],
  field: 'name' | 'email' | 'domains' = 'name',
): readonly FieldViolation[] {
  return violations.map((one) => (one.constraint === 'ALREADY_EXISTS' ? { ...one, field } : one));
}
