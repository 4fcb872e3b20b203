/**
 * Rules that look at several settings at once, or at the file system. Each rule reports at the setting that
 * has to change.
 */
import { statSync } from 'node:fs';
import type { CollectedSettings } from './collect.ts';
import type { EnvironmentFileSettings } from './environment-schema.ts';
import { isLoopbackHost, isWildcardHost, listenerOrigin } from '../core/hosts.ts';
import { absolutePath, type Places } from './file-locations.ts';
import { readLogo } from './logo.ts';
import type { Path } from '../core/yaml/yaml-tree.ts';

/** Name of the environment at the top level of the file. */
export const TOP_ENVIRONMENT = 'development';

/**
 * True if the base URL and the listener are both on loopback, so that only people at this machine can reach
 * it (docs/contract.md#listener-and-addresses).
 */
export function isLocalOnly(host: string, baseUrl: string | undefined): boolean {
  return isLoopbackHost(host) && (baseUrl === undefined || isLoopbackHost(new URL(baseUrl).hostname));
}

/**
 * The address of an environment as far as the settings fix it; `undefined` if it depends on a port chosen at
 * start.
 */
export function configuredBaseUrl(
  baseUrl: string | undefined,
  { host, port }: { host: string; port: number },
): string | undefined {
  return baseUrl ?? (port === 0 ? undefined : listenerOrigin(host, port));
}

/** Checks all rules that involve more than one setting. */
export function checkRules(collected: CollectedSettings, places: Places): void {
  checkListener(collected);
  checkExclusive(collected);
  checkFiles(collected, places);
  for (const [environment, at] of environmentsOf(collected)) checkEnvironment(collected, environment, at);
  checkEnvironmentNames(collected);
  checkUniqueness(collected);
}

function checkListener(collected: CollectedSettings): void {
  const { host, base_url: baseUrl } = collected.values;
  if (isWildcardHost(host) && baseUrl === undefined)
    collected.report(
      ['host'],
      `${host} listens on every network: set base_url (GATEHOUSE_BASE_URL) to the address that clients use`,
      [['base_url']],
    );
}

function checkExclusive(collected: CollectedSettings): void {
  const { keys, mcp } = collected.values;
  if (keys.master_key !== undefined && keys.master_key_file !== undefined)
    collected.report(['keys', 'master_key'], 'and keys.master_key_file are both set: keep one of them');
  if (mcp.user_id !== undefined && mcp.organization_id !== undefined)
    collected.report(
      ['mcp', 'user_id'],
      'and mcp.organization_id are both set: a session acts for a user or for an organization',
    );
}

function checkFiles(collected: CollectedSettings, places: Places): void {
  const { outbound, catalog_dirs: catalogDirs = [] } = collected.values;
  const what = (written: string): 'file' | 'folder' | undefined => {
    const found = statSync(absolutePath(written, places), { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    return found.isDirectory() ? 'folder' : 'file';
  };
  if (outbound.ca_file !== undefined && what(outbound.ca_file) !== 'file')
    collected.report(['outbound', 'ca_file'], 'names a file that does not exist');
  for (const [index, folder] of catalogDirs.entries())
    if (what(folder) !== 'folder')
      collected.report(['catalog_dirs', index], 'names a folder that does not exist');
  for (const [{ brand }, at] of environmentsOf(collected)) {
    const logo = brand?.logo === undefined ? undefined : readLogo(absolutePath(brand.logo, places));
    if (typeof logo === 'string') collected.report([...at, 'brand', 'logo'], logo);
  }
}

/** Every environment of the file, with its path in it. */
function environmentsOf({ values }: CollectedSettings): [EnvironmentFileSettings, Path][] {
  const others = (values.environments ?? []).map((entry, index): [EnvironmentFileSettings, Path] => [
    entry,
    ['environments', index],
  ]);
  return [[values, []], ...others];
}

function checkEnvironment(
  collected: CollectedSettings,
  environment: EnvironmentFileSettings,
  at: Path,
): void {
  const {
    client_id: id,
    client_secret: secret,
    base_url: baseUrl,
    user_verification: verification,
  } = environment;
  if ((id === undefined) !== (secret === undefined)) {
    const [present, absent] =
      id === undefined ? ['client_secret', 'client_id'] : ['client_id', 'client_secret'];
    collected.report([...at, present], `needs ${absent} as well`, [[...at, absent]]);
  }
  if (verification === 'none' && !isLocalOnly(collected.values.host, baseUrl))
    collected.report(
      [...at, 'user_verification'],
      'must not be none: that exists only where base URL and listener are both on loopback. Choose app or signed_in.',
      [['host'], [...at, 'base_url']],
    );
}

function checkEnvironmentNames(collected: CollectedSettings): void {
  const { values } = collected;
  const { environments = [] } = values;
  const names = new Set([TOP_ENVIRONMENT]);
  // By host and port: the other settings that make an environment use that address.
  const taken = new Map<string, readonly Path[]>();
  const topBaseUrl = configuredBaseUrl(values.base_url, values);
  if (topBaseUrl !== undefined) taken.set(new URL(topBaseUrl).host, [['base_url'], ['host'], ['port']]);
  for (const [index, { name, base_url: baseUrl }] of environments.entries()) {
    const at = ['environments', index];
    if (name === TOP_ENVIRONMENT)
      collected.report(
        [...at, 'name'],
        'is the environment at the top level of the file: write its settings there',
      );
    else if (names.has(name)) collected.report([...at, 'name'], 'is the name of another environment too');
    const concerns = baseUrl === undefined ? undefined : taken.get(new URL(baseUrl).host);
    if (baseUrl === undefined)
      collected.report(at, 'needs a base_url of its own: requests find their environment by it', [
        [...at, 'base_url'],
      ]);
    else if (concerns !== undefined)
      collected.report([...at, 'base_url'], 'has the host and port of another environment', concerns);
    else taken.set(new URL(baseUrl).host, []);
    names.add(name);
  }
}

/** Names are unique in their environment, fixed ids and client ids in the installation. */
function checkUniqueness(collected: CollectedSettings): void {
  const ids = new Set<string>();
  const clientIds = new Set<string>();
  for (const [environment, at] of environmentsOf(collected)) {
    const { connections = [], interceptors = [], webhooks = [], client_id: clientId } = environment;
    if (clientId !== undefined && clientIds.has(clientId))
      collected.report([...at, 'client_id'], 'is the client id of another environment too');
    if (clientId !== undefined) clientIds.add(clientId);
    const lists = {
      connections: connections.map(({ name, connector }) => name ?? connector),
      interceptors: interceptors.map(({ name }) => name),
      webhooks: webhooks.map(({ name }) => name),
    };
    for (const [list, names] of Object.entries(lists))
      for (const [index, name] of names.entries())
        if (names.indexOf(name) < index)
          collected.report([...at, list, index], `has the name of another one: ${name}`, [
            [...at, list, index, 'name'],
            [...at, list, names.indexOf(name), 'name'],
          ]);
    for (const [index, { id }] of connections.entries()) {
      if (id === undefined) continue;
      if (ids.has(id))
        collected.report([...at, 'connections', index, 'id'], 'is the id of another connection too');
      ids.add(id);
    }
  }
}
