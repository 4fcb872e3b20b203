/** Signing in over a database: services of people, codes, and an organization with an OpenID provider of its own. */
import { EmailCodes } from '../../../src/people/sign-in/email-codes.ts';
import { IdentityProviders } from '../../../src/people/sign-in/identity-providers.ts';
import type { IdentityProviderInput } from '../../../src/people/sign-in/identity-provider-rules.ts';
import { SignIn } from '../../../src/people/sign-in/people-sign-in.ts';
import { IdentityProviderSignIn } from '../../../src/people/sign-in/identity-provider-sign-in.ts';
import type { Mail } from '../../../src/people/mailer.ts';
import { silentLog } from '../../../src/core/log.ts';
import type { SignUp } from '../../../src/core/environment.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { testVault } from '../../authorization-server/identity-support.ts';
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
  const { db, clock, environments, sessions } = services;
  const vault = testVault();
  const openId = new FakeOpenId(ISSUER);
  const mails: Mail[] = [];
  const mailer = {
    isFailing: false,
    send: async (mail: Mail) => {
      mails.push(mail);
      return !mailer.isFailing;
    },
  };
  return {
    ...services,
    vault,
    openId,
    mails,
    mailer,
    codes: new EmailCodes({
      db,
      clock,
      environments,
      log: silentLog,
      key: vault.derive('email-code'),
      mailer: options.hasMail === false ? undefined : mailer,
    }),
    providers: new IdentityProviders({
      db,
      clock,
      vault,
      environments,
      isReachable: (url) => url.protocol === 'https:',
    }),
    providerSignIn: new IdentityProviderSignIn({
      db,
      clock,
      vault,
      environments,
      sender: { totalTimeoutMs: 30_000, send: (request) => openId.send(request) },
    }),
    people: new SignIn({ db, clock, sessions }),
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
