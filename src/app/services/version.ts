/** Version of this program from package.json: one folder up in the published package, three in a checkout. */
import { existsSync, readFileSync } from 'node:fs';

/** @returns e.g. `0.1.0` */
export function programVersion(): string {
  const published = new URL('../package.json', import.meta.url);
  const file = existsSync(published) ? published : new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
