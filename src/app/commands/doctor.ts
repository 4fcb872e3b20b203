/**
 * `gatehouse doctor`: checks settings, key, database, catalog and connections, and reports what will not work.
 *
 * Creates nothing, so it can run before the first start, when there is little to check.
 */
import type { DoctorCheck } from '../../core/telemetry/installation-report.ts';
import type { Log } from '../../core/log.ts';
import { problemLine } from '../../settings/problems.ts';
import { SettingsError, type Settings } from '../../settings/settings.ts';
import { requireDeclarable } from '../services/declared.ts';
import { loadInstalledCatalog } from '../services/installed-catalog.ts';
import { openServices } from '../services/services.ts';
import { installationChecks } from '../serve/doctor/installation-checks.ts';
import { keyFileCheck, settingsAdvice, settingsFound } from '../serve/doctor/settings-checks.ts';
import { holdsInstallation } from './existing-database.ts';

/** Reports each finding as a check and does not throw for it. The settings have been read before. */
export async function runDoctor({
  settings,
  log,
}: {
  settings: Settings;
  log: Log;
}): Promise<{ checks: DoctorCheck[] }> {
  const database = await lookedAt(async () => holdsInstallation(settings.databaseUrl));
  const isNew = database.found === undefined ? undefined : !database.found;
  const start =
    database.failed === undefined
      ? await lookedAt(async () => checksAtStart(settings, log, isNew === true))
      : { found: undefined, failed: database.failed };
  const key = keyFileCheck(settings, isNew);
  return {
    checks: [
      ...settingsChecks(settings, start.failed),
      ...settingsAdvice(settings),
      key,
      ...(start.found ?? startProblem(start.failed).filter(({ message }) => message !== key.message)),
    ],
  };
}

/** Returns the result of a check, or the error that prevents it. */
async function lookedAt<T>(
  look: () => Promise<T>,
): Promise<{ found: T; failed: undefined } | { found: undefined; failed: Error }> {
  try {
    return { found: await look(), failed: undefined };
  } catch (error) {
    return { found: undefined, failed: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** One check for each mistake, with file and line. */
function settingsChecks(settings: Settings, failed: Error | undefined): DoctorCheck[] {
  if (!(failed instanceof SettingsError)) return [settingsFound(settings)];
  return failed.problems.map((problem) => ({
    name: 'settings',
    status: 'problem',
    message: problemLine(problem),
  }));
}

function startProblem(failed: Error | undefined): DoctorCheck[] {
  if (failed === undefined || failed instanceof SettingsError) return [];
  return [{ name: 'start', status: 'problem', message: failed.message }];
}

async function checksAtStart(settings: Settings, log: Log, isNew: boolean): Promise<DoctorCheck[]> {
  const installed = await loadInstalledCatalog(settings.catalogDirs);
  if (isNew) {
    requireDeclarable(settings, installed);
    const message =
      'There is no data of Gatehouse yet; the first start makes it. The rest can be checked after that.';
    return [{ name: 'database', status: 'warning', message }];
  }
  const services = await openServices({ settings, log, catalog: installed });
  try {
    return await installationChecks(services, services.environments.all);
  } finally {
    await services.close();
  }
}
