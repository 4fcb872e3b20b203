/** The id and the environments of an installation, taken from the settings and stored in the database. */
import type { Clock } from '../../core/clock.ts';
import { resolveBaseUrl, type Settings } from '../../settings/settings.ts';
import { Environments, type Environment } from '../../core/environment.ts';
import { ServiceError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../store/engine/database.ts';
import { EnvironmentStore } from '../../store/installation/environment-store.ts';
import { InstallationStore } from '../../store/installation/installation-store.ts';

/**
 * Public origin of an environment. With port 0 only the process that listens knows it.
 *
 * @throws ServiceError UNAVAILABLE in every other process
 */
export function knownBaseUrl({ name, baseUrl }: Environment): string {
  if (baseUrl !== '') return baseUrl;
  throw new ServiceError(
    'UNAVAILABLE',
    `With port 0 only the running server knows its port, so the address of the links of ${name} is not known here. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).`,
  );
}

/** The id by which processes recognize their own installation, created by the first process. */
export async function installationId(db: Database): Promise<string> {
  const known = await new InstallationStore(db.read).get('installation_id');
  if (known !== undefined) return known;
  return db.transaction(async (tx) => new InstallationStore(tx).setIfAbsent('installation_id', newId('ins')));
}

/** The environments of the settings, with a row for each. */
export async function openEnvironments(
  settings: Settings,
  db: Database,
  clock: Clock,
): Promise<Environments> {
  const known = new Map((await new EnvironmentStore(db.read).list()).map((row) => [row.name, row]));
  const environments = [];
  for (const environment of settings.environments) {
    const { name } = environment;
    const now = clock.now();
    const row =
      known.get(name) ??
      (await db.transaction(async (tx) =>
        new EnvironmentStore(tx).ensure({ id: newId('env', now), name, created_at: now }),
      ));
    environments.push({
      id: row.id,
      name,
      baseUrl:
        environment.baseUrl ??
        (settings.port === 0 ? '' : resolveBaseUrl(settings, environment, settings.port)),
      userVerification: environment.userVerification,
      userVerifyUrl: environment.userVerifyUrl,
      userVerifyUrls: environment.userVerifyUrls,
      signUp: environment.signUp,
      isLocalOnly: environment.isLocalOnly,
      brand: environment.brand,
    });
  }
  return new Environments(environments);
}
