/**
 * Whom an account may act for, where its owner writes that into a form: nobody but themselves. Pure.
 *
 * With the power of the operator (a service account, a role) an account could act for anybody whom that power reaches.
 * Verification proves who the person is and nothing more, so the name has to be the one that is proven.
 */
import type { ConnectorAuth } from '../catalog/model/types.ts';
import type { AccountRow } from '../store/accounts/account-store.ts';
import type { LinkRow } from '../store/accounts/link-store.ts';
import { InvalidForm } from './link-problem.ts';
import { schemeOf } from '../credentials/schemes/index.ts';

/**
 * Refuses the name of somebody else. Mode `none` proves nobody, and is for the operator's own computer.
 *
 * @throws InvalidForm on the field of the name, with the constraint `identifier`
 */
export function requireOwnName(
  { link, row, auth }: { link: LinkRow; row: AccountRow; auth: ConnectorAuth },
  form: Readonly<Record<string, string>>,
): void {
  const { actsAs } = schemeOf(auth.type);
  if (actsAs === undefined || link.verification === 'none') return;
  // Who signs in is compared with the owner; an identifier they may have chosen themselves.
  const own = link.verification === 'signed_in' ? row.user_id : row.identifier;
  const name = form[actsAs]?.trim() ?? '';
  if (name === '' || name === own) return;
  const description = `Must be ${own}, whose account this is. Only the operator can name somebody else, over the API.`;
  throw new InvalidForm([{ field: actsAs, description, constraint: 'identifier' }]);
}
