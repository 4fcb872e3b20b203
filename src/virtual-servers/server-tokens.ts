/**
 * Session tokens of virtual MCP servers: short-lived, for one user and one server, made by an application that knows
 * the user (docs/mcp-servers.md#tokens-for-your-users). They are not issued while a connection of the server lacks a
 * working account of the user, so that the application first sends the user through the links.
 */
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import { accountReach, requestedOwner } from '../accounts/account-finder.ts';
import { vouchedBy } from '../people/session-rules.ts';
import { namedTools } from '../catalog/model/tool-selection.ts';
import type { Catalog, Tool } from '../catalog/model/types.ts';
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import { findOrCreateAccount } from '../accounts/new-account.ts';
import { AccountNotActive } from '../accounts/not-active.ts';
import { textViolations } from '../core/text-rules.ts';
import type { Caller, Owner, Visitor } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { invalidArgument, ServiceError } from '../core/errors.ts';
import { everConnected } from '../executor/call/account-pick.ts';
import type { ActiveAccountGuard } from '../executor/call/active-account-guard.ts';
import type { Sessions } from '../people/sessions.ts';
import type { PersonTokens } from '../authorization-server/tokens/person-tokens.ts';
import { vouchingClientId } from '../api-credentials/vouching-application.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Database } from '../store/engine/database.ts';
import type { VirtualServer } from '../store/tables/policy-tables.ts';
import type { McpServers } from './mcp-servers.ts';

/** The only scope of such a token. */
const SCOPES = ['tools:execute'] as const;

/** A token for one user of one server, with the address where it is used. */
export interface ServerToken {
  access_token: string;
  mcp_url: string;
  /** Seconds. */
  expires_in: number;
}

interface ServerTokensDeps {
  db: Database;
  catalog: Catalog;
  servers: McpServers;
  connections: ConnectionFinder;
  activeAccounts: Pick<ActiveAccountGuard, 'requireActive'>;
  sessions: Pick<Sessions, 'begin'>;
  tokens: Pick<PersonTokens, 'accessToken'>;
  clock: Clock;
}

export class ServerTokens {
  readonly #deps: ServerTokensDeps;

  constructor(deps: ServerTokensDeps) {
    this.#deps = deps;
  }

  /**
   * Makes the missing accounts and, if all of them work, a token.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT on `user_id`; PERMISSION_DENIED for a user out of reach;
   *   CONNECTED_ACCOUNT_NOT_ACTIVE with a detail and a link per connection; CONNECTION_MISSING; POLICY_DENIED
   */
  async issue(
    caller: Caller,
    idOrName: string,
    input: { user_id: string },
    visitor: Visitor,
  ): Promise<ServerToken> {
    const row = await this.#deps.servers.row(caller, idOrName);
    const violations = textViolations({ user_id: input.user_id });
    if (violations.length > 0) throw invalidArgument(violations);
    const owner = requestedOwner(caller, input);
    const clientId = await vouchingClientId(this.#deps.db.read, caller);
    await this.#requireAccounts(caller, owner, row);
    const resource = this.#deps.servers.urlOf(row);
    const session = await this.#deps.sessions.begin({
      environmentId: row.environment_id,
      kind: 'mcp_server',
      userId: owner.userId,
      organizationId: '',
      clientId,
      resource,
      visitor,
      connectionDetails: vouchedBy(caller.actor),
      actor: caller.actor,
    });
    const { access_token, expires_in } = await this.#deps.tokens.accessToken(session, SCOPES);
    return { access_token, mcp_url: resource, expires_in };
  }

  async #requireAccounts(
    caller: Caller,
    owner: Owner,
    { connections, toolsets, tools: names, read_only: readOnly }: VirtualServer,
  ): Promise<void> {
    const selected = namedTools([...catalogIn(this.#deps.catalog, caller.environmentId).tools.values()], {
      toolsets,
      tools: names,
    });
    const tools = readOnly ? selected.filter(({ effect }) => effect === 'read') : selected;
    const missing: AccountNotActive[] = [];
    for (const name of connections) {
      try {
        await this.#requireAccount(caller, owner, name, tools);
      } catch (error) {
        if (!(error instanceof AccountNotActive)) throw error;
        missing.push(error);
      }
    }
    const [first, ...others] = missing;
    if (first === undefined) return;
    throw new ServiceError('CONNECTED_ACCOUNT_NOT_ACTIVE', missing.map(({ message }) => message).join(' '), {
      details: first.details,
      others,
    });
  }

  /** @throws AccountNotActive; ServiceError CONNECTION_MISSING */
  async #requireAccount(
    caller: Caller,
    owner: Owner,
    connectionName: string,
    tools: readonly Tool[],
  ): Promise<void> {
    const connection = await this.#connection(caller, connectionName);
    const { connector, auth } = this.#deps.connections.connectorOf(connection);
    const accounts = await new AccountStore(this.#deps.db.read).findByOwner(
      accountReach(caller),
      connection.id,
      owner,
    );
    const wanted = { connection, auth, owner, identifier: owner.userId, now: this.#deps.clock.now() };
    const account = mostUsable(accounts) ?? (await findOrCreateAccount(this.#deps.db, wanted, caller.actor));
    await this.#deps.activeAccounts.requireActive(caller, account, connector, { tools });
  }

  /** A connection that existed when the server was made, but may be gone. */
  async #connection({ environmentId }: Caller, name: string) {
    try {
      return await this.#deps.connections.byName(environmentId, name);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'INVALID_ARGUMENT') throw error;
      throw new ServiceError(
        'CONNECTION_MISSING',
        `The connection ${name} of this MCP server no longer exists. Remove it from the server, or create it again.`,
        { details: { connector: name }, cause: error },
      );
    }
  }
}

/** An account that works, otherwise one that has worked, otherwise any. */
function mostUsable(accounts: readonly Account[]): Account | undefined {
  return accounts.find(({ status }) => status === 'ACTIVE') ?? accounts.find(everConnected) ?? accounts[0];
}
