/** Finds users and organizations by what people call them: an e-mail address, a name, or the id. */
import type { Caller } from '../../core/caller.ts';
import type { Admin } from './app.ts';
import { CommandFailed } from './failure.ts';

/** A user with their organizations, as `admin.users` shows them. */
export type User = Awaited<ReturnType<Admin['users']['get']>>;

/**
 * Finds an organization by its id or its name.
 *
 * @returns its id; `undefined` if no organization has the name
 * @throws CommandFailed if several have the name; ServiceError RESOURCE_NOT_FOUND for an unknown id
 */
export async function findOrganization(
  admin: Admin,
  caller: Caller,
  idOrName: string,
): Promise<string | undefined> {
  if (/^org_[0-9a-z]{26}$/.test(idOrName)) return (await admin.organizations.get(caller, idOrName)).id;
  const { organizations } = await admin.organizations.list(caller, { name: idOrName });
  if (organizations.length < 2) return organizations[0]?.id;
  const ids = organizations.map(({ id }) => id).join(', ');
  throw new CommandFailed(`Several organizations are called ${idOrName}: ${ids}. Give the id of one.`);
}

/**
 * Finds a user by id or e-mail address.
 *
 * @throws CommandFailed for an unknown address; ServiceError RESOURCE_NOT_FOUND for an unknown id
 */
export async function findUser(admin: Admin, caller: Caller, idOrEmail: string): Promise<User> {
  if (!idOrEmail.includes('@')) return admin.users.get(caller, idOrEmail);
  const [found] = (await admin.users.list(caller, { email: idOrEmail })).users;
  if (found === undefined)
    throw new CommandFailed(`Nobody has the address ${idOrEmail}. "gatehouse users list" shows all.`);
  return found;
}
