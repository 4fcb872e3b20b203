/** The card with the permissions of an account at its app, next to those that our tools need. */
import { html } from 'hono/html';
import type { AccountView } from '../../../accounts/account-views.ts';
import { lackingScopes } from '../../../catalog/model/scope-groups.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import { badge } from '../../components/badge.ts';
import { card, empty } from '../../components/card.ts';
import { count } from '../../components/format.ts';
import { nameCell, table, type Column } from '../../components/table.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Text } from '../../frame/html.ts';
import { accounts as words } from '../../words/accounts.ts';

interface ScopeRow {
  name: string;
  meaning: string;
  isAllowed: boolean;
  /** Number of tools that need this scope. */
  tools: number;
}

/** Scopes that the app granted; `undefined` if the account's credentials have no known scopes. */
export function grantedScopes({ authorization_details: details }: AccountView): string[] | undefined {
  for (const variant of Object.values(details)) {
    const scopes: unknown =
      typeof variant === 'object' && variant !== null && 'scopes' in variant ? variant.scopes : undefined;
    if (Array.isArray(scopes)) return scopes.filter((scope) => typeof scope === 'string');
  }
  return undefined;
}

/** The card; nothing for an app without scopes. */
export async function permissionsCard(
  { catalog: catalogs, connections }: Pick<DashboardDependencies, 'catalog' | 'connections'>,
  c: DashboardContext,
  account: AccountView,
): Promise<Text> {
  const { environmentId } = c.get('viewer').caller;
  const catalog = catalogs.in(environmentId);
  const tools = [...catalog.tools.values()].filter(({ connector }) => connector === account.provider);
  const granted = grantedScopes(account);
  const needed: string[] = [];
  for (const tool of tools) needed.push(...lackingScopes(tool, needed));
  if (granted === undefined || (granted.length === 0 && needed.length === 0)) return '';
  const connection = await connections.get(environmentId, account.connection_id);
  const auth = catalog.connectors
    .get(account.provider)
    ?.auth.find(({ type }) => type === account.authorization_type);
  const asked = connection.scopes.length > 0 ? connection.scopes : needed;
  const rows = [...new Set([...granted, ...asked])].map((name): ScopeRow => {
    const meanings = auth?.scopes ?? {};
    return {
      name,
      meaning: Object.hasOwn(meanings, name) ? (meanings[name] ?? '') : '',
      isAllowed: granted.includes(name),
      tools: tools.filter(({ scopes }) => scopes.some((group) => group.includes(name))).length,
    };
  });
  const lacking = tools.filter((tool) => lackingScopes(tool, granted).length > 0).length;
  return card({
    id: 'permissions',
    title: words.one.scopes,
    content: html`${granted.length === 0 ? empty(words.one.notSaid) : table(words.one.scopes, COLUMNS, rows)}`,
    ...(granted.length > 0 && lacking > 0 && { foot: words.one.lacking(count(lacking)) }),
  });
}

const COLUMNS: readonly Column<ScopeRow>[] = [
  {
    label: words.one.scopeColumns.scope,
    cell: ({ name, meaning }) => nameCell({ name: html`<code>${name}</code>`, detail: meaning }),
  },
  {
    label: words.one.scopeColumns.allowed,
    cell: ({ isAllowed }) =>
      isAllowed ? badge('ok', words.one.allowed) : badge('wait', words.one.notAllowed),
  },
  {
    label: words.one.scopeColumns.needed,
    cell: ({ tools }) => (tools === 0 ? words.one.noTool : words.one.tools(count(tools))),
    leftOutOn: 'phone',
  },
];
