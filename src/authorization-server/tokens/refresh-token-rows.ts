/**
 * Rows of refresh tokens: a model of our own among the artifacts of the authorization server. Checks nothing.
 *
 * A row is one token of one session; the token itself is stored as its hash, the scopes it may ask for are sealed.
 */
import { hashSecret, newId } from '../../core/ids.ts';
import type { WriteTransaction } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import type { AuthorizationArtifact } from '../../store/tables/people-tables.ts';
import type { Vault } from '../../vault/vault.ts';

/** The name in the column `model`; the library never makes this model. */
export const REFRESH_TOKEN = 'RefreshToken';

/**
 * Returns the row of a new token, sealed before the transaction begins.
 *
 * @param token.exchangedFor hash of the token before it; absent for the first of a session
 */
export async function refreshTokenRow(
  vault: Pick<Vault, 'seal'>,
  session: { id: string; environmentId: string; expiresAt: number },
  token: { refreshToken: string; scopes: readonly string[]; exchangedFor?: string; now: number },
): Promise<AuthorizationArtifact> {
  const id = newId('art', token.now);
  return {
    id,
    environment_id: session.environmentId,
    model: REFRESH_TOKEN,
    id_hash: hashSecret(token.refreshToken),
    grant_hash: token.exchangedFor ?? null,
    uid_hash: null,
    session_id: session.id,
    payload_sealed: await vault.seal(artifactPlace(id), JSON.stringify({ scopes: token.scopes })),
    created_at: token.now,
    expires_at: session.expiresAt,
    consumed_at: null,
    network: null,
  };
}

/** The scopes that `refreshTokenRow` sealed. @throws UnreadableSecret */
export async function scopesOfRefreshToken(
  vault: Pick<Vault, 'open'>,
  row: AuthorizationArtifact,
): Promise<readonly string[]> {
  const payload = JSON.parse(await vault.open(artifactPlace(row.id), row.payload_sealed)) as {
    scopes: string[];
  };
  return payload.scopes;
}

/** Stores a row. */
export async function insertRefreshToken(tx: WriteTransaction, row: AuthorizationArtifact): Promise<void> {
  await rows(tx, 'authorization_artifacts').insert(row);
}

/** The place that the payload of an artifact is sealed for. */
export function artifactPlace(id: string): { table: string; row: string; column: string } {
  return { table: 'authorization_artifacts', row: id, column: 'payload_sealed' };
}
