/**
 * The file that hands over the first API credential where nobody reads stderr: a log would keep the secret for good.
 * It goes away once the credential has been used (docs/contract.md#data-folder-and-keys).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An API credential with its secret. */
interface HandedOver {
  clientId: string;
  clientSecret: string;
}

/**
 * Writes the file with mode 0600. A file that exists is never overwritten.
 *
 * @returns its path
 * @throws the error of the file system
 */
export function writeFirstCredential(
  dataDir: string,
  environmentName: string,
  { clientId, clientSecret }: HandedOver,
): string {
  const path = pathOf(dataDir, environmentName);
  const text = JSON.stringify({ client_id: clientId, client_secret: clientSecret }, null, 2);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(path, `${text}\n`, { flag: 'wx', mode: 0o600 });
  return path;
}

/**
 * Removes the file of an environment if it holds this client id.
 *
 * @throws the error of the file system, but not for a file that is not there
 */
export function removeFirstCredential(dataDir: string, environmentName: string, clientId: string): void {
  const path = pathOf(dataDir, environmentName);
  if (clientIdIn(path) === clientId) rmSync(path, { force: true });
}

/** Returns `undefined` if there is no such file, or nothing of ours in it. */
function clientIdIn(path: string): unknown {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof content === 'object' && content !== null && 'client_id' in content
      ? content.client_id
      : undefined;
  } catch (error) {
    if (
      error instanceof SyntaxError ||
      (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    )
      return undefined;
    throw error;
  }
}

function pathOf(dataDir: string, environmentName: string): string {
  return join(dataDir, `first-credential-${environmentName}.json`);
}
