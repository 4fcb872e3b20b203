/** Connected accounts over REST (docs/contract.md#create-update-read-and-list). Parse, call one service, answer. */
import { selectorOf } from '../../accounts/account-input.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import type { CredentialAccess } from '../../credentials/credential-access.ts';
import type { Disconnection } from '../../credentials/disconnection.ts';
import type { AccountRefresh } from '../../executor/account-refresh.ts';
import {
  accountAnswer,
  accountEventsAnswer,
  accountListAnswer,
  accountQuery,
  accountSearch,
  accountSelector,
  createAccountBody,
  updateAccountBody,
} from './account-schemas.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { emptyAnswer, idParams } from '../api/schemas.ts';

const path = '/api/v1/connected_accounts';
const tag = 'Connected accounts';

export interface AccountServices {
  accounts: Pick<Accounts, 'list' | 'create' | 'update' | 'describe' | 'events'>;
  accountRefresh: Pick<AccountRefresh, 'refresh'>;
  disconnection: Pick<Disconnection, 'disconnect' | 'remove'>;
  credentialAccess: Pick<CredentialAccess, 'describe'>;
}

/** Adds the routes of connected accounts. */
export function addAccountRoutes(
  endpoints: Endpoints,
  { accounts, accountRefresh, credentialAccess, disconnection }: AccountServices,
): void {
  endpoints.add(
    {
      method: 'get',
      path,
      tag,
      summary: 'List connected accounts.',
      access: 'accounts:read',
      query: accountQuery,
      answer: accountListAnswer,
    },
    ({ caller, query }) => accounts.list(caller, query),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}:search`,
      tag,
      summary: 'Find accounts by the beginning of their identifier.',
      access: 'accounts:read',
      query: accountSearch,
      answer: accountListAnswer,
    },
    ({ caller, query }) => accounts.list(caller, query),
  );
  endpoints.add(
    {
      method: 'post',
      path,
      tag,
      summary: 'Create a connected account.',
      access: 'accounts:write',
      body: createAccountBody,
      status: 201,
      answer: accountAnswer,
      refusals: [409],
    },
    async ({ caller, body }) => ({ connected_account: await accounts.create(caller, body) }),
  );
  endpoints.add(
    {
      method: 'put',
      path,
      tag,
      summary: 'Change credentials or configuration of an account.',
      access: 'accounts:write',
      body: updateAccountBody,
      answer: accountAnswer,
      refusals: [404],
    },
    async ({ caller, body }) => ({ connected_account: await accounts.update(caller, body) }),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/auth`,
      tag,
      summary: 'Get an account with its credentials.',
      access: 'accounts:credentials',
      query: accountSelector,
      answer: accountAnswer,
      refusals: [404, 502, 504],
    },
    async ({ caller, query }) => ({
      connected_account: await credentialAccess.describe(caller, selectorOf(query)),
    }),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/details`,
      tag,
      summary: 'Get an account without its credentials.',
      access: 'accounts:read',
      query: accountSelector,
      answer: accountAnswer,
      refusals: [404],
    },
    async ({ caller, query }) => ({ connected_account: await accounts.describe(caller, selectorOf(query)) }),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}:delete`,
      tag,
      summary: 'Delete an account and everything that belongs to it.',
      access: 'accounts:write',
      body: accountSelector,
      answer: emptyAnswer,
      refusals: [404],
    },
    async ({ caller, body }) => {
      await disconnection.remove(caller, selectorOf(body));
      return {};
    },
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/{id}:refresh`,
      tag,
      summary: 'Renew the access token of an account at once.',
      access: 'accounts:write',
      params: idParams,
      answer: accountAnswer,
      refusals: [404, 429, 502, 504],
    },
    async ({ caller, params }) => ({ connected_account: await accountRefresh.refresh(caller, params.id) }),
  );
  endpoints.add(
    {
      method: 'post',
      path: `${path}/{id}:disconnect`,
      tag,
      summary: 'Erase the credentials of an account and keep the account.',
      access: 'accounts:write',
      params: idParams,
      answer: accountAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => ({ connected_account: await disconnection.disconnect(caller, params.id) }),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/{id}/events`,
      tag,
      summary: 'List the changes of status of an account, oldest first.',
      access: 'accounts:read',
      params: idParams,
      answer: accountEventsAnswer,
      refusals: [404],
    },
    async ({ caller, params }) => ({ events: await accounts.events(caller, params.id) }),
  );
}
