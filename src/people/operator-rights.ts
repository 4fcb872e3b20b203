/** Rights of operators in a session, which depend on how the person signed in. */
import type { Readable } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import type { ConnectionDetail } from '../store/tables/people-tables.ts';

/**
 * Whether a session has the rights of operators now. An operator who came through an organization's identity provider
 * has them only while the operator allows it for that provider: its administrator could otherwise be any operator.
 */
export async function hasOperatorRights(
  db: Readable,
  environmentId: string,
  of: { isOperator: boolean; connectionDetails: readonly ConnectionDetail[] },
): Promise<boolean> {
  if (!of.isOperator) return false;
  const ids = of.connectionDetails.filter(({ type }) => type === 'OIDC').map(({ id }) => id);
  const providers = await rows(db, 'organization_providers').findAll(environmentId, ids);
  return ids.every((id) =>
    providers.some((provider) => provider.id === id && provider.allow_operator_rights),
  );
}
