/** Builds the sender of webhooks and interceptors. */
import type { Clock } from '../core/clock.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../store/engine/database.ts';
import type { Vault } from '../vault/vault.ts';
import { SignedSender } from './signed-sender.ts';
import { SigningSecrets } from './signing-secrets.ts';

/** Builds the secrets of the environments, and what signs with them and sends. */
export function buildSignedSender(base: {
  db: Database;
  vault: Vault;
  clock: Clock;
  outbound: Pick<Outbound, 'send'>;
}) {
  const signingSecrets = new SigningSecrets(base);
  return { signingSecrets, sender: new SignedSender({ ...base, secrets: signingSecrets }) };
}
