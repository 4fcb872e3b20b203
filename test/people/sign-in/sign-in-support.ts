/** Signing in over a database: services of people, codes, and an organization with an OpenID provider of its own. */
import { buildSignIn } from '../../../src/people/sign-in/build-sign-in.ts';
import type { IdentityProviderInput } from '../../../src/people/sign-in/identity-provider-rules.ts';
import type { Mail } from '../../../src/people/mailer.ts';
import { silentLog } from '../../../src/core/log.ts';
import type { SignUp } from '../../../src/core/environment.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { machine, makeOrganization, peopleServices } from '../people-support.ts';
import { FakeOpenId } from './fake-openid.ts';

export const ISSUER = 'https://login.acme.example';

/** The provider of the organization Acme. */
export const PROVIDER: IdentityProviderInput = {
  issuer: ISSUER,
  client_id: 'gatehouse',
  client_secret: 'secret1',
  domains: ['acme.example'],
};

export const BROWSER = 'b'.repeat(43);

/** @param options.hasMail whether there is a mail server; without one codes are in the log */
export async function signInServices(
  database: Database,
  options: { signUp?: SignUp; hasMail?: boolean } = {},
) {
  const services = await peopleServices(database, options);
  const { db, vault, clock, environments, sessions } = services;
  const openId = new FakeOpenId(ISSUER);
  const mails: Mail[] = [];
  const publicHosts: string[] = [];
  const mailer = {
    isFailing: false,
    send: async (mail: Mail) => {
      mails.push(mail);
      return !mailer.isFailing;
    },
  };
  return {
    ...services,
    openId,
    mails,
    /** What was asked for over the way out to public addresses. */
    publicHosts,
    mailer,
    ...buildSignIn({
      db,
      clock,
      vault,
      environments,
      sessions,
      log: silentLog,
      mailer: options.hasMail === false ? undefined : mailer,
      sender: { totalTimeoutMs: 30_000, send: (request) => openId.send(request) },
      publicSender: {
        send: async (request) => {
          publicHosts.push(`${request.url.host}${request.url.pathname}`);
          return openId.send(request);
        },
      },
    }),
    providers: services.organizationProviders,
  };
}

export type SignInServices = Awaited<ReturnType<typeof signInServices>>;

/** The organization Acme, owned by root@example.test, with its provider. @returns its id */
export async function acme(
  services: SignInServices,
  change: Partial<IdentityProviderInput> = {},
): Promise<string> {
  const { id } = await makeOrganization(services, 'Acme', 'root');
  await services.providers.put(machine, id, { ...PROVIDER, ...change });
  return id;
}
