/** The ways to sign in: a code by e-mail, or the OpenID provider of an organization. */
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { Log } from '../../core/log.ts';
import type { Sender } from '../../outbound/provider-client.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Mailer } from '../mailer.ts';
import type { Sessions } from '../sessions.ts';
import { EmailCodes } from './email-codes.ts';
import { IdentityProviderSignIn } from './identity-provider-sign-in.ts';
import { SignIn } from './people-sign-in.ts';

/** Builds them. @param base.mailer `undefined` if codes go to the log */
export function buildSignIn(base: {
  db: Database;
  vault: Vault;
  clock: Clock;
  log: Log;
  environments: Environments;
  sessions: Sessions;
  mailer: Pick<Mailer, 'send' | 'isFailing'> | undefined;
  sender: Sender;
  publicSender: Pick<Sender, 'send'>;
}) {
  return {
    people: new SignIn(base),
    codes: new EmailCodes({ ...base, key: base.vault.derive('email-code') }),
    providerSignIn: new IdentityProviderSignIn(base),
  };
}
