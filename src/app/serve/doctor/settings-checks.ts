/** The doctor's checks of the settings and the key, without the database. */
import { existsSync } from 'node:fs';
import { isLoopbackHost } from '../../../core/hosts.ts';
import type { DoctorCheck } from '../../../core/telemetry/installation-report.ts';
import { GIVEN_AGAIN_MS } from '../../../links/links.ts';
import type { Settings } from '../../../settings/settings.ts';
import { keyFileProblem } from '../../services/open-vault.ts';
import { settingsWithoutEffect } from '../without-effect.ts';

/** Advice about settings that are valid. */
export function settingsAdvice(settings: Settings): DoctorCheck[] {
  const advice = [...settingsWithoutEffect(settings), ...metricsWarnings(settings)];
  const warnings = advice.map((message): DoctorCheck => ({ name: 'settings', status: 'warning', message }));
  return [...warnings, ...linkChecks(settings)];
}

/** The check of settings without a mistake. */
export function settingsFound({ configFile }: Settings): DoctorCheck {
  const message = configFile ?? 'no gatehouse.yaml; defaults and environment variables';
  return { name: 'settings', status: 'ok', message };
}

/** The metrics listener asks for no token, so on a network everybody who reaches it reads the metrics. */
function metricsWarnings({ metrics }: Settings): string[] {
  if (metrics === undefined || isLoopbackHost(metrics.host)) return [];
  return [
    `metrics.host is ${metrics.host}: everybody who reaches port ${metrics.port} reads the metrics without a token. ` +
      'Let only your monitoring reach it, or leave metrics.host out.',
  ];
}

/** Warns if links are too short-lived to be given again, so that each refused call makes a new one. */
function linkChecks({ lifetimes }: Settings): DoctorCheck[] {
  if (lifetimes.linkMs > GIVEN_AGAIN_MS) return [];
  const message =
    'Each refused call makes a new link, because lifetimes.link is at most 10 minutes. After 20 links in an hour, calls get none. Set it to more than 10 minutes.';
  return [{ name: 'links', status: 'warning', message }];
}

/**
 * Whether the key is there and readable.
 *
 * @param isNew whether the database knows no key yet; `undefined` if it could not be queried
 */
export function keyFileCheck({ keys }: Settings, isNew: boolean | undefined): DoctorCheck {
  const name = 'key';
  const { masterKey, masterKeyFile: path } = keys;
  if (masterKey !== undefined) return { name, status: 'ok', message: 'given by the environment' };
  if (!existsSync(path)) {
    if (isNew === false)
      return {
        name,
        status: 'problem',
        message: `${path} is missing, and the database holds secrets that only its key can open. Put the file back.`,
      };
    const message =
      isNew === true
        ? `${path} does not exist yet; the first start makes it.`
        : `${path} does not exist. Only for a database without data the first start makes it; otherwise put the file back.`;
    return { name, status: 'warning', message };
  }
  const problem = keyFileProblem(keys);
  return problem === undefined
    ? { name, status: 'ok', message: path }
    : { name, status: 'problem', message: problem };
}
