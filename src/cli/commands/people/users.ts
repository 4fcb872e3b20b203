/** `gatehouse users`: people, the organizations they are in, and the operators among them. */
import { NO_VISITOR, type Caller } from '../../../core/caller.ts';
import type { Admin } from '../../terminal/app.ts';
import { deleteConfirmed } from '../../terminal/ask.ts';
import { adminCommand, commandGroup } from '../../terminal/command.ts';
import { UsageError } from '../../terminal/failure.ts';
import { findOrganization, findUser, type User } from '../../terminal/find-people.ts';
import { PAGE_OPTIONS, pageOf, YES_OPTION, type OptionValues } from '../../terminal/options.ts';
import type { Output } from '../../terminal/output.ts';

const USER = { user: 'usr_…, or the e-mail address' };

const NAME_OPTIONS = { '--given-name <text>': 'for people', '--family-name <text>': 'for people' };

const CREATE_OPTIONS = {
  ...NAME_OPTIONS,
  '--email <address>': { about: 'the e-mail address', required: true },
  '--operator': 'may administer the environment',
  '--organization <name>': 'name or id; a new name creates an organization that the user owns',
  '--role <role>': 'in an organization that exists: member, admin or owner (default: member)',
} as const;

const NO_OPERATOR =
  'Warning: this was the last operator, and nobody administers this environment now. "gatehouse users sign-in-link" makes a link for its first operator.';

const list = adminCommand({
  name: 'list',
  description: 'Lists users, newest first.',
  options: { '--email <address>': 'with this address only', ...PAGE_OPTIONS },
  example: 'gatehouse users list',
  run: async ({ admin, caller, options, out }) => {
    const page = await admin.users.list(caller, { email: options.email }, pageOf(options));
    out.list({
      answer: page,
      rows: page.users.map(shown),
      columns: ['id', 'email', 'given_name', 'family_name', 'is_operator', 'memberships'],
      empty: 'No user matches, or there is none yet: "gatehouse users create" creates one.',
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
  description: 'Creates a user, who signs in with this address.',
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
    '--no-operator': 'may no longer administer the environment',
  },
  example: 'gatehouse users update ada@example.test --operator',
  run: async ({ admin, caller, args, options: { email, givenName, familyName, operator }, out }) => {
    const user = await findUser(admin, caller, args.user);
    const isLast = operator === false && (await admin.users.isLastOperator(caller, user));
    const change = { email, given_name: givenName, family_name: familyName, is_operator: operator };
    printUser(out, await admin.users.update(caller, user.id, change));
    if (isLast) out.say(NO_OPERATOR);
  },
});

const remove = adminCommand({
  name: 'delete',
  description: 'Deletes a user. Their sessions end within 5 seconds; their connected accounts stay.',
  args: USER,
  options: YES_OPTION,
  example: 'gatehouse users delete ada@example.test',
  run: async (context) => {
    const { admin, caller, args, out } = context;
    const user = await findUser(admin, caller, args.user);
    const isLast = await admin.users.isLastOperator(caller, user);
    await deleteConfirmed(context, {
      question: `Delete the user ${user.email}?`,
      name: user.id,
      remove: async () => admin.users.remove(caller, user.id),
    });
    if (isLast) out.say(NO_OPERATOR);
  },
});

const unbind = adminCommand({
  name: 'unbind',
  description:
    'Forgets who a user is at identity providers. Their sessions end, and the next sign-in with their address is bound.',
  args: USER,
  example: 'gatehouse users unbind ada@example.test',
  run: async ({ admin, caller, args, out }) => {
    const { id, email } = await findUser(admin, caller, args.user);
    await admin.users.unbind(caller, id);
    if (out.isJson) out.json({});
    else
      out.say(
        `Unbound ${email}. Their sessions have ended, and the next sign-in with this address is bound.`,
      );
  },
});

const signInLink = adminCommand({
  name: 'sign-in-link',
  description:
    'Prints a link that signs an operator in, without mail. Without an address it makes the first operator of the environment. ' +
    'It works for 15 minutes and once, and ends the link before.',
  args: { 'email?': 'of an operator (default: the link makes the first operator)' },
  example: ['gatehouse users sign-in-link', 'gatehouse users sign-in-link ada@example.test'],
  run: async ({ admin, caller, args, out }) => {
    const userId = args.email === undefined ? undefined : (await findUser(admin, caller, args.email)).id;
    const link = await admin.operatorLink(caller.environmentId, userId);
    if (out.isJson) out.json({ link });
    else out.print(link);
  },
});

/** The command `users` with its subcommands. */
export const usersCommand = commandGroup({
  name: 'users',
  description:
    'Manages the people who sign in here. There are no passwords: a code by e-mail proves who they are.',
  commands: [list, show, create, update, remove, unbind, signInLink],
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
      `There is no organization ${organization} yet. The user will own the new one: leave --role out.`,
    );
  const { user } = await admin.organizations.create(caller, { name: organization, user: person }, NO_VISITOR);
  return operator === true
    ? admin.users.update(caller, user.id, { is_operator: true })
    : admin.users.get(caller, user.id);
}

function printUser(out: Output, user: User): void {
  out.fields(out.isJson ? user : shown(user));
}

function shown(user: User) {
  const memberships = user.memberships.map(({ organization_id, role }) => `${organization_id} (${role})`);
  return { ...user, memberships: memberships.join(', ') };
}
