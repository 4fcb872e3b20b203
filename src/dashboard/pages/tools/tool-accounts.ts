/** The accounts with which a viewer can try a tool, the chosen one, and its scopes. */
import { html } from 'hono/html';
import type { AccountView, FullListItem } from '../../../accounts/account-views.ts';
import type { Accounts } from '../../../accounts/accounts.ts';
import type { Connector, Tool } from '../../../catalog/model/types.ts';
import { wordOf, ACCOUNT_STATUSES } from '../../../core/stored-words.ts';
import { accountStatus, badge, monogram } from '../../components/badge.ts';
import { namesOf, type Named, type NameServices } from '../../access/names.ts';
import { card } from '../../components/card.ts';
import { count, isolatedText } from '../../components/format.ts';
import type { Viewer } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { frame } from '../../words/frame.ts';
import { tools as words } from '../../words/tools.ts';
import { saidName } from '../accounts/account-cells.ts';

/** Most accounts in the list of the picker; the others are found by search. */
const LISTED = 50;

/** Field of the chosen account, named as in violations of a call; below the field of the search. */
export const ACCOUNT_FIELD = 'connected_account_id';
export const FIND_FIELD = 'account_query';

const ID = /^ca_[0-9a-z]{26}$/;

/** Data of the picker. */
export interface ToolAccounts {
  listed: readonly (Pick<
    FullListItem,
    'id' | 'identifier' | 'connector' | 'status' | 'user_id' | 'organization_id'
  > &
    Pick<AccountView, 'display_name'>)[];
  /** Number of matches, counted up to 10,000. */
  whole: number;
  /** The search text; '' for none. */
  sought: string;
  chosen: AccountView | undefined;
  /** Names of owners that are known here, by id. */
  names: ReadonlyMap<string, Named>;
}

/**
 * The accounts that the viewer may use with the connections of a tool's app.
 *
 * @param asked.id the chosen account; '' chooses the only active one, or the viewer's own
 * @throws ServiceError RESOURCE_NOT_FOUND for a chosen account out of reach
 */
export async function accountsFor(
  { accounts, ...services }: NameServices & { accounts: Pick<Accounts, 'list' | 'describe'> },
  viewer: Viewer,
  tool: Tool,
  asked: { id: string; sought: string },
): Promise<ToolAccounts> {
  const { caller } = viewer;
  const isId = ID.test(asked.sought);
  const page = await accounts.list(caller, {
    provider: tool.connector,
    view: 'full',
    page_size: LISTED,
    ...(asked.sought !== '' && !isId && { query: asked.sought }),
  });
  const found = page.connected_accounts.flatMap((item) => ('user_id' in item ? [item] : []));
  const id = isId ? asked.sought : asked.id || usual(found, viewer);
  const chosen = id === '' ? undefined : await accounts.describe(caller, { id });
  const isListed = chosen === undefined || found.some((item) => item.id === chosen.id);
  const listed = isListed ? found : [chosen, ...found];
  const owners = listed.flatMap(({ user_id, organization_id }) => [user_id, organization_id]);
  return {
    listed,
    whole: page.total_size,
    sought: asked.sought,
    chosen,
    names: await namesOf(
      services,
      viewer,
      owners.filter((owner) => owner !== null),
    ),
  };
}

function usual(found: readonly FullListItem[], { userId }: Viewer): string {
  const active = found.filter(({ status }) => status === 'ACTIVE');
  const own = active.find((item) => item.user_id === userId);
  return (own ?? (active.length === 1 ? active[0] : undefined))?.id ?? '';
}

/** Whether an operator would use an account that is not their own. */
export function isForeign(
  { isOperator, userId }: Viewer,
  account: Pick<AccountView, 'user_id'> | undefined,
): boolean {
  return isOperator && account !== undefined && account.user_id !== userId;
}

/** The owner of the account: a word, a name, or the id that an application uses. */
export function ownerOf(
  { userId }: Viewer,
  account: Pick<FullListItem, 'user_id' | 'organization_id'>,
  names: ToolAccounts['names'],
): string {
  if (account.user_id === userId) return words.input.own;
  const owner = account.user_id || account.organization_id || words.input.ofNobody;
  return names.get(owner)?.name ?? owner;
}

