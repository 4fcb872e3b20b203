/** Finds missing, unknown and unneeded scopes of a connection, and says in sentences what to do. Pure. */
import { lackingScopes } from '../catalog/model/scope-groups.ts';
import type { Connector, OAuthRules, Tool } from '../catalog/model/types.ts';

/** Names in one list of a sentence. */
const MAX_NAMES = 5;

/** Tools named as examples. */
const MAX_EXAMPLES = 3;

/** Facts by which the scopes of a connection are judged. */
export interface ScopeFacts {
  connector: Connector;
  rules: OAuthRules;
  /** Scopes that the connector describes. */
  known: readonly string[];
  tools: readonly Tool[];
  /** Those of them whose scopes every account is asked for. */
  toConnect: readonly Tool[];
}

/** Chosen scopes that will not work: missing, misspelled or unused. @param chosen of the connection */
export function scopeWarnings(chosen: readonly string[], facts: ScopeFacts): string[] {
  const { connector, rules, known, tools, toConnect } = facts;
  const { offline_scope: offline } = rules;
  // Without chosen scopes a link requests what the tools need: nothing is missing or unneeded.
  if (chosen.length === 0) return rules.scope_parameter ? [] : tickWarnings(facts);
  const out: string[] = [];
  if (rules.refresh_tokens && offline !== undefined && !chosen.includes(offline)) {
    out.push(
      `${offline} is not among its scopes. ${connector.title} gives no refresh token without it, so each account expires with its first access token.`,
    );
  }
  const open = chosen.filter((scope) => known.some((name) => isFamilyOf(name, scope)));
  const strange =
    known.length === 0 ? [] : chosen.filter((scope) => !known.includes(scope) && !open.includes(scope));
  if (strange.length > 0)
    out.push(`The connector ${connector.name} does not know ${list(strange)}. Check the spelling.`);
  const used = new Set([...tools.flatMap(({ scopes }) => scopes.flat()), offline, ...open, ...strange]);
  const unused = chosen.filter((scope) => !used.has(scope));
  if (unused.length > 0) {
    out.push(
      `No tool uses ${list(unused)}. ${rules.scope_parameter ? 'Leave out what is not needed: people are asked for it.' : 'It need not be ticked in the app.'}`,
    );
  }
  const refused = toConnect.filter((tool) => lackingScopes(tool, chosen).length > 0);
  if (refused.length > 0) {
    const examples = refused
      .slice(0, MAX_EXAMPLES)
      .map((tool) => `${tool.name} (${lackingScopes(tool, chosen).join(', ')})`)
      .join(', ');
    const tick = rules.scope_parameter ? '' : ' and tick them in the app';
    out.push(
      `${refused.length} of ${toConnect.length} tools need scopes that are not chosen: ${examples}${refused.length > MAX_EXAMPLES ? ' and others' : ''}. ${connector.title} will refuse their calls; add the scopes${tick}, or leave the tools out.`,
    );
  }
  return out;
}

/** `session:role:*` matches every scope with that prefix; only the operator knows which ones exist. */
function isFamilyOf(name: string, scope: string): boolean {
  return name.endsWith('*') && scope.startsWith(name.slice(0, -1)) && scope.length >= name.length;
}

/** Only the provider knows which scopes are ticked in its app: lists those that have to be. */
function tickWarnings({ connector, rules, toConnect }: ScopeFacts): string[] {
  const needed: string[] = [];
  for (const tool of toConnect) needed.push(...lackingScopes(tool, needed));
  if (rules.offline_scope !== undefined) needed.push(rules.offline_scope);
  if (needed.length === 0) return [];
  return [
    `It has no scopes. ${connector.title} grants what is ticked in the app there: tick what the tools need and name the same scopes here, so that a missing one is noticed. All together need ${needed.join(', ')}.`,
  ];
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
