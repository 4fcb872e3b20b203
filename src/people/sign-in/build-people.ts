/** Services for users and their organizations. */
import type { Clock } from '../../core/clock.ts';
import type { Environments } from '../../core/environment.ts';
import type { PageTokens } from '../../core/page-token.ts';
import type { Policy } from '../../interceptors/policy.ts';
import type { Database } from '../../store/engine/database.ts';
import type { Vault } from '../../vault/vault.ts';
import { InvitationLinks } from '../invitation-links.ts';
import { Invitations } from '../invitations.ts';
import type { Mailer } from '../mailer.ts';
import { Members } from '../members.ts';
import { Organizations } from '../organizations.ts';
import { Users } from '../users.ts';
import { IdentityProviders } from './identity-providers.ts';
import { OperatorLinks } from './operator-links.ts';

/** Builds the services that pages, REST and commands use. @param base.mailer `undefined` without a mail server */
export function buildPeople(base: {
  db: Database;
  vault: Pick<Vault, 'seal'>;
  clock: Clock;
  policy: Policy;
  environments: Environments;
  pageTokens: PageTokens;
  isReachable: (url: URL) => boolean;
  isPublic: (url: URL) => boolean;
  mailer: Pick<Mailer, 'send'> | undefined;
}) {
  return {
    users: new Users(base),
    organizations: new Organizations(base),
    members: new Members(base),
    invitations: new Invitations(base),
    invitationLinks: new InvitationLinks(base),
    operatorLinks: new OperatorLinks(base),
    organizationProviders: new IdentityProviders(base),
  };
}
