/** `gatehouse credentials`: API credentials of backends and remote agents. */
import { Command } from 'commander';
import { SCOPES, type Caller } from '../../core/caller.ts';
import type { Admin } from '../terminal/app.ts';
import { deleteConfirmed } from '../terminal/ask.ts';
import { withHint } from '../terminal/did-you-mean.ts';
import {
  addCommonOptions,
  addJsonOption,
  commaList,
  withAdmin,
  type CommonOptions,
} from '../terminal/options.ts';
import { printFields, printList } from '../terminal/output.ts';
import { say, type Terminal } from '../terminal/terminal.ts';

interface CreateOptions extends CommonOptions {
  name: string;
  scopes: string[];
  organization?: string;
}

/** The command `credentials` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('credentials')
    .description('Manages API credentials: client id and secret for the token endpoint.')
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(createCredentialCommand(terminal))
    .addCommand(rotateCommand(terminal))
    .addCommand(deleteCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list').description('Lists credentials, without their secrets.');
  addJsonOption(addCommonOptions(command)).addHelpText('after', '\nExample:\n  gatehouse credentials list');
  return command.action(async (options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const credentials = await admin.credentials.list(caller.environmentId);
      printList(terminal, {
        json: options.json === true,
        answer: { credentials },
        rows: credentials.map((credential) => ({ ...credential, scopes: credential.scopes.join(' ') })),
        columns: ['id', 'name', 'client_id', 'organization_id', 'scopes', 'created_at'],
        empty: 'There is no credential. "gatehouse credentials create" makes one.',
      });
    }),
  );
}

function showCommand(terminal: Terminal): Command {
  const command = new Command('show')
    .description('Shows a credential, without its secret.')
    .argument('<id>', 'cred_…');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse credentials show cred_01k9',
  );
  return command.action(async (id: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) =>
      printFields(terminal, options.json === true, {
        ...(await found(admin, caller, id)),
      }),
    ),
  );
}

function createCredentialCommand(terminal: Terminal): Command {
  const command = new Command('create')
    .description('Makes a credential and prints its client id and secret. The secret cannot be shown again.')
    .requiredOption('--name <text>', 'what it is for')
    .option('--scopes <words>', `what it may do, separated by commas: ${SCOPES.join(', ')}`, commaList, [
      ...SCOPES,
    ])
    .option('--organization <id>', 'limit it to the accounts of one organization')
    .addHelpText(
      'after',
      '\nExample:\n  gatehouse credentials create --name backend --scopes tools:execute,accounts:read',
    );
  addJsonOption(addCommonOptions(command));
  return command.action(async (options: CreateOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { name, scopes, organization } = options;
      const { credential } = await admin.credentials.create(caller, {
        name,
        scopes,
        organization_id: organization,
      });
      printFields(terminal, options.json === true, { ...credential });
      say(terminal, 'Keep the client secret now: it is stored as a hash and cannot be shown again.');
    }),
  );
}

function rotateCommand(terminal: Terminal): Command {
  const command = new Command('rotate')
    .description(
      'Gives a credential a further secret and prints it. The secrets before keep working for 24 hours.',
    )
    .argument('<id>', 'cred_…');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse credentials rotate cred_01k9',
  );
  return command.action(async (id: string, options: CommonOptions) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const rotate = async () => admin.credentials.rotate(caller, id);
      const { credential, previous_until } = await hinted(admin, caller, id, rotate);
      printFields(terminal, options.json === true, { ...credential, previous_until });
    }),
  );
}

function deleteCommand(terminal: Terminal): Command {
  const command = new Command('delete')
    .description('Deletes a credential. Its tokens are refused within 5 seconds.')
    .argument('<id>', 'cred_…')
    .option('--yes', 'do not ask');
  addJsonOption(addCommonOptions(command)).addHelpText(
    'after',
    '\nExample:\n  gatehouse credentials delete cred_01k9',
  );
  return command.action(async (id: string, options: CommonOptions & { yes?: true }) =>
    withAdmin(terminal, options, async (admin, caller) => {
      const { name } = await found(admin, caller, id);
      await deleteConfirmed(terminal, options, {
        question: `Delete the credential "${name}"?`,
        name: id,
        remove: async () => admin.credentials.remove(caller, id),
      });
    }),
  );
}

/** @throws ServiceError RESOURCE_NOT_FOUND; where the name was given for the id, with the id */
async function found(admin: Admin, caller: Caller, id: string): ReturnType<Admin['credentials']['get']> {
  return hinted(admin, caller, id, async () => admin.credentials.get(caller.environmentId, id));
}

async function hinted<T>(
  admin: Admin,
  { environmentId }: Caller,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const known = async () => admin.credentials.list(environmentId);
  return withHint(id, { command: 'credentials list', known, takes: 'id' }, work);
}
