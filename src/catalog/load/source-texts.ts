/**
 * Finds the catalog files of folders and reads their texts. Knows nothing of YAML, so that a start which knows the texts
 * already loads no more than this.
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf } from '../../core/errors.ts';

/** A catalog file as it is on disk. */
export interface SourceText {
  file: string;
  text: string;
}

/** The catalog files of some folders: each once, sorted by name within its folder. */
export interface SourceTexts {
  files: readonly SourceText[];
  /** Folders and files that cannot be read. */
  unreadable: readonly { file: string; message: string }[];
}

type Report = (file: string, message: string) => void;

/** `examples/<connector>/…`: read only if the folder of examples itself is given. */
const EXAMPLE = /^examples[\\/][^\\/]+[\\/]/;

const FILE_NAME = /^[a-z][a-z0-9_-]{0,39}\.yaml$/;

/** Reads the catalog files in and below the folders. A file that two names lead to is read once. */
export function readSourceTexts(dirs: readonly string[]): SourceTexts {
  const unreadable: { file: string; message: string }[] = [];
  const report: Report = (file, message) => unreadable.push({ file, message });
  const seen = new Set<string>();
  const files = dirs
    .flatMap((dir) => filesOf(dir, report))
    .flatMap((file) => {
      try {
        const real = realpathSync(file);
        if (seen.has(real)) return [];
        seen.add(real);
        return [{ file, text: readFileSync(file, 'utf8') }];
      } catch (error) {
        report(file, `cannot be read (${codeOf(error) ?? 'unknown error'})`);
        return [];
      }
    });
  return { files, unreadable };
}

function filesOf(dir: string, report: Report): string[] {
  let names: string[];
  try {
    names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
  } catch (error) {
    report(dir, `cannot be read as a folder of catalog files (${codeOf(error) ?? 'unknown error'})`);
    return [];
  }
  const files = names
    .filter((name) => /\.ya?ml$/i.test(name) && !EXAMPLE.test(name))
    .map((name) => join(dir, name));
  if (files.length === 0)
    report(dir, 'holds no catalog files (<connector>/connector.yaml, <connector>/<toolset>.yaml)');
  return files.filter((file) => {
    if (FILE_NAME.test(basename(file))) return true;
    report(
      file,
      'is not read: name catalog files with lower-case letters, digits, - or _ and the ending .yaml',
    );
    return false;
  });
}
