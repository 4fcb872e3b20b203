/** Access to an open installation: API credentials, tokens, the authorization server, people and mail to them. */
import { buildAuthorizationServer } from '../../authorization-server/build-authorization-server.ts';
import { loadOnce } from '../../core/load-once.ts';
import { Mailer } from '../../people/mailer.ts';
import { removeFirstCredential } from '../services/first-credential-file.ts';
import type { Services } from '../services/services.ts';

/** The services that decide who may call. */
export type Identity = ReturnType<typeof buildIdentity>;

/** The operations on people that pages, REST and commands use. */
export type People = Awaited<ReturnType<Identity['people']>>;

/** Builds them; `mailer` is `undefined` if `smtp` is not set, and `people` are loaded at first use. */
export function buildIdentity(services: Services) {
  const { db, vault, clock, environments, log, rates, settings, policy, pageTokens } = services;
  const { outbound } = services;
  const base = { db, vault, clock, environments, policy, pageTokens };
  const mailer = settings.smtp && new Mailer({ smtp: settings.smtp, log, now: () => clock.now() });
  return {
    ...buildAuthorizationServer({
      ...base,
      log,
      rates,
      lifetimes: settings.lifetimes,
      machineTokenMade: firstUse(services),
      http: outbound,
      publicHttp: outbound.publicOnly,
      problemPage: async () => (await import('../../pages/consent/consent-problem.ts')).consentProblemPage,
    }),
    mailer,
    people: loadOnce(async () => {
      const { buildPeople } = await import('../../people/sign-in/build-people.ts');
      return buildPeople({ ...base, mailer, isReachable: outbound.isReachable, isPublic: outbound.isPublic });
    }),
  };
}

/** Removes the file of the first credential with its first token. Looks at the disk once for each client id. */
function firstUse({ settings, environments, log }: Services) {
  const seen = new Set<string>();
  return (environmentId: string, clientId: string): void => {
    if (seen.has(clientId)) return;
    seen.add(clientId);
    const { name } = environments.get(environmentId);
    try {
      removeFirstCredential(settings.dataDir, name, clientId);
    } catch (err) {
      log.warn('first_credential_file_not_removed', { environment_id: environmentId, err });
    }
  };
}
