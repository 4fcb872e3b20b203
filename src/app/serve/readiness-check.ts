/** Whether a server is ready: the database answers, and the key opens what is stored. */
import { InstallationStore } from '../../store/installation/installation-store.ts';
import { verifyKey } from '../../vault/key-check.ts';
import type { Services } from '../services/services.ts';

/** Whoever asks is answered within this time, however long the database says nothing. */
const PATIENCE_MS = 5_000;

/**
 * @returns rejects where the database does not answer within 5 s, or the key does not open what is stored. Those who ask
 *   meanwhile wait for the same statement: with a silent database they must not take a connection each
 */
export function readinessCheck({ db, vault }: Pick<Services, 'db' | 'vault'>): () => Promise<void> {
  const store = new InstallationStore(db.read);
  const check = async (): Promise<void> => {
    const keyCheck = await store.get('key_check');
    await verifyKey(
      vault,
      async () => keyCheck,
      async (value) => value,
    );
  };
  let running: Promise<void> | undefined;
  return async () => {
    running ??= check().finally(() => {
      running = undefined;
    });
    await withPatience(running);
  };
}

async function withPatience(work: Promise<void>): Promise<void> {
  const { promise: impatience, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The database does not answer.')), PATIENCE_MS);
  try {
    await Promise.race([work, impatience]);
  } finally {
    clearTimeout(timer);
  }
}
