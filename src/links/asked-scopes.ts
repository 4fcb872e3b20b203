/** Works out which scopes a consent asks for, and describes them for the user. Pure. */
import { lackingScopes } from '../catalog/model/scope-groups.ts';
import type { ConnectorAuth, Tool } from '../catalog/model/types.ts';
import { isIncluded, powerOf, type ScopePower } from './scope-powers.ts';
import type { Connection } from '../store/accounts/connection.ts';
import type { ConsentOutline } from '../credentials/schemes/consent-step.ts';

/** A scope as a page shows it. */
export interface AskedScope {
  name: string;
  /** What it allows, in the words of the catalog; '' if it has none. */
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
}

/**
 * The connection's scopes; if it has none, those of the connector's entry, or those that its tools need and
 * the one that brings a refresh token. Each once.
 *
 * @param extra scopes of the link, asked for in addition
 */
export function askedScopes(
  connection: Pick<Connection, 'connector' | 'scopes'>,
  { defaultScopes, rules }: Pick<ConsentOutline, 'defaultScopes' | 'rules'>,
  tools: Iterable<Tool>,
  extra: readonly string[],
): string[] {
  const { scopes: chosen } = connection;
  const base =
    chosen.length > 0 ? chosen : (defaultScopes ?? neededScopes(connection.connector, rules, tools));
  return [...new Set([...base, ...extra])];
}

function neededScopes(connector: string, rules: ConsentOutline['rules'], tools: Iterable<Tool>): string[] {
  const needed: string[] = [];
  for (const tool of tools) {
    if (tool.connector === connector) needed.push(...lackingScopes(tool, needed));
  }
  return rules.offline_scope === undefined ? needed : [...needed, rules.offline_scope];
}

/**
 * @param outline.address of the consent page; its placeholders may be unfilled
 * @param tools of the connector
 */
export function consentRequestOf(
  auth: ConnectorAuth,
  { address, rules }: Pick<ConsentOutline, 'address' | 'rules'>,
  scopes: readonly string[],
  tools: readonly Tool[],
): ConsentRequest {
  const { host, origin } = new URL(address);
  const isKnown = !host.includes('{');
  return {
    providerHost: isKnown ? host : null,
    providerOrigin: isKnown ? origin : null,
    scopes: scopes.map((name) => ({
      name,
      meaning: meaningOf(name, auth.scopes ?? {}),
      power: powerOf(name, tools),
      isIncluded: isIncluded(name, scopes, tools),
    })),
    isChosenByApp: !rules.scope_parameter,
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
