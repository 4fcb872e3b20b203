/** `gatehouse users`: people, the organizations they are in, and who of them is an operator. */
import { Command } from 'commander';
import { NO_VISITOR, type Caller } from '../../core/caller.ts';
import type { Admin } from '../terminal/app.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { CommandFailed, UsageError } from '../terminal/failure.ts';
import {
  addCommonOptions,
  addJsonOption,
  positiveInteger,
  withAdmin,
  type CommonOptions,
} from '../terminal/options.ts';
import { printFields, printJson, printList } from '../terminal/output.ts';
import { say, type Terminal } from '../terminal/terminal.ts';

type User = Awaited<ReturnType<Admin['users']['get']>>;

interface NameOptions extends CommonOptions {
  givenName?: string;
  familyName?: string;
  operator?: boolean;
}

interface CreateOptions extends NameOptions {
  email: string;
  organization?: string;
  role?: string;
}

/** The command `users` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('users')
    .description(
      'Manages the people who sign in here. There are no passwords: a code by e-mail proves who they are.',
    )
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(createUserCommand(terminal))
    .addCommand(updateCommand(terminal))
    .addCommand(deleteCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list')
    .description('Lists users, newest first.')
    .option('--email <address>', 'with this address only')
    .option('--page-size <number>', '1 to 100', positiveInteger)
    .option('--page-token <token>', 'the page that the last one pointed to');
  addJsonOption(addCommonOptions(command)).addHelpText('after', '\nExample:\n  gatehouse users list');
  return command.action(
    async (options: CommonOptions & { email?: string; pageSize?: number; pageToken?: string }) =>
      withAdmin(terminal, options, async (admin, caller) => {
        const { email, pageSize, pageToken } = options;
        if (pageSize !== undefined && pageSize > 100) throw new UsageError('--page-size is at most 100.');
        const page = await admin.users.list(caller, { email }, { pageSize, pageToken });
        printList(terminal, {
          json: options.json === true,
          answer: page,
          rows: page.users.map(shown),
          columns: ['id', 'email', 'given_name', 'family_name', 'is_operator', 'memberships'],
          empty: 'No user matches, or there is none yet: "gatehouse users create" makes one.',
        });
        if (options.json !== true && page.next_page_token !== '')
          say(terminal, `${page.total_size} in all. Next page: --page-token ${page.next_page_token}`);
      }),
  );
}

function showCommand(terminal: Terminal): Command {
  const command = withUser(new Command('show').description('Shows a user with their organizations.'));
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse users show ada@example.test',
  );
  return command.action(async (user: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) =>
      printUser(terminal, options, await findUser(admin, caller, user)),
    ),
  );
}

function createUserCommand(terminal: Terminal): Command {
  const command = withNames(new Command('create'))
    .description('Makes a user, who signs in with this address.')
    .requiredOption('--email <address>', 'the e-mail address')
    .option('--operator', 'may administer the environment')
    .option('--organization <name>', 'name or id; one that does not exist is made, and the user owns it')
    .option('--role <role>', 'in an organization that exists: member, admin or owner (default: member)');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse users create --email ada@example.test --operator --organization "Analytical Engines"',
  );
  return command.action(async (options: CreateOptions) =>
    withAdmin(terminal, options, async (admin, caller, settings) => {
      printUser(terminal, options, await createUser(admin, caller, options));
      const { isLocalOnly } = settings.environments.find(({ name }) => name === options.environment) ?? {};
      if (settings.smtp === undefined && isLocalOnly === false)
        say(
          terminal,
          'Warning: smtp is not set, so no codes can be sent: this user can sign in only with the OpenID provider of an organization. Set smtp (docs/operations.md).',
        );
    }),
  );
}

function updateCommand(terminal: Terminal): Command {
  const command = withNames(withUser(new Command('update')))
    .description('Changes what is given.')
    .option('--email <address>', 'a new address; it counts as not verified until the user signs in')
    .option('--operator', 'may administer the environment')
    .option('--no-operator', 'may not administer the environment any more');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse users update ada@example.test --operator',
  );
  return command.action(async (user: string, options: NameOptions & { email?: string }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { id } = await findUser(admin, caller, user);
      printUser(
        terminal,
        options,
        await admin.users.update(caller, id, {
          email: options.email,
          given_name: options.givenName,
          family_name: options.familyName,
          is_operator: options.operator,
        }),
      );
    }),
  );
}

function deleteCommand(terminal: Terminal): Command {
  const command = withUser(new Command('delete'))
    .description('Deletes a user. Their sessions end within 5 seconds; their connected accounts stay.')
    .option('--yes', 'do not ask');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse users delete ada@example.test',
  );
  return command.action(async (user: string, options: CommonOptions & { yes?: true }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { id, email } = await findUser(admin, caller, user);
      await deleteConfirmed(terminal, options, {
        question: `Delete the user ${email}?`,
        name: id,
        remove: async () => admin.users.remove(caller, id),
      });
    }),
  );
}

/** In an organization that exists as a member of it, else with a new one as its owner. */
async function createUser(admin: Admin, caller: Caller, options: CreateOptions): Promise<User> {
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

/** @throws CommandFailed when several have the name */
async function findOrganization(admin: Admin, caller: Caller, idOrName: string): Promise<string | undefined> {
  if (/^org_[0-9a-z]{26}$/.test(idOrName)) return (await admin.organizations.get(caller, idOrName)).id;
  const { organizations } = await admin.organizations.list(caller, { name: idOrName });
  if (organizations.length < 2) return organizations[0]?.id;
  const ids = organizations.map(({ id }) => id).join(', ');
  throw new CommandFailed(`Several organizations are called ${idOrName}: ${ids}. Give the id of one.`);
}

/** @throws CommandFailed for an address that nobody has; ServiceError RESOURCE_NOT_FOUND for an id */
async function findUser(admin: Admin, caller: Caller, idOrEmail: string): Promise<User> {
  if (!idOrEmail.includes('@')) return admin.users.get(caller, idOrEmail);
  const [found] = (await admin.users.list(caller, { email: idOrEmail })).users;
  if (found === undefined)
    throw new CommandFailed(`Nobody has the address ${idOrEmail}. "gatehouse users list" shows all.`);
  return found;
}

function withUser(command: Command): Command {
  return command.argument('<user>', 'usr_…, or the e-mail address');
}

function withNames(command: Command): Command {
  return command.option('--given-name <text>', 'for people').option('--family-name <text>', 'for people');
}

function printUser(terminal: Terminal, { json }: CommonOptions, user: User): void {
  if (json === true) printJson(terminal, user);
  else printFields(terminal, false, shown(user));
}

function shown(user: User): Record<string, unknown> {
  const memberships = user.memberships.map(({ organization_id, role }) => `${organization_id} (${role})`);
  return { ...user, memberships: memberships.join(', ') };
}