/** The picker: a select, a search if there are many accounts, and the chosen account below. */
export function accountPicker(viewer: Viewer, accounts: ToolAccounts): Html {
  const { listed, whole, sought, chosen } = accounts;
  const isLong = whole > LISTED || sought !== '';
  return html`<div class="field">
    <div class="top">
      <label for="f-${ACCOUNT_FIELD}">${words.input.account}</label
      ><span class="opt">${words.input.accountHint}</span>
    </div>
    ${listed.length === 0 ? noAccounts() : select(viewer, accounts)}
    ${chosen === undefined ? '' : chosenAccount(chosen)} ${isLong ? search(sought, listed.length, whole) : ''}
  </div>`;
}

function noAccounts(): Html {
  return html`<input type="hidden" id="f-${ACCOUNT_FIELD}" name="${ACCOUNT_FIELD}" value="" />
    <p>
      ${words.input.noAccount}
      <a class="link" href="/dashboard/accounts">${words.input.connect}</a>
    </p>`;
}

function select(viewer: Viewer, { listed, chosen, names }: ToolAccounts): Html {
  return html`<select id="f-${ACCOUNT_FIELD}" name="${ACCOUNT_FIELD}">
    <option value="">${words.input.choose}</option>
    ${listed.map((item) => {
      const status = frame.statuses[wordOf(ACCOUNT_STATUSES, item.status)];
      const said = saidName(item);
      const label = words.input.accountOption(
        isolatedText(said === '' ? item.identifier : `${item.identifier} (${said})`),
        item.connector,
        isolatedText(ownerOf(viewer, item, names)),
        status,
      );
      return html`<option value="${item.id}" ${item.id === chosen?.id ? 'selected' : ''}>${label}</option>`;
    })}
  </select>`;
}

function chosenAccount(account: AccountView): Html {
  const { id, identifier, connector, status } = account;
  const said = saidName(account);
  return html`<p class="cell chosen">
    ${monogram(connector)}<span
      ><b><a href="/dashboard/accounts/${id}">${identifier}</a></b
      ><small>${connector} · ${id}${said === '' ? '' : html` · <bdi>${said}</bdi>`}</small></span
    >${accountStatus(wordOf(ACCOUNT_STATUSES, status))}
  </p>`;
}

function search(sought: string, shown: number, whole: number): Html {
  return html`<p class="hint">${words.input.more(count(shown), count(whole))}</p>
    <div class="find-account">
      <input
        class="input"
        name="${FIND_FIELD}"
        value="${sought}"
        maxlength="200"
        aria-label="${words.input.find}"
        placeholder="${words.input.findHint}"
      />
      <button class="btn" type="submit" name="do" value="find" formnovalidate>
        ${words.input.findButton}
      </button>
    </div>`;
}

/** The scopes that a tool needs, next to those that the account has; nothing if the tool needs none. */
export function scopesCard(
  tool: Tool,
  connector: Connector | undefined,
  chosen: AccountView | undefined,
): Text {
  if (tool.scopes.length === 0) return '';
  const allowed = chosen === undefined ? undefined : allowedScopes(chosen);
  const isMet = (group: readonly string[]): boolean => group.some((scope) => allowed?.includes(scope));
  const says = (scope: string): string =>
    connector?.auth.flatMap(({ scopes }) => scopes?.[scope] ?? [])[0] ?? '';
  const verdict =
    allowed === undefined
      ? ''
      : tool.scopes.every(isMet)
        ? badge('ok', words.scopes.enough)
        : badge('bad', words.scopes.missing);
  return card({
    id: 'scopes',
    title: words.scopes.title,
    action: verdict,
    content: html`<ul class="states">
      ${tool.scopes.map(
        (group) =>
          html`<li>
            <span
              ><code>${group.join(` ${words.scopes.or} `)}</code><br /><span class="soft"
                >${says(group[0] ?? '')}</span
              ></span
            ><b class="soft"
              >${allowed === undefined ? words.scopes.unknown : isMet(group) ? words.scopes.allowed : words.scopes.lacking}</b
            >
          </li>`,
      )}
    </ul>`,
  });
}

/** Granted scopes; `undefined` if the credential has no scopes or they are unknown. */
function allowedScopes({ authorization_details: details }: AccountView): readonly string[] | undefined {
  for (const variant of Object.values(details)) {
    if (typeof variant !== 'object' || variant === null || !('scopes' in variant)) continue;
    const { scopes } = variant;
    if (Array.isArray(scopes)) return scopes.map(String);
  }
  return undefined;
}
