/** Names for ids of people and organizations, read at once for all rows of a list. */
import type { DashboardDependencies } from './dependencies.ts';
import type { Viewer } from '../frame/dashboard-context.ts';

/** A person or an organization with a name, and a page if the viewer may see one. */
export interface Named {
  name: string;
  detail: string;
  /** Path of its page; absent if the viewer has no page for it. */
  href?: string;
}

/** Services that find names. */
export type NameServices = Pick<DashboardDependencies, 'users' | 'organizations' | 'members'>;

/** Prefixes of ids of our own people and organizations. Applications may use other ids for their users. */
const USER = /^usr_/;
const ORGANIZATION = /^org_/;

/**
 * The names of users and organizations that exist. Owners and admins get the names of their members only.
 *
 * @param ids any texts; those that are not ids of users or organizations are ignored
 */
export async function namesOf(
  services: NameServices,
  viewer: Viewer,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, Named>> {
  const different = [...new Set(ids)];
  const users = different.filter((id) => USER.test(id));
  const organizations = different.filter((id) => ORGANIZATION.test(id));
  const [people, companies] = await Promise.all([
    viewer.isOperator ? allUsers(services, viewer, users) : ownMembers(services, viewer, users),
    services.organizations.listByIds(viewer.caller, organizations),
  ]);
  return new Map<string, Named>([
    ...people,
    ...companies.map(
      ({ id, name }) => [id, { name, detail: id, href: `/dashboard/organizations/${id}` }] as const,
    ),
  ]);
}

async function allUsers(
  { users }: NameServices,
  { caller }: Viewer,
  ids: readonly string[],
): Promise<(readonly [string, Named])[]> {
  return (await users.listByIds(caller, ids)).map(
    (user) => [user.id, { ...personName(user), href: `/dashboard/users/${user.id}` }] as const,
  );
}

async function ownMembers(
  { members }: NameServices,
  { caller, organization }: Viewer,
  ids: readonly string[],
): Promise<(readonly [string, Named])[]> {
  if (organization === undefined) return [];
  return (await members.listByIds(caller, organization.id, ids)).map(
    (member) => [member.user_id, personName(member)] as const,
  );
}

/** A person's name with their address below, or only the address. */
export function personName(person: { email: string; given_name: string; family_name: string }): {
  name: string;
  detail: string;
} {
  const name = `${person.given_name} ${person.family_name}`.trim();
  return name === '' ? { name: person.email, detail: '' } : { name, detail: person.email };
}
