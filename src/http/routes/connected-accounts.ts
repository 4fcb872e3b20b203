/** Connected accounts over REST (docs/contract.md#create-update-read-and-list). Parse, call one service, answer. */
import { selectorOf, type AccountInput } from '../../accounts/account-input.ts';
import type { AccountView } from '../../accounts/account-views.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import {
  STATIC_DETAILS,
  type CredentialTrial,
  type CredentialTrials,
} from '../../accounts/credential-trials.ts';
import type { Caller } from '../../core/caller.ts';
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
  storedAccountAnswer,
  updateAccountBody,
} from './account-schemas.ts';
import type { Endpoints } from '../api/endpoint.ts';
import { emptyAnswer, idParams, wholePageShape } from '../api/schemas.ts';
import { pageOfAll } from '../api/whole-list.ts';
import type { PageTokens } from '../../core/page-token.ts';
import { z } from '@hono/zod-openapi';

const path = '/api/v1/connected_accounts';
const tag = 'Connected accounts';

export interface AccountServices {
  pageTokens: PageTokens;
  accounts: Pick<Accounts, 'list' | 'create' | 'update' | 'describe' | 'events' | 'configWarnings'>;
  accountRefresh: Pick<AccountRefresh, 'refresh'>;
  disconnection: Pick<Disconnection, 'disconnect' | 'remove'>;
  credentialAccess: Pick<CredentialAccess, 'describe'>;
  trials: CredentialTrials;
}

/** Adds the routes of connected accounts. */
export function addAccountRoutes(
  endpoints: Endpoints,
  { accounts, accountRefresh, credentialAccess, disconnection, trials, pageTokens }: AccountServices,
): void {
  /** Stores an account, after a trial of its credential if the body asks for one. */
  const tried = async (
    { environmentId, actor }: Caller,
    check: boolean | undefined,
    input: AccountInput,
    store: (trial: CredentialTrial | undefined) => Promise<AccountView>,
  ): Promise<{ connected_account: AccountView; warnings?: string[] }> => {
    const trial =
      check === true ? trials.begin({ environmentId, actor, fieldPrefix: STATIC_DETAILS }) : undefined;
    const connected_account = await store(trial);
    const warnings = [
      ...(trial?.warnings ?? []),
      ...accounts.configWarnings(environmentId, connected_account, input),
    ];
    return { connected_account, ...((trial !== undefined || warnings.length > 0) && { warnings }) };
  };

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
      answer: storedAccountAnswer,
      refusals: [409],
    },
    async ({ caller, body: { check, ...input } }) =>
      tried(caller, check, input, async (trial) => accounts.create(caller, input, trial)),
  );
  endpoints.add(
    {
      method: 'put',
      path,
      operationId: 'updateConnectedAccount',
      tag,
      summary: 'Change credentials or configuration of an account.',
      access: 'accounts:write',
      body: updateAccountBody,
      answer: storedAccountAnswer,
      refusals: [404],
    },
    async ({ caller, body: { check, ...input } }) =>
      tried(caller, check, input, async (trial) => accounts.update(caller, input, trial)),
  );
  endpoints.add(
    {
      method: 'get',
      path: `${path}/auth`,
      operationId: 'getConnectedAccountCredentials',
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
      operationId: 'getConnectedAccount',
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
      operationId: 'deleteConnectedAccount',
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
      query: z.strictObject(wholePageShape),
      answer: accountEventsAnswer,
      refusals: [404],
    },
    async ({ caller, params, query }) => {
      const { rows, links } = pageOfAll(pageTokens, query, {
        rows: await accounts.events(caller, params.id),
        bound: ['events', caller.environmentId, params.id],
        keyOf: ({ id }) => id,
      });
      return { events: rows, ...links };
    },
  );
}
