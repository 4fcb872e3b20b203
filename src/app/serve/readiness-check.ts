/** Whether a server is ready: database, its file, the version of its tables, key, and the records of calls. */
import { DatabaseError } from '../../store/engine/database-errors.ts';
import { InstallationStore } from '../../store/installation/installation-store.ts';
import { schemaFit, SCHEMA_VERSION } from '../../store/migrations/migrator.ts';
import type { Readiness } from '../../http/routes/operation.ts';
import type { Settings } from '../../settings/settings.ts';
import { verifyKey } from '../../vault/key-check.ts';
import type { Services } from '../services/services.ts';
import type { RunningFileCheck } from './file-check.ts';

/** Time limit for the answer, even if the database never responds. */
const PATIENCE_MS = 5_000;

/** Longest wait for a record, as long as a call waits for its own. */
const RECORD_PATIENCE_MS = 1_000;

/**
 * @param fileCheck a damaged file stays damaged until its operator restores a copy
 * @param isDraining whether the process has been told to stop
 * @returns a function that rejects if the database does not answer within 5 s, its file is damaged, or the key does
 *   not open the stored data. Concurrent callers share one look: with an unresponsive database they must not take a
 *   connection each
 */
export function readinessCheck(
  services: Pick<Services, 'db' | 'vault' | 'environments' | 'executor' | 'noteSchema'> & {
    settings: Pick<Settings, 'executions'>;
  },
  fileCheck: Pick<RunningFileCheck, 'foundDamage'>,
  isDraining: () => boolean,
): () => Promise<Readiness> {
  const { db, vault } = services;
  const store = new InstallationStore(db.read);
  const check = async (): Promise<Readiness> => {
    if (fileCheck.foundDamage()) throw new Error('The database file is damaged.');
    const keyCheck = await store.get('key_check');
    await verifyKey(
      vault,
      async () => keyCheck,
      async (value) => value,
    );
    if (!(await isVersionFit(services)))
      return {
        unready: 'The version of the database does not fit this program. The log of the server says more.',
      };
    if (await canRecord(services)) return {};
    return services.settings.executions.areRequired
      ? { unready: 'Records of calls cannot be stored, and the settings require them.' }
      : { degraded: ['records'] };
  };
  let running: Promise<Readiness> | undefined;
  return async () => {
    if (isDraining()) return { unready: 'The server is stopping.' };
    running ??= check().finally(() => {
      running = undefined;
    });
    return withPatience(running, PATIENCE_MS, () => {
      throw new Error('The database does not answer.');
    });
  };
}

async function isVersionFit({ db, noteSchema }: Pick<Services, 'db' | 'noteSchema'>): Promise<boolean> {
  try {
    const { version, newer } = await schemaFit(db.read, db.dialect);
    if (newer !== undefined) noteSchema(newer);
    if (version >= SCHEMA_VERSION) return true;
    noteSchema(
      `The database has schema version ${version}, and this process had brought it to ${SCHEMA_VERSION}: an older copy took its place. Start this process again.`,
    );
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    noteSchema(error.message);
  }
  return false;
}

async function canRecord({
  environments,
  executor,
}: Pick<Services, 'environments' | 'executor'>): Promise<boolean> {
  const [environment] = environments.all;
  if (environment === undefined) return true;
  return withPatience(executor.canRecord(environment.id), RECORD_PATIENCE_MS, () => false);
}

/** @param late gives the answer if `work` has none in time */
async function withPatience<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => over.resolve(undefined), ms);
  try {
    const answer = await Promise.race([work.then((value) => ({ value })), over.promise]);
    return answer === undefined ? late() : answer.value;
  } finally {
    clearTimeout(timer);
  }
}
