/** Version of this program from package.json: one folder up in the published package, two in a checkout. */
import { existsSync, readFileSync } from 'node:fs';

let known: string | undefined;

/**
 * Read once: an upgrade in place must not change what a running process says it is.
 *
 * @returns e.g. `0.1.0`
 */
export function programVersion(): string {
  known ??= readVersion();
  return known;
}

function readVersion(): string {
  const published = new URL('../package.json', import.meta.url);
  const file = existsSync(published) ? published : new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
