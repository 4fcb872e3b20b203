/** The doctor's checks of an open installation: database, catalog, and each environment. */
import { typeNamed } from '../../../authorization-types/index.ts';
import type { ConnectionView } from '../../../connections/connection-views.ts';
import type { Environment } from '../../../core/environment.ts';
import { isLoopbackHost } from '../../../core/hosts.ts';
import type { DoctorCheck } from '../../../core/telemetry/installation-report.ts';
import { rows } from '../../../store/engine/rows.ts';
import { countUsersWithoutProvider } from '../../../store/people/user-store.ts';
import type { Services } from '../../services/services.ts';
import type { UpstreamView } from '../../../upstream/operators/upstream-view.ts';
import { whoHolds } from '../port-holder.ts';

/** Looks at these environments. The only requests go to their addresses, all at once, and take 3 s at most. */
export async function installationChecks(
  services: Pick<Services, 'catalog' | 'db' | 'connections' | 'settings' | 'id' | 'upstreams'>,
  environments: readonly Environment[],
): Promise<DoctorCheck[]> {
  const { catalog, db, connections, settings } = services;
  const checks: DoctorCheck[] = [
    { name: 'database', status: 'ok', message: `${db.dialect}, schema and key check value fit` },
    {
      name: 'catalog',
      status: 'ok',
      message: `${catalog.tools.size} tools of ${catalog.connectors.size} connectors`,
    },
  ];
  for (const environment of environments) {
    const hasMail = settings.smtp !== undefined;
    checks.push(
      ...encryptionChecks(environment),
      verificationCheck(environment, hasMail),
      ...signUpChecks(environment, hasMail),
      ...(await signInChecks(db, environment, hasMail)),
      ...(await identityProviderChecks(db, environment)),
    );
    for (const connection of await connections.list(environment.id))
      checks.push(...connectionChecks(environment.name, connection));
    for (const upstream of await services.upstreams.operators.list(environment.id))
      checks.push(...upstreamChecks(environment.name, upstream));
  }
  const asked = environments.map(async ({ baseUrl }) => listenerCheck(baseUrl, services.id, settings));
  return [...checks, ...(await Promise.all(asked))];
}

/** One check for each warning, so that each can be read and fixed separately. */
function connectionChecks(environmentName: string, connection: ConnectionView): DoctorCheck[] {
  const name = `connection ${environmentName}/${connection.name}`;
  const { connector, authorization_type: type, redirect_uri: redirectUri, warnings } = connection;
  if (warnings.length > 0) return warnings.map((message) => ({ name, status: 'warning', message }));
  const registered = typeNamed(type)?.isByConsent === true ? `, redirect URI ${redirectUri}` : '';
  return [{ name, status: 'ok', message: `${connector}, ${type}${registered}` }];
}

/**
 * Checks for decisions that wait at a remote MCP server, each with the command that makes it. What the server's
 * connection lacks is reported with the connection.
 */
function upstreamChecks(environmentName: string, upstream: UpstreamView): DoctorCheck[] {
  const name = `upstream ${environmentName}/${upstream.name}`;
  const { tools, findings, state } = upstream;
  const waiting = findings.filter(
    ({ field }) => field === 'tools' || field === 'authorization_server_change',
  );
  const missing =
    upstream.registration?.way === null ? findings.filter(({ field }) => field === 'registration') : [];
  const messages = [...missing, ...waiting].map(({ message }) => message);
  if (messages.length > 0) return messages.map((message) => ({ name, status: 'warning', message }));
  const message =
    state === 'no_connection'
      ? `It has no connection yet: "gatehouse connections create ${upstream.connector}" makes one.`
      : `${tools.approved} tools are published`;
  return [{ name, status: state === 'no_connection' ? 'warning' : 'ok', message }];
}

/** Warns of an address that people and programs reach through a network without encryption. */
function encryptionChecks({ name, baseUrl }: Environment): DoctorCheck[] {
  if (!baseUrl.startsWith('http://') || isLoopbackHost(new URL(baseUrl).hostname)) return [];
  const message = `${baseUrl} is not encrypted: others on the network can read sign-ins, tokens and secrets. Put a TLS proxy in front of it, and set base_url to the https address of the proxy.`;
  return [{ name: `base_url ${name}`, status: 'warning', message }];
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
  { requestInfo }: Services['settings'],
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
