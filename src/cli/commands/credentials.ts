/** `gatehouse credentials`: API credentials of backends and remote agents. */
import { SCOPES } from '../../core/caller.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { adminCommand, commandGroup, type Operator } from '../terminal/command.ts';
import { withHint, type Listed } from '../terminal/did-you-mean.ts';
import { commaList, YES_OPTION } from '../terminal/options.ts';

const CREDENTIAL = { id: 'cred_…' };

/** Scopes that a backend usually needs. More have to be named, so that nobody grants everything by accident. */
const USUAL_SCOPES = ['accounts:write', 'tools:execute'];

const LISTED: Listed = {
  command: 'credentials list',
  known: async ({ admin, caller }) => admin.credentials.list(caller.environmentId),
  takes: 'id',
};

const list = adminCommand({
  name: 'list',
  description: 'Lists credentials, without their secrets.',
  example: 'gatehouse credentials list',
  run: async ({ admin, caller, out }) => {
    const credentials = await admin.credentials.list(caller.environmentId);
    out.list({
      answer: { credentials },
      rows: credentials.map((credential) => ({ ...credential, scopes: credential.scopes.join(' ') })),
      columns: ['id', 'name', 'client_id', 'organization_id', 'scopes', 'created_at', 'last_used_at'],
      empty: 'There is no credential. "gatehouse credentials create --name NAME" creates one.',
    });
  },
});

const show = adminCommand({
  name: 'show',
  description: 'Shows a credential, without its secret.',
  args: CREDENTIAL,
  example: 'gatehouse credentials show cred_01k9',
  run: async ({ args, out, ...operator }) => out.fields(await found(operator, args.id)),
});

const create = adminCommand({
  name: 'create',
  description: 'Creates a credential and prints its client id and secret. The secret cannot be shown again.',
  options: {
    '--name <text>': { about: 'what it is for', required: true },
    '--scopes <words>': {
      about: `what it may do, separated by commas: ${SCOPES.join(', ')} (default: ${USUAL_SCOPES.join(',')})`,
      parse: commaList,
    },
    '--organization <id>': 'limit it to the accounts of one organization',
  },
  example: 'gatehouse credentials create --name backend --scopes tools:execute,accounts:read',
  run: async ({ admin, caller, options: { name, scopes, organization }, out }) => {
    const { credential } = await admin.credentials.create(caller, {
      name,
      scopes: scopes ?? USUAL_SCOPES,
      organization_id: organization,
    });
    out.fields(credential);
    if (scopes === undefined)
      out.say(`It has the scopes ${USUAL_SCOPES.join(' ')}. Name others with --scopes.`);
    if (organization !== undefined) {
      const { organizations } = await admin.organizations.list(caller, { name: organization });
      const meant = organizations.map(({ id }) => id).join(', ');
      if (meant !== '')
        out.say(
          `Warning: --organization takes an id, so this credential is bound to the id ${organization}. The organization with this name has the id ${meant}.`,
        );
    }
    out.say('Keep the client secret now: it is stored as a hash and cannot be shown again.');
  },
});

const rotate = adminCommand({
  name: 'rotate',
  description:
    'Gives a credential a further secret and prints it. The previous ones keep working for 24 hours.',
  args: CREDENTIAL,
  example: 'gatehouse credentials rotate cred_01k9',
  run: async ({ args: { id }, out, ...operator }) => {
    const { admin, caller } = operator;
    const { credential, previous_until } = await withHint(operator, id, LISTED, async () =>
      admin.credentials.rotate(caller, id),
    );
    out.fields({ ...credential, previous_until });
  },
});

const remove = adminCommand({
  name: 'delete',
  description: 'Deletes a credential. Its tokens are refused within 5 seconds.',
  args: CREDENTIAL,
  options: YES_OPTION,
  example: 'gatehouse credentials delete cred_01k9',
  run: async (context) => {
    const { admin, caller, args } = context;
    const { name } = await found(context, args.id);
    await deleteConfirmed(context, {
      question: `Delete the credential "${name}"?`,
      name: args.id,
      remove: async () => admin.credentials.remove(caller, args.id),
    });
  },
});

/** The command `credentials` with its subcommands. */
export const credentialsCommand = commandGroup({
  name: 'credentials',
  description: 'Manages API credentials: client id and secret for the token endpoint.',
  commands: [list, show, create, rotate, remove],
});

/** Finds a credential by its id. @throws ServiceError RESOURCE_NOT_FOUND; if a name was given, with the id that has it */
async function found(operator: Operator, id: string) {
  const { admin, caller } = operator;
  return withHint(operator, id, LISTED, async () => admin.credentials.get(caller.environmentId, id));
}
