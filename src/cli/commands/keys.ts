/** `gatehouse keys`: rotates the master keys and checks that every secret opens. Shows ids of keys, never keys. */
import type { Keys } from '../terminal/app.ts';
import { confirmed } from '../terminal/ask.ts';
import { command, commandGroup } from '../terminal/command.ts';
import { CommandFailed } from '../terminal/failure.ts';
import { commandLog, readSettings, YES_OPTION, type CommonOptions } from '../terminal/options.ts';
import type { Output } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Report = Awaited<ReturnType<Keys['verify']>>;
type Rotation = Awaited<ReturnType<Keys['rotate']>>;
type Removal = Awaited<ReturnType<Keys['removeOld']>>;

const rotate = command({
  name: 'rotate',
  description:
    'Puts a new key first in the key file and seals every secret again with it, while servers run. ' +
    'A run that was interrupted is completed by the next one. ' +
    'Keys given in GATEHOUSE_MASTER_KEY are not changed: secrets are sealed again with the first of them.',
  options: {
    '--remove-old': 'make no new key; remove the keys from the file that nothing is sealed with any more',
    ...YES_OPTION,
  },
  example: 'gatehouse keys rotate\n  gatehouse keys rotate --remove-old',
  run: async ({ terminal, options, out }) =>
    withKeys(terminal, options, async (keys) =>
      options.removeOld === true
        ? removeOld(terminal, out, keys, options.yes === true)
        : rotateKeys(terminal, out, keys),
    ),
});

const verify = command({
  name: 'verify',
  description:
    'Opens every secret in the database and says how many are sealed with which key. Exit code 1 when one cannot be opened.',
  example: 'gatehouse keys verify --json',
  run: async ({ terminal, options, out }) =>
    withKeys(terminal, options, async (keys) => {
      const report = await withProgress(terminal, 'Opening every secret', async () => keys.verify());
      const use = (id: string): string => (id === report.first_key ? 'seals' : 'opens');
      out.list({
        answer: report,
        rows: report.keys.map((key) => ({ ...key, used: use(key.id) })),
        columns: ['id', 'values', 'used'],
        empty: '',
      });
      if (!out.isJson) showUnreadable(out, report);
      if (report.unreadable.length > 0) throw new CommandFailed();
    }),
});

/** The command `keys` with its subcommands. */
export const keysCommand = commandGroup({
  name: 'keys',
  description: 'Manages the master keys, which seal every secret in the database.',
  commands: [rotate, verify],
});

async function rotateKeys(terminal: Terminal, out: Output, keys: Keys): Promise<void> {
  const result = await withProgress(terminal, 'Sealing every secret again', async (now) =>
    keys.rotate(everyThousand((resealed) => now(`Sealed ${resealed} secrets again`))),
  );
  if (out.isJson) out.json(result);
  else {
    out.print(`${rotated(result)} Secrets sealed again: ${result.resealed}.`);
    showUnreadable(out, result);
  }
  sayWhatIsNext(out, result, keys);
  if (result.unreadable.length > 0) throw new CommandFailed();
}

/** Limits reports of progress, so that a log does not get a line for every batch. */
function everyThousand(report: (count: number) => void): (count: number) => void {
  let reported = 0;
  return (count) => {
    if (count < reported + 1_000) return;
    reported = count;
    report(count);
  };
}

function rotated({ made, first_key: id, resealed }: Rotation): string {
  if (made) return `The new key ${id} is in use.`;
  return resealed > 0
    ? `No new key was made: the rotation to ${id} was not complete, and now is.`
    : `No new key was made: the first key is ${id}, and everything is sealed with it.`;
}

function sayWhatIsNext(out: Output, { made, first_key: id }: Rotation, { keyFile }: Keys): void {
  if (keyFile === undefined) {
    out.say(
      `The keys are given in GATEHOUSE_MASTER_KEY; its first one is ${id}. To change to another, put a new key first, restart every process, and run this again (docs/operations.md).`,
    );
  } else if (made) {
    out.say(
      `Back up ${keyFile} now. It holds the old key too: backups made before today need it, and a process may still be storing with it. ` +
        'After 5 minutes "gatehouse keys rotate --remove-old" removes it.',
    );
  }
}

async function removeOld(terminal: Terminal, out: Output, keys: Keys, isAgreed: boolean): Promise<void> {
  const question =
    'Remove the old keys? Backups made while they were in use can then be opened only with a copy of them.';
  if (keys.keyFile !== undefined && !isAgreed && !(await confirmed(terminal, question)))
    throw new CommandFailed('No key was removed.');
  const result = await withProgress(terminal, 'Opening every secret', async () => keys.removeOld());
  if (out.isJson) out.json(result);
  else {
    out.print(removed(result, keys));
    for (const { id, values } of result.kept)
      out.print(`${id} is still needed: secrets sealed with it: ${values}.`);
    showUnreadable(out, result);
  }
  if (result.kept.length > 0 || result.unreadable.length > 0) throw new CommandFailed();
}

function removed({ removed: ids, first_key: first }: Removal, { keyFile }: Keys): string {
  if (keyFile === undefined)
    return `The keys are given in GATEHOUSE_MASTER_KEY. Every key but ${first} that is not named below can be taken out of it.`;
  return ids.length === 0 ? 'No key was removed.' : `Removed from ${keyFile}: ${ids.join(', ')}.`;
}

function showUnreadable(out: Output, { unreadable }: Pick<Report, 'unreadable'>): void {
  for (const { table, id, column, reason, key_id: keyId } of unreadable)
    out.print(
      `Cannot be opened: table ${table}, row ${id}, column ${column}: ${REASONS[reason]}, key ${keyId ?? 'unknown'}.`,
    );
  if (unreadable.length > 0) out.say('What to do about each is in docs/troubleshooting.md.');
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
