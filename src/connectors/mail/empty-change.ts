/** Refuses an update that changes nothing: it is a mistake, and Graph would accept it. Pure. */
import { violation, type FieldViolation } from '../../core/errors.ts';

/**
 * @param changes parameters other than the one that names the thing to change
 * @param beside name of that one
 */
export function emptyChange(changes: object, beside?: string): FieldViolation[] {
  if (Object.values(changes).some((value) => value !== undefined)) return [];
  const other = beside === undefined ? '' : ` beside ${beside}`;
  return [violation('', `Give at least one parameter${other}: nothing would change.`, 'require')];
}
