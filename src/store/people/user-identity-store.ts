/** Identities of people at identity providers: queries that engine/rows.ts cannot express. */
import type { WriteTransaction } from '../engine/database.ts';

/** Forgets who a person is at every identity provider. */
export async function forgetIdentities(
  tx: WriteTransaction,
  environmentId: string,
  userId: string,
): Promise<void> {
  await tx
    .deleteFrom('user_identities')
    .where('environment_id', '=', environmentId)
    .where('user_id', '=', userId)
    .execute();
}
