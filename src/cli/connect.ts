/** `gatehouse connect`: connects an account from a terminal. What is typed is never shown. */
import { Command } from 'commander';
import type { Settings } from '../core/config/settings.ts';
import { askFields } from './ask.ts';
import {
  addCommonOptions,
  addJsonOption,
  addOwnerOptions,
  commandLog,
  readSettings,
  type CommonOptions,
  type OwnerOptions,
} from './options.ts';
import { printJson } from './output.ts';
import { withProgress } from './progress.ts';
import { print, say, type Terminal } from './terminal.ts';

interface ConnectOptions extends CommonOptions, OwnerOptions {
  identifier?: string;
}

/** The command `connect`. */
export function createCommand(terminal: Terminal): Command {
  const command = new Command('connect')
    .description(
      'Asks for the credentials that a connector needs, such as an API key, and stores them sealed. Without a terminal, each is one line of stdin. ' +
        'Without --user or --organization it connects the account that stdio sessions use.',
    )
    .argument('<connector>', 'the connection, such as websearch')
    .option('--identifier <text>', 'name of the account; default: the id of its owner');
  addJsonOption(addCommonOptions(addOwnerOptions(command))).addHelpText(
    'after',
    '\nExamples:\n  gatehouse connect websearch\n  gatehouse connect websearch --user alice < key.txt',
  );
  return command.action(async (connector: string, options: ConnectOptions) => {
    const { settings, environment } = readSettings(terminal, options);
    const target = {
      environment: environment.name,
      connector,
      identifier: options.identifier,
      ...ownerOf(options, settings),
    };
    const session = await terminal.app.openConnect({ settings, log: commandLog(settings), target });
    try {
      say(terminal, `Connecting ${session.title}.`);
      const { fields } = session;
      const answers = await askFields(
        terminal,
        fields.map(({ label, hint, input, required }) => ({
          label,
          hint,
          secret: input === 'password',
          required,
        })),
      );
      const values = fields
        .map(({ name }, index): [string, string] => [name, answers[index] ?? ''])
        .filter(([, value]) => value !== '');
      const account = await withProgress(terminal, 'Storing the credentials', async () =>
        session.submit(Object.fromEntries(values)),
      );
      if (options.json === true)
        printJson(terminal, {
          connected_account_id: account.accountId,
          identifier: account.identifier,
          status: account.status,
        });
      else
        print(
          terminal,
          `${session.title} is connected for ${account.identifier}: ${account.accountId}, ${account.status}`,
        );
    } finally {
      await session.close();
    }
  });
}

function ownerOf(
  { user, organization }: OwnerOptions,
  { mcp }: Settings,
): { userId?: string; organizationId?: string } {
  if (user !== undefined) return { userId: user };
  if (organization !== undefined) return { organizationId: organization };
  return mcp.organizationId === undefined ? { userId: mcp.userId } : { organizationId: mcp.organizationId };
}
