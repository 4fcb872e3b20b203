/** `gatehouse keys`: a new master key for everything stored, and whether everything opens. Shows ids of keys, never keys. */
import { Command } from 'commander';
import type { Keys } from '../terminal/app.ts';
import { confirmed } from '../terminal/ask.ts';
import { CommandFailed } from '../terminal/failure.ts';
import {
  addCommonOptions,
  addJsonOption,
  commandLog,
  readSettings,
  type CommonOptions,
} from '../terminal/options.ts';
import { printJson, printList } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { print, say, type Terminal } from '../terminal/terminal.ts';

type Report = Awaited<ReturnType<Keys['verify']>>;
type Rotation = Awaited<ReturnType<Keys['rotate']>>;
type Removal = Awaited<ReturnType<Keys['removeOld']>>;

interface RotateOptions extends CommonOptions {
  removeOld?: true;
  yes?: true;
}

/** The command `keys` with its subcommands. */
export function createCommand(terminal: Terminal): Command {
  return new Command('keys')
    .description('Manages the master keys, which seal every secret in the database.')
    .addCommand(rotateCommand(terminal))
    .addCommand(verifyCommand(terminal));
}

function rotateCommand(terminal: Terminal): Command {
  const command = new Command('rotate')
    .description(
      'Puts a new key first in the key file and seals every secret anew with it, while servers run. ' +
        'A run that was interrupted is completed by the next one. ' +
        'Keys given in GATEHOUSE_MASTER_KEY are not changed: secrets are sealed anew with the first of them.',
    )
    .option(
      '--remove-old',
      'make no new key; remove the keys from the file that nothing is sealed with any more',
    )
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  gatehouse keys rotate\n  gatehouse keys rotate --remove-old');
  addJsonOption(addCommonOptions(command));
  return command.action(async (options: RotateOptions) =>
    withKeys(terminal, options, async (keys) =>
      options.removeOld === true ? removeOld(terminal, options, keys) : rotate(terminal, options, keys),
    ),
  );
}

function verifyCommand(terminal: Terminal): Command {
  const command = new Command('verify')
    .description(
      'Opens every secret in the database and says how many are sealed with which key. Exit code 1 when one cannot be opened.',
    )
    .addHelpText('after', '\nExample:\n  gatehouse keys verify --json');
  addJsonOption(addCommonOptions(command));
  return command.action(async (options: CommonOptions) =>
    withKeys(terminal, options, async (keys) => {
      const report = await withProgress(terminal, 'Opening every secret', async () => keys.verify());
      if (options.json === true) printJson(terminal, report);
      else {
        const rows = report.keys.map((key) => ({
          ...key,
          used: key.id === report.first_key ? 'seals' : 'opens',
        }));
        printList(terminal, {
          json: false,
          answer: report,
          rows,
          columns: ['id', 'values', 'used'],
          empty: '',
        });
        showUnreadable(terminal, report);
      }
      if (report.unreadable.length > 0) throw new CommandFailed();
    }),
  );
}

async function rotate(terminal: Terminal, options: RotateOptions, keys: Keys): Promise<void> {
  const result = await withProgress(terminal, 'Sealing every secret anew', async (now) =>
    keys.rotate(everyThousand((resealed) => now(`Sealed ${resealed} secrets anew`))),
  );
  if (options.json === true) printJson(terminal, result);
  else {
    print(terminal, `${rotated(result)} Secrets sealed anew: ${result.resealed}.`);
    showUnreadable(terminal, result);
  }
  sayWhatIsNext(terminal, result, keys);
  if (result.unreadable.length > 0) throw new CommandFailed();
}

/** A log wants no line for every batch. */
function everyThousand(tell: (count: number) => void): (count: number) => void {
  let told = 0;
  return (count) => {
    if (count < told + 1_000) return;
    told = count;
    tell(count);
  };
}

function rotated({ made, first_key: id, resealed }: Rotation): string {
  if (made) return `The new key ${id} is in use.`;
  return resealed > 0
    ? `No new key was made: the rotation to ${id} was not complete, and now is.`
    : `No new key was made: the first key is ${id}, and everything is sealed with it.`;
}

function sayWhatIsNext(terminal: Terminal, { made, first_key: id }: Rotation, { keyFile }: Keys): void {
  if (keyFile === undefined) {
    say(
      terminal,
      `The keys are given in GATEHOUSE_MASTER_KEY; its first one is ${id}. To change to another, put a new key first, restart every process, and run this again (docs/operations.md).`,
    );
  } else if (made) {
    say(
      terminal,
      `Back up ${keyFile} now. It holds the old key too: backups made before today need it, and a process may still be storing with it. ` +
        'After 5 minutes "gatehouse keys rotate --remove-old" removes it.',
    );
  }
}

async function removeOld(terminal: Terminal, options: RotateOptions, keys: Keys): Promise<void> {
  const question =
    'Remove the old keys? Backups made while they were in use can then be opened only with a copy of them.';
  if (keys.keyFile !== undefined && options.yes !== true && !(await confirmed(terminal, question)))
    throw new CommandFailed('No key was removed.');
  const result = await withProgress(terminal, 'Opening every secret', async () => keys.removeOld());
  if (options.json === true) printJson(terminal, result);
  else {
    print(terminal, removed(result, keys));
    for (const { id, values } of result.kept)
      print(terminal, `${id} is still needed: secrets sealed with it: ${values}.`);
    showUnreadable(terminal, result);
  }
  if (result.kept.length > 0 || result.unreadable.length > 0) throw new CommandFailed();
}

function removed({ removed: ids, first_key: first }: Removal, { keyFile }: Keys): string {
  if (keyFile === undefined)
    return `The keys are given in GATEHOUSE_MASTER_KEY. Every key but ${first} that is not named below can be taken out of it.`;
  return ids.length === 0 ? 'No key was removed.' : `Removed from ${keyFile}: ${ids.join(', ')}.`;
}

function showUnreadable(terminal: Terminal, { unreadable }: Pick<Report, 'unreadable'>): void {
  for (const { table, id, column, reason, key_id: keyId } of unreadable)
    print(
      terminal,
      `Cannot be opened: table ${table}, row ${id}, column ${column}: ${REASONS[reason]}, key ${keyId ?? 'unknown'}.`,
    );
  if (unreadable.length > 0) say(terminal, 'What to do about each is in docs/operations.md.');
}

const REASONS = {
  unknown_key: 'its key is not among the master keys',
  other_place: 'it was sealed for another row',
  damaged: 'it is damaged',
};

async function withKeys<T>(
  terminal: Terminal,
  options: CommonOptions,
  work: (keys: Keys) => Promise<T>,
): Promise<T> {
  const { settings } = readSettings(terminal, options);
  const keys = await terminal.app.openKeys({ settings, log: commandLog(settings) });
  try {
    return await work(keys);
  } finally {
    await keys.close();
  }
}
