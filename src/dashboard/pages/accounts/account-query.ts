/** Filters of a list of accounts in the address. */
import type { AccountQuery } from '../../../accounts/account-list.ts';
import type { DashboardDependencies } from '../../access/dependencies.ts';
import type { Viewer } from '../../frame/dashboard-context.ts';

/** Reads the filters from the query of the address. Operators may name a person by their e-mail address. */
export async function accountQuery(
  { users }: Pick<DashboardDependencies, 'users'>,
  { caller, isOperator }: Viewer,
  query: URLSearchParams,
): Promise<AccountQuery> {
  const value = (name: string): string | undefined => query.get(name)?.trim() || undefined;
  const person = isOperator ? value('user_id') : undefined;
  const byEmail = person?.includes('@') === true ? await users.list(caller, { email: person }) : undefined;
  return {
    view: 'full',
    status: value('status'),
    connector: value('connector'),
    query: value('query'),
    user_id: byEmail?.users[0]?.id ?? person,
    organization_id: isOperator ? value('organization_id') : undefined,
    page_token: value('page_token'),
  };
}
