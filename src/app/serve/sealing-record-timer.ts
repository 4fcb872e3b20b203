/** Records in long-running processes which key they seal with: after the start, and soon after a key change. */
import { SealingRecord } from '../../operations/sealing-record.ts';
import type { Services } from '../services/services.ts';

/** A desktop session that ends at once records nothing. */
const FIRST_LOOK_MS = 1_000;
const INTERVAL_MS = 5_000;

/** Does not keep the process alive. @returns a function that stops it and resolves when no run is in progress */
export function startSealingRecord(
  { db, vault, clock, log }: Pick<Services, 'db' | 'vault' | 'clock' | 'log'>,
  command: 'serve' | 'mcp',
): () => Promise<void> {
  const record = new SealingRecord({ db, vault, clock, command });
  let looking = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const attempt = async (work: () => Promise<void>): Promise<void> =>
    work().catch((err: unknown) => log.warn('sealing_key_not_recorded', { err }));
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      looking = lookAndGoOn();
    }, ms).unref();
  };
  const lookAndGoOn = async (): Promise<void> => {
    await attempt(async () => record.look());
    if (timer !== undefined) schedule(INTERVAL_MS);
  };
  schedule(FIRST_LOOK_MS);
  return async () => {
    clearTimeout(timer);
    timer = undefined;
    await looking;
    await attempt(async () => record.end());
  };
}
