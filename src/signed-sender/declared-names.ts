/** Rules shared by interceptors and webhooks: their names, and their declaration in gatehouse.yaml. Pure. */
import { invalidField, violation, type FieldViolation } from '../core/errors.ts';

const MAX_LENGTH = 200;

/** Violations of a name; empty if no name is given. */
export function declaredNameViolations(name: string | undefined): FieldViolation[] {
  if (name === undefined || isName(name)) return [];
  return [violation('name', `Must be a text of 1 to ${MAX_LENGTH} characters in one line.`, 'format')];
}

/** @throws ServiceError INVALID_ARGUMENT if the resource is declared in gatehouse.yaml */
export function requireNotManagedByFile(
  what: 'interceptor' | 'webhook',
  { name, managed_by: manager }: { name: string; managed_by: string },
): void {
  if (manager !== 'file') return;
  const description = `The ${what} ${name} is declared in gatehouse.yaml. Change it there.`;
  throw invalidField('id', description, 'managed_by_file');
}

function isName(name: string): boolean {
  const { length } = name;
  return length > 0 && length <= MAX_LENGTH && name.isWellFormed() && !/\p{Cc}/u.test(name);
}
