/** Cells that several tables of accounts have. */
import { html } from 'hono/html';
import type { AccountListItem, AccountView, FullListItem } from '../../../accounts/account-views.ts';
import type { Catalog } from '../../../catalog/model/types.ts';
import { ACCOUNT_STATUSES } from '../../../core/stored-words.ts';
import type { Named } from '../../access/names.ts';
import { accountStatus, badge, monogram } from '../../components/badge.ts';
import { nameCell } from '../../components/table.ts';
import { isolated } from '../../components/format.ts';
import type { Html, Text } from '../../frame/html.ts';
import { accounts as words } from '../../words/accounts.ts';

/** Address of the list; one account is below it. */
export const PATH = '/dashboard/accounts';

/** Identifier and app, with a link to the account, and the app's name for the account if that adds something. */
export function accountCell(
  account: AccountListItem & Pick<AccountView, 'display_name'>,
  catalog: Catalog,
): Html {
  const app = appTitle(account, catalog);
  const said = saidName(account);
  return nameCell({
    drawing: monogram(app),
    href: `${PATH}/${account.id}`,
    name: isolated(account.identifier),
    detail: said === '' ? app : html`${app} · ${isolated(said)}`,
  });
}

/** The app's name for the account; '' if it is unknown or equals the identifier. */
export function saidName({
  identifier,
  display_name: name,
}: Pick<AccountView, 'identifier' | 'display_name'>): string {
  return name === identifier ? '' : (name ?? '');
}

/** The app's title, with the name of the connection if it differs. */
export function appTitle({ provider, connector }: AccountListItem, catalog: Catalog): string {
  const title = catalog.connectors.get(provider)?.title ?? provider;
  return connector === provider ? title : `${title} (${connector})`;
}

/** The owner by name, or by id if only the application knows the owner. */
export function ownerCell(
  { user_id, organization_id }: Pick<FullListItem, 'user_id' | 'organization_id'>,
  names: ReadonlyMap<string, Named>,
): Text {
  const id = user_id === '' ? organization_id : user_id;
  if (id === '') return words.noOwner;
  const known = names.get(id);
  if (known === undefined) return html`<bdi class="mono">${id}</bdi>`;
  const { name, href, detail } = known;
  return nameCell({
    name: isolated(name),
    detail: isolated(detail),
    ...(href !== undefined && { href }),
  });
}

/** The badge of a status. A status that this version does not know is shown as it is. */
export function statusBadge(status: string): Html {
  const known = ACCOUNT_STATUSES.find((one) => one === status);
  return known === undefined ? badge('idle', status) : accountStatus(known);
}
