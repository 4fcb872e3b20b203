/** What interceptors and webhooks have in common: their names, and that gatehouse.yaml may declare them. Pure. */
import { invalidField, violation, type FieldViolation } from '../core/errors.ts';

const MAX_LENGTH = 200;

/** What is wrong with a name; nothing where none is given. */
export function declaredNameViolations(name: string | undefined): FieldViolation[] {
  if (name === undefined || isName(name)) return [];
  return [violation('name', `Must be a text of 1 to ${MAX_LENGTH} characters in one line.`, 'format')];
}

/** @throws ServiceError INVALID_ARGUMENT for what is declared in gatehouse.yaml */
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
