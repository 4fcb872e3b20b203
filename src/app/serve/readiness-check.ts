/** Whether a server is ready: the database answers, and the key opens the stored data. */
import { InstallationStore } from '../../store/installation/installation-store.ts';
import { verifyKey } from '../../vault/key-check.ts';
import type { Services } from '../services/services.ts';

/** Time limit for the answer, even if the database never responds. */
const PATIENCE_MS = 5_000;

/**
 * @returns a function that rejects if the database does not answer within 5 s or the key does not open the stored
 *   data. Concurrent callers share one statement: with an unresponsive database they must not take a connection each
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
