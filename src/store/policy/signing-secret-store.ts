/** Secrets that sign requests to webhooks and interceptors, beyond what engine/rows.ts does. The caller seals them. */
import type { Readable, WriteTransaction } from '../engine/database.ts';
import { rows } from '../engine/rows.ts';
import type { SigningSecret } from '../tables/webhook-tables.ts';

/** Secrets that are valid at `now`, newest first. */
export async function liveSecrets(
  db: Readable,
  environmentId: string,
  now: number,
): Promise<SigningSecret[]> {
  return rows(db, 'signing_secrets').list(environmentId, {
    where: (e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]),
    orderBy: ['created_at', 'id'],
    direction: 'desc',
  });
}

/** Makes every secret of the environment end at `at`, unless it ends sooner. */
export async function expireSecrets(tx: WriteTransaction, environmentId: string, at: number): Promise<void> {
  await tx
    .updateTable('signing_secrets')
    .set({ expires_at: at })
    .where('environment_id', '=', environmentId)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', at)]))
    .execute();
}
