/** The doctor's checks of the settings and the key, without the database. */
import { existsSync } from 'node:fs';
import { isLoopbackHost } from '../../../core/hosts.ts';
import type { DoctorCheck } from '../../../core/telemetry/installation-report.ts';
import { GIVEN_AGAIN_MS } from '../../../links/links.ts';
import type { Settings } from '../../../settings/settings.ts';
import { KeyError } from '../../../vault/key-ring.ts';
import { loadKeyRing } from '../../../vault/load-key-ring.ts';
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

/** The reason why the keys could not be used at a start. */
function unusableKeys(keys: Settings['keys']): string | undefined {
  try {
    loadKeyRing({ ...keys, createIfMissing: false });
    return undefined;
  } catch (error) {
    if (error instanceof KeyError) return error.message;
    throw error;
  }
}

/**
 * Whether the key is there and can be used.
 *
 * @param isNew whether the database knows no key yet; `undefined` if it could not be queried
 */
export function keyFileCheck({ keys }: Settings, isNew: boolean | undefined): DoctorCheck {
  const name = 'key';
  const { masterKey, masterKeyFile: path } = keys;
  if (masterKey === undefined && !existsSync(path)) {
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
  const problem = unusableKeys(keys) ?? keyFileProblem(keys);
  return problem === undefined
    ? { name, status: 'ok', message: masterKey === undefined ? path : 'given by the environment' }
    : { name, status: 'problem', message: problem };
}
