/** Redirects to an organization's OpenID provider and back, beyond what engine/rows.ts does. */
import type { WriteTransaction } from '../engine/database.ts';

/** Returns true to the one caller that claims the flow. */
export async function claimSignInFlow(
  tx: WriteTransaction,
  environmentId: string,
  id: string,
  now: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('sign_in_flows')
    .set({ consumed_at: now })
    .where('environment_id', '=', environmentId)
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
