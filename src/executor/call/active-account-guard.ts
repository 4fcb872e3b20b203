/**
 * Decides whether an account may be used now. If not, the error carries a link for its owner if one can be made
 * (docs/contract.md#verification-modes).
 */
import { AccountNotActive } from '../../accounts/not-active.ts';
import type { WaitingCredentials } from '../../accounts/waiting-credentials.ts';
import type { LinkOptions } from '../../links/link-rules.ts';
import type { Links } from '../../links/links.ts';
import { countRefusal } from '../../credentials/refresh/refused-credential.ts';
import { schemeOf } from '../../credentials/schemes/index.ts';
import type { UsableCredential } from '../../credentials/usable-credential.ts';
import type { Connector, ConnectorAuth, Tool } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { isAmong } from '../../outbound/error-code.ts';
import { CREDENTIAL_REFUSED, ProviderFailure, RENEWAL_FAILED } from '../../outbound/provider-failure.ts';
import type { Account } from '../../store/accounts/account.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { everConnected } from './account-pick.ts';
import { connectLink, declinedLately } from './connect-link.ts';
import { missingScope, type RefusedCall } from './missing-scope.ts';

/** Options of a call for the answer if its account is not ACTIVE. */
export interface AskedAnswer {
  /** About its link. */
  link?: LinkOptions | undefined;
  /** The called tool, or those that are selected: their scopes are asked for. */
  tools?: readonly Tool[] | undefined;
  /** The call itself made the account. */
  isNew?: boolean | undefined;
}

interface ActiveAccountGuardDeps {
  db: Database;
  links: Links;
  waiting: WaitingCredentials;
  clock: Clock;
}

export class ActiveAccountGuard {
  readonly #deps: ActiveAccountGuardDeps;

  constructor(deps: ActiveAccountGuardDeps) {
    this.#deps = deps;
  }

  /** Returns the account if it is ACTIVE. @throws AccountNotActive with a link if one can be made */
  async requireActive(
    caller: Caller,
    account: Account,
    connector: Connector,
    asked: AskedAnswer = {},
  ): Promise<Account> {
    if (account.status === 'ACTIVE') return account;
    await this.#deps.waiting.endExpired();
    const current = await new AccountStore(this.#deps.db.read).find(
      { environmentId: account.environmentId },
      account.id,
    );
    if (current?.status === 'ACTIVE') return current;
    throw await this.refusal(caller, current ?? account, connector, asked);
  }

  /**
   * The error to answer with after a failed provider call: the same error, MissingScope, or AccountNotActive if the
   * failure ended the credential. Refusals of a renewable credential do not count, because its renewal shows whether it
   * has ended; their answer carries a link nevertheless.
   *
   * @param credential the one of the last request
   * @param call.tool `undefined` for a proxied request: its required scopes are unknown, so the provider's answer is
   *   passed on unless the account has ended
   */
  async afterRefusal(
    caller: Caller,
    credential: UsableCredential,
    {
      tool,
      connector,
      auth,
      link,
    }: { tool: Tool | undefined; connector: Connector; auth: ConnectorAuth; link?: LinkOptions | undefined },
    error: unknown,
  ): Promise<unknown> {
    const { account, details } = credential;
    const granted = details.oauth_token?.scopes;
    const call = tool && { caller, account, tool, connector, auth, granted, link };
    const missing = call && (await missingScope(this.#deps, call, error));
    if (missing !== undefined) return missing;
    if (!isRefusal(error, connector)) return error;
    if (credential.isRenewable)
      return call === undefined ? error : refusedAgain(this.#deps.links, call, error);
    const operators = notTheAccounts(error, account, { connector, auth });
    if (operators !== undefined) return call === undefined ? error : operators;
    const expired = await countRefusal(this.#deps.db, this.#deps.clock, account);
    return expired === undefined
      ? error
      : this.refusal(caller, expired, connector, { link, tools: tool && [tool] });
  }

  /** The error for an account that is not ACTIVE. */
  async refusal(
    caller: Caller,
    account: Account,
    connector: Connector,
    { link, tools = [], isNew = false }: AskedAnswer = {},
  ): Promise<AccountNotActive> {
    const shown = {
      id: account.id,
      connection: account.connection.name,
      connectorTitle: connector.title,
      identifier: account.identifier,
      status: account.status,
      everConnected: everConnected(account),
      isNew,
    };
    const declined =
      link?.force === true
        ? undefined
        : declinedLately(account.declinedAt, 'to connect it', this.#deps.clock.now());
    return new AccountNotActive(
      shown,
      declined ?? (await connectLink(this.#deps.links, caller, account, { ...link, tools })),
    );
  }
}

/** The failure, worded for the operator if only the operator can fix it; `undefined` if the account is at fault. */
function notTheAccounts(
  error: ProviderFailure,
  account: Account,
  { connector, auth }: { connector: Connector; auth: ConnectorAuth },
): ProviderFailure | undefined {
  const { status, toolError } = error;
  // The connector's own declaration needs no interpretation of texts.
  if (
    toolError.code === CREDENTIAL_REFUSED ||
    isAmong(connector.errors.reconnect_codes ?? [], toolError.code)
  )
    return undefined;
  const names = { title: connector.title, connection: account.connection.name };
  const message = schemeOf(auth.type).operatorsRefusal?.(auth, error, names);
  return message === undefined
    ? undefined
    : new ProviderFailure(message, status, toolError, { cause: error });
}

/** Whether a failed provider call means that the provider does not accept the credential. */
export function isRefusal(error: unknown, connector: Connector): error is ProviderFailure {
  if (!(error instanceof ProviderFailure)) return false;
  const { provider_status: status, code } = error.toolError;
  if (code === CREDENTIAL_REFUSED) return true;
  if (code === RENEWAL_FAILED || status === null) return false;
  const { reconnect, reconnect_codes: codes = [], reconnect_except: others = [] } = connector.errors;
  // A server error may come after the work was done, so the request must not be repeated for it.
  const isDecided = status < 300 || (status >= 400 && status <= 499);
  if (isDecided && isAmong(codes, code)) return true;
  return reconnect.includes(status) && !isAmong(others, code);
}

/**
 * The error for a credential that the provider still refuses after a renewal. This may be the provider's mistake, so
 * the account stays as it is. Otherwise a new consent helps, so the answer has a link for its owner.
 *
 * @returns TOOL_ERROR, 502, with a link if one can be made
 */
async function refusedAgain(
  links: Pick<Links, 'createFor'>,
  { caller, account, connector, tool, link }: RefusedCall,
  failure: ProviderFailure,
): Promise<ProviderFailure> {
  const connect = await connectLink(links, caller, account, { ...link, tools: [tool] });
  const what = `${connector.title} refuses the credential of this account, also after it was renewed (${failure.toolError.provider_status}).`;
  const advice =
    'link' in connect
      ? 'If calling again a little later does not help, the owner of the account connects it again by opening the authorization link.'
      : connect.unavailable;
  return new ProviderFailure(`${what} ${advice}`, failure.status, failure.toolError, {
    cause: failure,
    details: {
      connected_account_id: account.id,
      ...('link' in connect && { authorization_link: connect.link, expiry: connect.expiry }),
    },
  });
}
