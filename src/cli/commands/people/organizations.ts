/** `gatehouse organizations`: organizations, their members and their invitations. */
import { NO_VISITOR } from '../../../core/caller.ts';
import { deleteConfirmed } from '../../terminal/ask.ts';
import { adminCommand, commandGroup, type Operator } from '../../terminal/command.ts';
import { CommandFailed } from '../../terminal/failure.ts';
import { PAGE_OPTIONS, pageOf, YES_OPTION } from '../../terminal/options.ts';
import { findOrganization, findUser } from '../../terminal/find-people.ts';

const ORGANIZATION = { organization: 'id or name' };

const MEMBER = { ...ORGANIZATION, user: 'usr_…, or the e-mail address' };

const list = adminCommand({
  name: 'list',
  description: 'Lists organizations, newest first.',
  options: { '--name <text>': 'with this name only', ...PAGE_OPTIONS },
  example: 'gatehouse organizations list',
  run: async ({ admin, caller, options, out }) => {
    const page = await admin.organizations.list(caller, { name: options.name }, pageOf(options));
    out.list({
      answer: page,
      rows: page.organizations,
      columns: ['id', 'name', 'created_at'],
      empty: 'No organization matches, or there is none yet: "gatehouse organizations create" creates one.',
    });
    out.nextPage(page);
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows an organization.',
  args: ORGANIZATION,
  example: 'gatehouse organizations show "Analytical Engines"',
  run: async ({ args, out, ...operator }) => {
    const id = await named(operator, args.organization);
    out.fields(await operator.admin.organizations.get(operator.caller, id));
  },
});

const create = adminCommand({
  name: 'create',
  description: 'Makes an organization with its first user, who owns it.',
  options: {
    '--name <text>': { about: 'for people', required: true },
    '--owner <address>': { about: 'e-mail address of the owner', required: true },
  },
  example: 'gatehouse organizations create --name "Analytical Engines" --owner ada@example.test',
  run: async ({ admin, caller, options: { name, owner }, out }) => {
    const made = await admin.organizations.create(caller, { name, user: { email: owner } }, NO_VISITOR);
    if (out.isJson) return out.json(made);
    out.fields({ ...made.organization, owner: made.user.email });
  },
});

const update = adminCommand({
  name: 'update',
  description: 'Renames an organization.',
  args: ORGANIZATION,
  options: { '--name <text>': { about: 'the new name', required: true } },
  example: 'gatehouse organizations update "Analytical Engines" --name "Difference Engines"',
  run: async ({ args, options, out, ...operator }) => {
    const id = await named(operator, args.organization);
    out.fields(await operator.admin.organizations.update(operator.caller, id, options));
  },
});

const remove = adminCommand({
  name: 'delete',
  description:
    'Deletes an organization with its memberships and invitations. Its users and connected accounts stay.',
  args: ORGANIZATION,
  options: YES_OPTION,
  example: 'gatehouse organizations delete "Analytical Engines"',
  run: async (context) => {
    const { admin, caller, args } = context;
    const id = await named(context, args.organization);
    await deleteConfirmed(context, {
      question: `Delete the organization ${args.organization}?`,
      name: id,
      remove: async () => admin.organizations.remove(caller, id),
    });
  },
});

const members = adminCommand({
  name: 'members',
  description: 'Lists the members of an organization, newest first.',
  args: ORGANIZATION,
  options: PAGE_OPTIONS,
  example: 'gatehouse organizations members "Analytical Engines"',
  run: async ({ args, options, out, ...operator }) => {
    const id = await named(operator, args.organization);
    const page = await operator.admin.members.list(operator.caller, id, pageOf(options));
    out.list({
      answer: page,
      rows: page.members,
      columns: ['user_id', 'email', 'given_name', 'family_name', 'role', 'created_at'],
      empty: 'This organization has no members.',
    });
    out.nextPage(page);
  },
});

const setRole = adminCommand({
  name: 'set-role',
  description: 'Gives a member another role.',
  args: { ...MEMBER, role: 'member, admin or owner' },
  example: 'gatehouse organizations set-role "Analytical Engines" ada@example.test admin',
  run: async ({ args, out, ...operator }) => {
    const key = await memberKey(operator, args);
    out.fields(await operator.admin.members.setRole(operator.caller, key, args.role));
  },
});

const removeMember = adminCommand({
  name: 'remove-member',
  description: 'Takes a user out of an organization and ends their sessions in it.',
  args: MEMBER,
  options: YES_OPTION,
  example: 'gatehouse organizations remove-member "Analytical Engines" ada@example.test',
  run: async (context) => {
    const { admin, caller, args } = context;
    const key = await memberKey(context, args);
    await deleteConfirmed(context, {
      question: `Take ${args.user} out of ${args.organization}?`,
      name: `${args.user} from ${args.organization}`,
      remove: async () => admin.members.remove(caller, key),
    });
  },
});

const invite = adminCommand({
  name: 'invite',
  description: 'Invites somebody. Without a mail server the link is printed: give it to the person.',
  args: { ...ORGANIZATION, address: 'e-mail address of the person' },
  options: { '--role <role>': { about: 'member, admin or owner', fallback: 'member' } },
  example: 'gatehouse organizations invite "Analytical Engines" charles@example.test --role admin',
  run: async (context) => {
    const { admin, caller, settings, args, options, out } = context;
    const { role, environment } = options;
    const id = await named(context, args.organization);
    const input = { email: args.address, role };
    const made = await admin.invitations.create(caller, id, input, NO_VISITOR);
    out.fields(made);
    const { signUp } = settings.environments.find(({ name }) => name === environment) ?? {};
    if (signUp === 'closed' && (await admin.users.list(caller, { email: made.email })).total_size === 0)
      out.say(
        `Warning: nobody has the address ${made.email} yet, and with sign_up: closed only people who are known here accept. "gatehouse users create --email ${made.email}" makes the user.`,
      );
  },
});

const invitations = adminCommand({
  name: 'invitations',
  description: 'Lists the invitations to an organization, newest first.',
  args: ORGANIZATION,
  options: PAGE_OPTIONS,
  example: 'gatehouse organizations invitations "Analytical Engines"',
  run: async ({ args, options, out, ...operator }) => {
    const id = await named(operator, args.organization);
    const page = await operator.admin.invitations.list(operator.caller, id, pageOf(options));
    out.list({
      answer: page,
      rows: page.invitations,
      columns: ['id', 'email', 'role', 'status', 'invited_by', 'created_at', 'expiry'],
      empty: 'Nobody was invited yet.',
    });
    out.nextPage(page);
  },
});

const revokeInvitation = adminCommand({
  name: 'revoke-invitation',
  description: 'Takes an invitation back.',
  args: { ...ORGANIZATION, invitation: 'inv_…' },
  example: 'gatehouse organizations revoke-invitation "Analytical Engines" inv_01k9',
  run: async ({ args, out, ...operator }) => {
    const id = await named(operator, args.organization);
    await operator.admin.invitations.revoke(operator.caller, id, args.invitation);
    if (out.isJson) out.json({});
    else out.say(`Took ${args.invitation} back.`);
  },
});

/** The command `organizations` with its subcommands. */
export const organizationsCommand = commandGroup({
  name: 'organizations',
  description: 'Manages organizations, their members and their invitations.',
  commands: [
    list,
    show,
    create,
    update,
    remove,
    members,
    setRole,
    removeMember,
    invite,
    invitations,
    revokeInvitation,
  ],
});

/** @returns the id of an organization; @throws CommandFailed for an unknown name, or one that several have */
async function named({ admin, caller }: Operator, idOrName: string): Promise<string> {
  const id = await findOrganization(admin, caller, idOrName);
  if (id !== undefined) return id;
  throw new CommandFailed(`There is no organization ${idOrName}. "gatehouse organizations list" shows all.`);
}

async function memberKey(operator: Operator, args: { organization: string; user: string }) {
  const { admin, caller } = operator;
  const organizationId = await named(operator, args.organization);
  return { organizationId, userId: (await findUser(admin, caller, args.user)).id };
}
