/**
 * Licenses of the packages whose code the build puts into dist/. Their licenses ask that copies carry them, and a
 * bundle is a copy; packages left to node_modules bring their own.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PackageFile {
  name: string;
  version: string;
  license?: string;
}

/**
 * The text of dist/licenses.txt: each package with its version and its license, in order of name.
 *
 * @param moduleIds paths of the modules in the bundle; those outside of node_modules are skipped
 * @throws Error for a package that names no license and has no file with one
 */
export function bundledLicenses(moduleIds: Iterable<string>): string {
  const folders = new Set([...moduleIds].flatMap((id) => packageFolder(id) ?? []));
  const texts = [...folders].map((folder): [name: string, text: string] => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as PackageFile;
    const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    if (file === undefined && license === undefined)
      throw new Error(`The package ${name} says nothing about its license, so it cannot be bundled.`);
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    return [name, `${name} ${version} (${license ?? 'see below'})\n${text}`];
  });
  return texts
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, text]) => text)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of the package that a module belongs to. */
function packageFolder(id: string): string | undefined {
  const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  return folder !== undefined && existsSync(join(folder, 'package.json')) ? folder : undefined;
}
