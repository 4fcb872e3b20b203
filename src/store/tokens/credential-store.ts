/** API credentials and their secrets, beyond what engine/rows.ts does. Secrets are stored as hashes only (`hashSecret`). */
import type { Readable, WriteTransaction } from '../engine/database.ts';
import { rows } from '../engine/rows.ts';
import type { ApiCredential } from '../tables/tables.ts';

/** A credential with the hashes of its currently valid secrets, oldest first. */
export interface LiveCredential {
  credential: ApiCredential;
  secretHashes: string[];
}

/** The row that the token endpoint needs to check a client; without a live secret the list is empty. */
export async function liveCredential(
  db: Readable,
  environmentId: string,
  clientId: string,
  now: number,
): Promise<LiveCredential | undefined> {
  const credential = await rows(db, 'credentials').findBy(environmentId, { client_id: clientId });
  if (credential === undefined) return undefined;
  const secrets = await rows(db, 'credential_secrets').list(environmentId, {
    where: (e) =>
      e.and([
        e('credential_id', '=', credential.id),
        e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]),
      ]),
    orderBy: ['created_at', 'id'],
  });
  return { credential, secretHashes: secrets.map((secret) => secret.secret_hash) };
}

/** Makes all secrets of the credential except one end at `at`, unless they end sooner. */
export async function expireOtherSecrets(
  tx: WriteTransaction,
  environmentId: string,
  credentialId: string,
  keptSecretId: string,
  at: number,
): Promise<void> {
  await tx
    .updateTable('credential_secrets')
    .set({ expires_at: at })
    .where('environment_id', '=', environmentId)
    .where('credential_id', '=', credentialId)
    .where('id', '!=', keptSecretId)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', at)]))
    .execute();
}

/** Notes the use of a credential, unless a use was noted after `notedBefore`. */
export async function noteUse(
  tx: WriteTransaction,
  { environmentId, id }: { environmentId: string; id: string },
  { now, notedBefore }: { now: number; notedBefore: number },
): Promise<void> {
  await rows(tx, 'credentials').update(environmentId, id, { last_used_at: now }, (e) =>
    e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', notedBefore)]),
  );
}
