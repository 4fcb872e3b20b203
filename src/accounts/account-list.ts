/** Lists of accounts: filters, keyset paging in both directions, counts (docs/contract.md#create-update-read-and-list). */
import type { Caller } from '../core/caller.ts';
import { invalidArgument, type FieldViolation } from '../core/errors.ts';
import { newestFirst, type PageLinks } from '../core/newest-first.ts';
import type { PageTokens } from '../core/page-token.ts';
import { hasPrefix, type AccountFilter } from '../store/accounts/account-list-query.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Database } from '../store/engine/database.ts';
import { accountReach } from './account-finder.ts';
import { normalizeText, ownerViolations, textViolations } from '../core/text-rules.ts';
import type { SealedDetails } from './sealed-details.ts';
import { toFullListItem, toListItem, type AccountListItem, type FullListItem } from './account-views.ts';
import { ACCOUNT_STATUSES } from '../core/stored-words.ts';

export interface AccountQuery {
  organization_id?: string | undefined;
  user_id?: string | undefined;
  connector?: string | undefined;
  provider?: string | undefined;
  identifier?: string | undefined;
  status?: string | undefined;
  connection_names?: string[] | undefined;
  /** Beginning of the identifier. Such a list is in order of identifiers. */
  query?: string | undefined;
  /** `full` adds owner, creation and configuration to each item. */
  view?: 'full' | undefined;
  /** 1 to 100, default 30. */
  page_size?: number | undefined;
  page_token?: string | undefined;
}

export interface AccountPage extends PageLinks {
  connected_accounts: (AccountListItem | FullListItem)[];
}

const MAX_PAGE_SIZE = 100;

/** One page: newest first, or with `query` in order of identifiers. @throws ServiceError INVALID_ARGUMENT for a bad filter, page size or page token */
export async function listAccounts(
  { db, pageTokens, sealed }: { db: Database; pageTokens: PageTokens; sealed: SealedDetails },
  caller: Caller,
  query: AccountQuery,
): Promise<AccountPage> {
  const violations = queryViolations(query);
  if (violations.length > 0) throw invalidArgument(violations);
  const filter: AccountFilter = {
    organizationId: normalized(query.organization_id),
    userId: normalized(query.user_id),
    connection: query.connector,
    connections: query.connection_names,
    connector: query.provider,
    identifier: normalized(query.identifier),
    identifierPrefix: normalized(query.query),
    status: ACCOUNT_STATUSES.find((status) => status === query.status),
  };
  const reach = accountReach(caller);
  const store = new AccountStore(db.longRead);
  const { rows, links } = await newestFirst(
    pageTokens,
    { pageSize: query.page_size, pageToken: query.page_token },
    {
      // A token of an earlier version has no identifier, so it does not fit a list in the order of identifiers.
      bound: [
        'connected_accounts',
        reach,
        boundFilter(filter),
        ...(hasPrefix(filter) ? ['by identifier'] : []),
      ],
      read: async (position, limit) => store.page(reach, filter, position, limit),
      count: async (atMost) => store.count(reach, filter, atMost),
      timeOf: (row) => row.createdAt,
      identifierOf: hasPrefix(filter) ? (row) => row.identifier : undefined,
    },
  );
  const connected_accounts =
    query.view === 'full'
      ? await Promise.all(rows.map(async (row) => toFullListItem(row, await sealed.openName(row))))
      : rows.map(toListItem);
  return { connected_accounts, ...links };
}

/** The filter under the names that page tokens are bound to. With other names, tokens given out earlier would be refused. */
function boundFilter(filter: AccountFilter): Readonly<Record<string, unknown>> {
  return {
    organizationId: filter.organizationId,
    userId: filter.userId,
    connectionName: filter.connection,
    connectionNames: filter.connections,
    provider: filter.connector,
    identifier: filter.identifier,
    identifierPrefix: filter.identifierPrefix,
    status: filter.status,
  };
}

function queryViolations(query: AccountQuery): FieldViolation[] {
  const { connector, identifier, organization_id, user_id, page_size, status } = query;
  const out = [
    ...textViolations({ connector, identifier, organization_id, user_id }),
    ...ownerViolations({ organization_id, user_id }),
  ];
  if (
    page_size !== undefined &&
    (!Number.isInteger(page_size) || page_size < 1 || page_size > MAX_PAGE_SIZE)
  ) {
    out.push({
      field: 'page_size',
      description: `Must be a whole number from 1 to ${MAX_PAGE_SIZE}.`,
      constraint: 'range',
    });
  }
  if (status !== undefined && !ACCOUNT_STATUSES.some((known) => known === status)) {
    out.push({
      field: 'status',
      description: `Must be one of ${ACCOUNT_STATUSES.join(', ')}.`,
      constraint: 'enum',
    });
  }
  return out;
}

function normalized(value: string | undefined): string | undefined {
  return value === undefined ? undefined : normalizeText(value);
}
