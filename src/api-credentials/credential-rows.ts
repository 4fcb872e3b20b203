/** Writes rows of credentials, for new ones, rotations and the first start. Checks nothing. */
import { randomBytes } from 'node:crypto';
import { hashSecret, newId } from '../core/ids.ts';
import type { WriteTransaction } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import type { ApiCredential } from '../store/tables/tables.ts';
import { expireOtherSecrets } from '../store/tokens/credential-store.ts';

/** A new client id: a recognizable word and 128 random bits. Not a secret. */
export function newClientId(): string {
  return `gh_${randomBytes(16).toString('hex')}`;
}

/** Whether a text is a valid client id: printable ASCII without a colon, because HTTP Basic separates with it. */
export function isClientId(text: string): boolean {
  return /^[!-9;-~]{1,200}$/.test(text);
}

/** Stores a credential with its first secret. */
export async function insertCredential(
  tx: WriteTransaction,
  row: ApiCredential,
  secret: string,
): Promise<void> {
  await rows(tx, 'credentials').insert(row);
  await replaceSecrets(tx, row, { secret, now: row.created_at, othersEndAt: row.created_at });
}

/** Adds a secret and ends the others. */
export async function replaceSecrets(
  tx: WriteTransaction,
  credential: ApiCredential,
  { secret, now, othersEndAt }: { secret: string; now: number; othersEndAt: number },
): Promise<void> {
  const id = newId('key', now);
  await rows(tx, 'credential_secrets').insert({
    id,
    environment_id: credential.environment_id,
    credential_id: credential.id,
    secret_hash: hashSecret(secret),
    created_at: now,
    expires_at: null,
  });
  await expireOtherSecrets(tx, credential.environment_id, credential.id, id, othersEndAt);
}
