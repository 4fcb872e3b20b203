/**
 * `gatehouse doctor`: checks settings, key, database, catalog and connections, and reports what will not work.
 *
 * Creates nothing, so it can run before the first start, when there is little to check.
 */
import { existsSync } from 'node:fs';
import { typeNamed } from '../../authorization-types/index.ts';
import type { ConnectionView } from '../../connections/connection-views.ts';
import { problemLine } from '../../settings/problems.ts';
import { SettingsError, type Settings } from '../../settings/settings.ts';
import type { Environment } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import { countUsersWithoutProvider } from '../../store/people/user-store.ts';
import { requireDeclarable } from '../services/declared.ts';
import { holdsInstallation } from './existing-database.ts';
import { openServices, type Services } from '../services/services.ts';
import { loadInstalledCatalog } from '../services/installed-catalog.ts';
import { whoHolds } from '../serve/port-holder.ts';
import { keyFileProblem } from '../services/open-vault.ts';
import { settingsWithoutEffect } from '../serve/without-effect.ts';

export interface DoctorCheck {
  name: string;
  status: 'ok' | 'warning' | 'problem';
  /** The finding, and the advice for it. */
  message: string;
}

/** Reports each finding as a check and does not throw for it. The settings have been read before. */
export async function runDoctor({
  settings,
  log,
}: {
  settings: Settings;
  log: Log;
}): Promise<{ checks: DoctorCheck[] }> {
  const warnings = settingsWithoutEffect(settings).map((message): DoctorCheck => ({
    name: 'settings',
    status: 'warning',
    message,
  }));
  const database = await lookedAt(async () => holdsInstallation(settings.databaseUrl));
  const isNew = database.found === undefined ? undefined : !database.found;
  const start =
    database.failed === undefined
      ? await lookedAt(async () => installationChecks(settings, log, isNew === true))
      : { found: undefined, failed: database.failed };
  return {
    checks: [
      ...settingsChecks(settings, start.failed),
      ...warnings,
      keyFile(settings, isNew),
      ...(start.found ?? startProblem(start.failed)),
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
function settingsChecks({ configFile }: Settings, failed: Error | undefined): DoctorCheck[] {
  const name = 'settings';
  if (failed instanceof SettingsError)
    return failed.problems.map((problem) => ({ name, status: 'problem', message: problemLine(problem) }));
  return [
    { name, status: 'ok', message: configFile ?? 'no gatehouse.yaml; defaults and environment variables' },
  ];
}

function startProblem(failed: Error | undefined): DoctorCheck[] {
  if (failed === undefined || failed instanceof SettingsError) return [];
  return [{ name: 'start', status: 'problem', message: failed.message }];
}

/** @param isNew whether the database knows no key yet; `undefined` if it could not be queried */
function keyFile({ keys }: Settings, isNew: boolean | undefined): DoctorCheck {
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
        : `${path} does not exist. Only for a database without data the first start makes it; else put the file back.`;
    return { name, status: 'warning', message };
  }
  const problem = keyFileProblem(keys);
  return problem === undefined
    ? { name, status: 'ok', message: path }
    : { name, status: 'problem', message: problem };
}

async function installationChecks(settings: Settings, log: Log, isNew: boolean): Promise<DoctorCheck[]> {
  const installed = await loadInstalledCatalog(settings.catalogDirs);
  if (isNew) {
    requireDeclarable(settings, installed);
    const message =
      'There is no data of Gatehouse yet; the first start makes it. The rest can be checked after that.';
    return [{ name: 'database', status: 'warning', message }];
  }
  const services = await openServices({ settings, log, catalog: installed });
  try {
    const { catalog, db, environments, connections } = services;
    const checks: DoctorCheck[] = [
      { name: 'database', status: 'ok', message: `${db.dialect}, schema and key check value fit` },
      {
        name: 'catalog',
        status: 'ok',
        message: `${catalog.tools.size} tools of ${catalog.connectors.size} connectors`,
      },
    ];
    for (const environment of environments.all) {
      const hasMail = settings.smtp !== undefined;
      checks.push(
        verificationCheck(environment, hasMail),
        ...signUpChecks(environment, hasMail),
        ...(await signInChecks(db, environment, hasMail)),
      );
      for (const connection of await connections.list(environment.id))
        checks.push(...connectionChecks(environment.name, connection));
    }
    const [{ baseUrl }] = environments.all as [(typeof environments.all)[number]];
    checks.push(await listenerCheck(baseUrl, services.id));
    return checks;
  } finally {
    await services.close();
  }
}

/** One check for each warning, so that each can be read and fixed separately. */
function connectionChecks(environmentName: string, connection: ConnectionView): DoctorCheck[] {
  const name = `connection ${environmentName}/${connection.name}`;
  const { connector, authorization_type: type, redirect_uri: redirectUri, warnings } = connection;
  if (warnings.length > 0) return warnings.map((message) => ({ name, status: 'warning', message }));
  const registered = typeNamed(type)?.isByConsent === true ? `, redirect URI ${redirectUri}` : '';
  return [{ name, status: 'ok', message: `${connector}, ${type}${registered}` }];
}

function verificationCheck(environment: Environment, hasMail: boolean): DoctorCheck {
  const name = `verification ${environment.name}`;
  const { userVerification, userVerifyUrl, userVerifyUrls, isLocalOnly } = environment;
  if (userVerification === 'app' && userVerifyUrl === undefined) {
    return {
      name,
      status: 'warning',
      message:
        'Mode app without user_verify_url: a prompt cannot offer a link. Set user_verify_url, or give it with each magic_link.' +
        (userVerifyUrls.length === 0
          ? ' Without user_verify_urls a link may name any https address: set one of the two.'
          : ''),
    };
  }
  if (userVerification === 'signed_in' && !hasMail && !isLocalOnly) {
    return {
      name,
      status: 'warning',
      message:
        'People confirm by signing in, and without smtp no codes can be sent: only those sign in whose organization has an OpenID provider. Set smtp.',
    };
  }
  const allowed = userVerifyUrls.length === 0 ? '' : `; links go to ${userVerifyUrls.join(' or ')} only`;
  return { name, status: 'ok', message: `${userVerification}${allowed}` };
}

/** Warns if people can sign up but have no way to prove an address. */
function signUpChecks({ name, signUp, isLocalOnly }: Environment, hasMail: boolean): DoctorCheck[] {
  if (signUp === 'closed' || hasMail || isLocalOnly) return [];
  const message = `sign_up is ${signUp}, and without smtp no codes can be sent: only people whose organization has an OpenID provider can sign in. Set smtp.`;
  return [{ name: `sign-up ${name}`, status: 'warning', message }];
}

/** Existing users need such a way too. Skipped if anyone may sign up, because the sign-up check already warns. */
async function signInChecks(
  { read }: Services['db'],
  { id, name, signUp, isLocalOnly }: Environment,
  hasMail: boolean,
): Promise<DoctorCheck[]> {
  if (signUp !== 'closed' || hasMail || isLocalOnly) return [];
  const people = await countUsersWithoutProvider(read, id);
  if (people === 0) return [];
  const message =
    `${people} ${people === 1 ? 'user is' : 'users are'} in no organization that has an OpenID provider, and without smtp no codes can be sent: ` +
    'they cannot sign in, unless such a provider names the domain of their address. Set smtp.';
  return [{ name: `sign-in ${name}`, status: 'warning', message }];
}

async function listenerCheck(baseUrl: string, installationId: string): Promise<DoctorCheck> {
  const name = 'listener';
  if (baseUrl === '') {
    return {
      name,
      status: 'warning',
      message:
        'With port 0 each start has another address. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).',
    };
  }
  if (!baseUrl.startsWith('http://'))
    return { name, status: 'ok', message: `${baseUrl} is behind a proxy; not asked` };
  const holder = await whoHolds(baseUrl, installationId);
  return holder.kind === 'same'
    ? { name, status: 'ok', message: `${baseUrl} answers` }
    : {
        name,
        status: 'warning',
        message: `Nobody of this installation answers at ${baseUrl}. That is fine while no server runs.`,
      };
}
