/** Works out which scopes a consent asks for, and describes them for the user. Pure. */
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import { lackingScopes } from '../catalog/model/scope-groups.ts';
import { toolsToConnect, type SelectionNames } from '../catalog/model/tool-selection.ts';
import type { Catalog, ConnectorAuth, Tool } from '../catalog/model/types.ts';
import { isIncluded, powerOf, type ScopePower } from './scope-powers.ts';
import type { Connection } from '../store/accounts/connection.ts';
import type { ConsentOutline } from '../credentials/schemes/consent-step.ts';

/** A scope as a page shows it. */
export interface AskedScope {
  name: string;
  /** The permission, in the words of the catalog; '' if it has none. */
  meaning: string;
  power: ScopePower;
  /** Another of the asked scopes allows the same and more. */
  isIncluded: boolean;
}

/** Shown to the user before the redirect to the provider. */
export interface ConsentRequest {
  /** Host of the provider's consent page; null if the user still has to enter it. */
  providerHost: string | null;
  /** The same with its scheme. */
  providerOrigin: string | null;
  scopes: readonly AskedScope[];
  /** The provider grants the scopes selected in the registered app, whatever is listed here. */
  isChosenByApp: boolean;
  /** The provider names further scopes, and was not asked for them yet. */
  isNamedThere?: boolean;
}

/** The sources from which the scopes of a link are computed. */
interface ScopeSources {
  catalog: Catalog;
  /** Tools that the settings name. */
  selection?: SelectionNames | undefined;
}

/**
 * The connection's scopes; if it has none, those of the connector's entry, or those that its tools need and
 * the one that brings a refresh token. Each once.
 *
 * @param extra scopes of the link, asked for in addition
 */
export function askedScopes(
  connection: Pick<Connection, 'environmentId' | 'connector' | 'scopes'>,
  { defaultScopes, rules }: Pick<ConsentOutline, 'defaultScopes' | 'rules'>,
  sources: ScopeSources,
  extra: readonly string[],
): string[] {
  const { scopes: chosen } = connection;
  const needed = () => neededScopes(toolsToConnect(toolsOf(connection, sources), sources.selection));
  const offline = rules.offline_scope === undefined ? [] : [rules.offline_scope];
  const base = chosen.length > 0 ? chosen : (defaultScopes ?? [...needed(), ...offline]);
  return [...new Set([...base, ...extra])];
}

/**
 * The scopes that tools need beyond those that every link asks for. Empty for a connection whose scopes the operator
 * has chosen: what is missing there is asked for when the provider refuses a call.
 *
 * @param tools called or selected, of any connector
 */
export function scopesBeyond(
  connection: Pick<Connection, 'environmentId' | 'connector' | 'scopes'>,
  sources: ScopeSources,
  tools: readonly Tool[],
): string[] {
  if (connection.scopes.length > 0) return [];
  const asked = toolsToConnect(toolsOf(connection, sources), sources.selection);
  const others = tools.filter((tool) => tool.connector === connection.connector && !asked.includes(tool));
  const base = neededScopes(asked);
  return neededScopes(others, base).slice(base.length);
}

/** The tools of a connection's connector. */
export function toolsOf(
  { environmentId, connector }: Pick<Connection, 'environmentId' | 'connector'>,
  { catalog }: Pick<ScopeSources, 'catalog'>,
): Tool[] {
  return [...catalogIn(catalog, environmentId).tools.values()].filter((tool) => tool.connector === connector);
}

function neededScopes(tools: readonly Tool[], given: readonly string[] = []): string[] {
  const needed = [...given];
  for (const tool of tools) needed.push(...lackingScopes(tool, needed));
  return needed;
}

/**
 * @param outline.address of the consent page; absent if it is not known, and its placeholders may be unfilled
 * @param tools of the connector
 */
export function consentRequestOf(
  auth: ConnectorAuth,
  {
    address = '',
    rules,
    isNamedThere = false,
  }: Pick<ConsentOutline, 'address' | 'rules'> & Pick<ConsentRequest, 'isNamedThere'>,
  scopes: readonly string[],
  tools: readonly Tool[],
): ConsentRequest {
  const known = URL.parse(address);
  const isKnown = known?.host.includes('{') === false;
  return {
    providerHost: isKnown ? known.host : null,
    providerOrigin: isKnown ? known.origin : null,
    scopes: scopes.map((name) => ({
      name,
      meaning: meaningOf(name, auth.scopes ?? {}),
      power: powerOf(name, tools),
      isIncluded: isIncluded(name, scopes, tools),
    })),
    isChosenByApp: !rules.scope_parameter,
    ...(isNamedThere && { isNamedThere }),
  };
}

/** The catalog's description of a scope, or of the family it belongs to (`session:role:*`). */
function meaningOf(scope: string, meanings: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(meanings, scope)) return meanings[scope] ?? '';
  const family = Object.keys(meanings).find(
    (name) => name.endsWith('*') && scope.startsWith(name.slice(0, -1)),
  );
  return family === undefined ? '' : (meanings[family] ?? '');
}
