/** People, their organizations and sessions, over an open installation. */
import { ApiSessions } from '../../authorization-server/api-sessions.ts';
import { InvitationLinks } from '../../people/invitation-links.ts';
import { Invitations } from '../../people/invitations.ts';
import { Members } from '../../people/members.ts';
import { Organizations } from '../../people/organizations.ts';
import { Users } from '../../people/users.ts';
import { IdentityProviders } from '../../people/sign-in/identity-providers.ts';
import type { Identity } from './build-identity.ts';
import type { Services } from '../services/services.ts';

/** What pages, REST and commands do with people. */
export interface People {
  users: Users;
  organizations: Organizations;
  members: Members;
  invitations: Invitations;
  invitationLinks: InvitationLinks;
  apiSessions: ApiSessions;
  organizationProviders: IdentityProviders;
}

/** Builds them; loaded where the first of them is used. */
export function buildPeople(
  { db, clock, policy, environments, pageTokens, vault, outbound }: Services,
  {
    sessions,
    personTokens,
    mailer,
    authorizationServer: { consents },
  }: Pick<Identity, 'sessions' | 'personTokens' | 'mailer' | 'authorizationServer'>,
): People {
  const base = { db, clock, policy, environments, pageTokens };
  return {
    users: new Users(base),
    organizations: new Organizations(base),
    members: new Members(base),
    invitations: new Invitations({ ...base, mailer }),
    invitationLinks: new InvitationLinks(base),
    organizationProviders: new IdentityProviders({
      ...base,
      vault,
      isReachable: outbound.isReachable,
    }),
    apiSessions: new ApiSessions({ ...base, sessions, tokens: personTokens, consents }),
  };
}
