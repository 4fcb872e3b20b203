/** `gatehouse users`: people, the organizations they are in, and the operators among them. */
import { NO_VISITOR, type Caller } from '../../core/caller.ts';
import type { Admin } from '../terminal/app.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { adminCommand, commandGroup } from '../terminal/command.ts';
import { CommandFailed, UsageError } from '../terminal/failure.ts';
import { PAGE_OPTIONS, YES_OPTION, type OptionValues } from '../terminal/options.ts';
import type { Output } from '../terminal/output.ts';

type User = Awaited<ReturnType<Admin['users']['get']>>;

const USER = { user: 'usr_…, or the e-mail address' };

const NAME_OPTIONS = { '--given-name <text>': 'for people', '--family-name <text>': 'for people' };

const CREATE_OPTIONS = {
  ...NAME_OPTIONS,
  '--email <address>': { about: 'the e-mail address', required: true },
  '--operator': 'may administer the environment',
  '--organization <name>': 'name or id; one that does not exist is made, and the user owns it',
  '--role <role>': 'in an organization that exists: member, admin or owner (default: member)',
} as const;

const list = adminCommand({
  name: 'list',
  description: 'Lists users, newest first.',
  options: { '--email <address>': 'with this address only', ...PAGE_OPTIONS },
  example: 'gatehouse users list',
  run: async ({ admin, caller, options: { email, pageSize, pageToken }, out }) => {
    if (pageSize !== undefined && pageSize > 100) throw new UsageError('--page-size is at most 100.');
    const page = await admin.users.list(caller, { email }, { pageSize, pageToken });
    out.list({
      answer: page,
      rows: page.users.map(shown),
      columns: ['id', 'email', 'given_name', 'family_name', 'is_operator', 'memberships'],
      empty: 'No user matches, or there is none yet: "gatehouse users create" makes one.',
    });
    out.nextPage(page);
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows a user with their organizations.',
  args: USER,
  example: 'gatehouse users show ada@example.test',
  run: async ({ admin, caller, args, out }) => printUser(out, await findUser(admin, caller, args.user)),
});

const create = adminCommand({
  name: 'create',
  description: 'Makes a user, who signs in with this address.',
  options: CREATE_OPTIONS,
  example: 'gatehouse users create --email ada@example.test --operator --organization "Analytical Engines"',
  run: async ({ admin, caller, settings, options, out }) => {
    printUser(out, await createUser(admin, caller, options));
    const { isLocalOnly } = settings.environments.find(({ name }) => name === options.environment) ?? {};
    if (settings.smtp === undefined && isLocalOnly === false)
      out.say(
        'Warning: smtp is not set, so no codes can be sent: this user can sign in only with the OpenID provider of an organization. Set smtp (docs/operations.md).',
      );
  },
});

const update = adminCommand({
  name: 'update',
  description: 'Changes what is given.',
  args: USER,
  options: {
    ...NAME_OPTIONS,
    '--email <address>': 'a new address; it counts as not verified until the user signs in',
    '--operator': 'may administer the environment',
    '--no-operator': 'may not administer the environment any more',
  },
  example: 'gatehouse users update ada@example.test --operator',
  run: async ({ admin, caller, args, options: { email, givenName, familyName, operator }, out }) => {
    const { id } = await findUser(admin, caller, args.user);
    const change = { email, given_name: givenName, family_name: familyName, is_operator: operator };
    printUser(out, await admin.users.update(caller, id, change));
  },
});

const remove = adminCommand({
  name: 'delete',
  description: 'Deletes a user. Their sessions end within 5 seconds; their connected accounts stay.',
  args: USER,
  options: YES_OPTION,
  example: 'gatehouse users delete ada@example.test',
  run: async (context) => {
    const { admin, caller, args } = context;
    const { id, email } = await findUser(admin, caller, args.user);
    await deleteConfirmed(context, {
      question: `Delete the user ${email}?`,
      name: id,
      remove: async () => admin.users.remove(caller, id),
    });
  },
});

/** The command `users` with its subcommands. */
export const usersCommand = commandGroup({
  name: 'users',
  description:
    'Manages the people who sign in here. There are no passwords: a code by e-mail proves who they are.',
  commands: [list, show, create, update, remove],
});

/** Makes a user: without an organization, as a member of an existing one, or as the owner of a new one. */
async function createUser(
  admin: Admin,
  caller: Caller,
  options: OptionValues<typeof CREATE_OPTIONS>,
): Promise<User> {
  const { email, givenName, familyName, operator, organization, role } = options;
  const person = { email, given_name: givenName, family_name: familyName };
  const organizationId =
    organization === undefined ? undefined : await findOrganization(admin, caller, organization);
  if (organization === undefined || organizationId !== undefined) {
    if (organization === undefined && role !== undefined)
      throw new UsageError('--role says what the user is in an organization: give --organization, too.');
    return admin.users.create(caller, {
      ...person,
      role,
      is_operator: operator,
      organization_id: organizationId,
    });
  }
  if (role !== undefined && role !== 'owner')
    throw new UsageError(
      `There is no organization ${organization} yet. Who makes it owns it: leave --role out.`,
    );
  const { user } = await admin.organizations.create(caller, { name: organization, user: person }, NO_VISITOR);
  return operator === true
    ? admin.users.update(caller, user.id, { is_operator: true })
    : admin.users.get(caller, user.id);
}

/**
 * Finds an organization by its id or its name.
 *
 * @returns its id; `undefined` if no organization has the name
 * @throws CommandFailed if several have the name
 */
async function findOrganization(admin: Admin, caller: Caller, idOrName: string): Promise<string | undefined> {
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
async function findUser(admin: Admin, caller: Caller, idOrEmail: string): Promise<User> {
  if (!idOrEmail.includes('@')) return admin.users.get(caller, idOrEmail);
  const [found] = (await admin.users.list(caller, { email: idOrEmail })).users;
  if (found === undefined)
    throw new CommandFailed(`Nobody has the address ${idOrEmail}. "gatehouse users list" shows all.`);
  return found;
}

function printUser(out: Output, user: User): void {
  out.fields(out.isJson ? user : shown(user));
}

function shown(user: User) {
  const memberships = user.memberships.map(({ organization_id, role }) => `${organization_id} (${role})`);
  return { ...user, memberships: memberships.join(', ') };
}
