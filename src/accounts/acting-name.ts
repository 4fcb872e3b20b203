/**
 * Checks the person that an account impersonates with the operator's own rights (a service account, a role). Only the
 * operator may choose that person; a caller that acts for one owner may name only this owner. Pure.
 */
import { AUTHORIZATION_TYPE_NAMES, typeOf } from '../authorization-types/index.ts';
import { onlyOwnerOf, type Caller } from '../core/caller.ts';
import { invalidArgument } from '../core/errors.ts';
import { memberOf } from '../core/json.ts';
import type { AccountInput } from './account-input.ts';

/** The member that names a person, by variant of the credentials. */
const NAMES: readonly (readonly [variant: string, member: string])[] = AUTHORIZATION_TYPE_NAMES.flatMap(
  (type) => {
    const { variant = '', actsAs } = typeOf({ type }).credentials ?? {};
    return actsAs === undefined ? [] : [[variant, actsAs] as const];
  },
);

/** @throws ServiceError INVALID_ARGUMENT, with the constraint `identifier`, for another name than the caller's own */
export function requireOwnActingName(caller: Caller, { connected_account: given }: AccountInput): void {
  const onlyOwner = onlyOwnerOf(caller);
  if (onlyOwner === undefined) return;
  const violations = NAMES.flatMap(([variant, member]) => {
    const name = memberOf(given?.authorization_details?.[variant], member);
    if (name === undefined || name === onlyOwner.userId) return [];
    const field = `connected_account.authorization_details.${variant}.${member}`;
    const description =
      "Names the user that the operator's own credential acts for, so only the operator can set it.";
    return [{ field, description, constraint: 'identifier' }];
  });
  if (violations.length > 0) throw invalidArgument(violations);
}
