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
import { isLoopbackHost } from '../../core/hosts.ts';
import type { Log } from '../../core/log.ts';
import { rows } from '../../store/engine/rows.ts';
import { countUsersWithoutProvider } from '../../store/people/user-store.ts';
import { requireDeclarable } from '../services/declared.ts';
import { holdsInstallation } from './existing-database.ts';
import { openServices, type Services } from '../services/services.ts';
import { loadInstalledCatalog } from '../services/installed-catalog.ts';
import { whoHolds } from '../serve/port-holder.ts';
import { keyFileProblem } from '../services/open-vault.ts';
import { GIVEN_AGAIN_MS } from '../../links/links.ts';
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
  const advice = [...settingsWithoutEffect(settings), ...metricsWarnings(settings)];
  const warnings = advice.map((message): DoctorCheck => ({ name: 'settings', status: 'warning', message }));
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
      ...linkChecks(settings),
      keyFile(settings, isNew),
      ...(start.found ?? startProblem(start.failed)),
    ],
  };
}

/** The metrics listener asks for no token, so on a network everybody who reaches it reads the metrics. */
function metricsWarnings({ metrics }: Settings): string[] {
  if (metrics === undefined || isLoopbackHost(metrics.host)) return [];
  return [
    `metrics.host is ${metrics.host}: everybody who reaches port ${metrics.port} reads the metrics without a token. ` +
      'Let only your monitoring reach it, or leave metrics.host out.',
  ];
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

/** Warns if links are too short-lived to be given again, so that each refused call makes a new one. */
function linkChecks({ lifetimes }: Settings): DoctorCheck[] {
  if (lifetimes.linkMs > GIVEN_AGAIN_MS) return [];
  const message =
    'Each refused call makes a new link, because lifetimes.link is at most 10 minutes. After 20 links in an hour, calls get none. Set it to more than 10 minutes.';
  return [{ name: 'links', status: 'warning', message }];
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
        : `${path} does not exist. Only for a database without data the first start makes it; otherwise put the file back.`;
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
        ...(await identityProviderChecks(db, environment)),
      );
      for (const connection of await connections.list(environment.id))
        checks.push(...connectionChecks(environment.name, connection));
    }
    const [{ baseUrl }] = environments.all as [(typeof environments.all)[number]];
    checks.push(await listenerCheck(baseUrl, services.id, settings));
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

/** Warns of switches that trust an organization's identity provider with more than the addresses of its domains. */
async function identityProviderChecks(
  { read }: Services['db'],
  { id, name }: Environment,
): Promise<DoctorCheck[]> {
  const providers = await rows(read, 'organization_providers').list(id, { orderBy: ['created_at', 'id'] });
  return providers.flatMap((provider) => {
    const messages = [
      ...(provider.allow_operator_rights
        ? [
            'allow_operator_rights is on: the administrators of this provider can act as every operator with an address in its domains. Turn it off unless you trust them as much as operators.',
          ]
        : []),
      ...(provider.assume_email_verified
        ? [
            'assume_email_verified is on: an address that the provider has not verified signs in as the person who has it. Turn it off unless people cannot choose their address there.',
          ]
        : []),
    ];
    const check = `identity provider ${name}/${provider.organization_id}`;
    return messages.map((message): DoctorCheck => ({ name: check, status: 'warning', message }));
  });
}

async function listenerCheck(
  baseUrl: string,
  installationId: string,
  { requestInfo }: Settings,
): Promise<DoctorCheck> {
  const name = 'listener';
  if (baseUrl === '') {
    return {
      name,
      status: 'warning',
      message:
        'With port 0 each start has another address. Set port (GATEHOUSE_PORT) to a fixed one, or base_url (GATEHOUSE_BASE_URL).',
    };
  }
  if (!baseUrl.startsWith('http://')) {
    const behind = `${baseUrl} is behind a proxy`;
    if (requestInfo !== undefined && requestInfo.trustedProxies.length > 0)
      return { name, status: 'ok', message: `${behind}; not asked` };
    const message = `${behind} that request_info does not name, so all callers count as one: strangers use up the limits of everybody. Set request_info.trusted_proxies and ip_header.`;
    return { name, status: 'warning', message };
  }
  const holder = await whoHolds(baseUrl, installationId);
  return holder.kind === 'same'
    ? { name, status: 'ok', message: `${baseUrl} answers` }
    : {
        name,
        status: 'warning',
        message: `No server of this installation answers at ${baseUrl}. That is fine while none is running.`,
      };
}
