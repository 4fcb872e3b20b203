/** Changes the file of an MCP client. Keeps a backup next to the file, and replaces the file in one step. */
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CommandFailed } from '../terminal/failure.ts';
import { entryText, mergeEntry, UnmergeableFailure } from './merge-entry.ts';
import type { McpClient, ServerEntry } from './clients.ts';

/** The result of writing a file. */
export interface WrittenEntry {
  /** False if the file had this entry already. */
  isChanged: boolean;
  /** Path of the backup; undefined if there was no file or nothing was changed. */
  backup: string | undefined;
}

/**
 * Merges the entry into the client's file and keeps a copy of the file as it was.
 *
 * @param now for the name of the backup
 * @throws CommandFailed if the file cannot be read as the client would, with the text to paste; nothing is changed then
 */
export function writeEntry(path: string, client: McpClient, entry: ServerEntry, now: Date): WrittenEntry {
  // If the path is a link, as in folders of dotfiles, the file that it points to is replaced.
  const file = existsSync(path) ? realpathSync(path) : undefined;
  const before = file === undefined ? '' : readFileSync(file, 'utf8');
  const after = merged(path, before, client, entry);
  if (after === before) return { isChanged: false, backup: undefined };
  const target = file ?? path;
  mkdirSync(dirname(target), { recursive: true });
  const stamp = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const backup = file === undefined ? undefined : `${file}.before-gatehouse-${stamp}`;
  if (file !== undefined && backup !== undefined) copyFileSync(file, backup, constants.COPYFILE_EXCL);
  const draft = `${target}.gatehouse-new`;
  writeFileSync(draft, after, { mode: file === undefined ? 0o600 : statSync(file).mode });
  renameSync(draft, target);
  return { isChanged: true, backup };
}

function merged(path: string, before: string, client: McpClient, entry: ServerEntry): string {
  try {
    return mergeEntry(before, client, entry);
  } catch (error) {
    if (!(error instanceof UnmergeableFailure)) throw error;
    throw new CommandFailed(
      `${path} ${error.message}, so nothing was changed. Correct it, or add this by hand:\n\n${entryText(client, entry)}`,
    );
  }
}
