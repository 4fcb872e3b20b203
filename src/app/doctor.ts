/**
 * `gatehouse doctor`: looks at settings, key, database, catalog and connections and says what will not work.
 *
 * Before the first start there is little to look at, and it stays so: nothing is made here.
 */
import { statSync } from 'node:fs';
import type { ConnectionView } from '../accounts/connection-views.ts';
import type { Settings } from '../core/config/settings.ts';
import type { Environment } from '../core/environment.ts';
import type { Log } from '../core/log.ts';
import { holdsInstallation } from './existing-database.ts';
import { openInstallation } from './installation.ts';
import { whoHolds } from './port-holder.ts';
import { settingsWithoutEffect } from './without-effect.ts';

export interface DoctorCheck {
  name: string;
  status: 'ok' | 'warning' | 'problem';
  /** What was seen, and what to do about it. */
  message: string;
}

/** Never throws for what it looks for: each finding is a check. The settings themselves have been read before. */
export async function runDoctor({
  settings,
  log,
}: {
  settings: Settings;
  log: Log;
}): Promise<{ checks: DoctorCheck[] }> {
  const checks: DoctorCheck[] = [
    {
      name: 'settings',
      status: 'ok',
      message: settings.configFile ?? 'no gatehouse.yaml; defaults and environment variables',
    },
  ];
  for (const message of settingsWithoutEffect(settings))
    checks.push({ name: 'settings', status: 'warning', message });
  checks.push(keyFile(settings));
  try {
    checks.push(...(await installationChecks(settings, log)));
  } catch (error) {
    checks.push({
      name: 'start',
      status: 'problem',
      message: error instanceof Error ? error.message : String(error),
    });
  }
  return { checks };
}

function keyFile({ keys }: Settings): DoctorCheck {
  const name = 'key';
  if (keys.masterKey !== undefined) return { name, status: 'ok', message: 'given by the environment' };
  const file = statSync(keys.masterKeyFile, { throwIfNoEntry: false });
  if (file === undefined) {
    return {
      name,
      status: 'warning',
      message: `${keys.masterKeyFile} does not exist yet; the first start makes it.`,
    };
  }
  const open = (file.mode & 0o077) !== 0;
  return open
    ? {
        name,
        status: 'problem',
        message: `${keys.masterKeyFile} can be read by others. Run: chmod 600 ${keys.masterKeyFile}`,
      }
    : { name, status: 'ok', message: keys.masterKeyFile };
}

async function installationChecks(settings: Settings, log: Log): Promise<DoctorCheck[]> {
  if (!(await holdsInstallation(settings.databaseUrl))) {
    const message =
      'There is no data of Gatehouse yet; the first start makes it. The rest can be checked after that.';
    return [{ name: 'database', status: 'warning', message }];
  }
  const installation = await openInstallation({ settings, log });
  try {
    const { catalog, db, environments, connections } = installation;
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
      checks.push(verificationCheck(environment, hasMail), ...signUpChecks(environment, hasMail));
      for (const connection of await connections.list(environment.id))
        checks.push(...connectionChecks(environment.name, connection));
    }
    const [{ baseUrl }] = environments.all as [(typeof environments.all)[number]];
    checks.push(await listenerCheck(baseUrl, installation.id));
    return checks;
  } finally {
    await installation.close();
  }
}

/** Types whose provider sends the browser back. */
const WITH_REDIRECT: ReadonlySet<string> = new Set(['OAUTH', 'SMART_FHIR', 'BOARD_OAUTH1']);

/** One check for each warning, so that each can be read and mended by itself. */
function connectionChecks(environmentName: string, connection: ConnectionView): DoctorCheck[] {
  const name = `connection ${environmentName}/${connection.name}`;
  const { connector, authorization_type: type, redirect_uri: redirectUri, warnings } = connection;
  if (warnings.length > 0) return warnings.map((message) => ({ name, status: 'warning', message }));
  const registered = WITH_REDIRECT.has(type) ? `, redirect URI ${redirectUri}` : '';
  return [{ name, status: 'ok', message: `${connector}, ${type}${registered}` }];
}

function verificationCheck(environment: Environment, hasMail: boolean): DoctorCheck {
  const name = `verification ${environment.name}`;
  const { userVerification, userVerifyUrl, isLocalOnly } = environment;
  if (userVerification === 'app' && userVerifyUrl === undefined) {
    return {
      name,
      status: 'warning',
      message:
        'Mode app without user_verify_url: a prompt cannot offer a link. Set user_verify_url, or give it with each magic_link.',
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
  return { name, status: 'ok', message: userVerification };
}

/** Whoever may become a user needs a way to prove an address. */
function signUpChecks({ name, signUp, isLocalOnly }: Environment, hasMail: boolean): DoctorCheck[] {
  if (signUp === 'closed' || hasMail || isLocalOnly) return [];
  const message = `sign_up is ${signUp}, and without smtp no codes can be sent: only people whose organization has an OpenID provider can sign in. Set smtp.`;
  return [{ name: `sign-up ${name}`, status: 'warning', message }];
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
