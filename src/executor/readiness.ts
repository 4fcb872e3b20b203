/**
 * Whether an account may be used now, and what to say when not: the refusal carries a link for its owner
 * wherever one can be made (contract sections 6 and 11).
 */
import { endExpiredVerifications } from '../accounts/expiry.ts';
import { AccountNotActive, type ConnectLink } from '../accounts/not-active.ts';
import type { AccountStatus } from '../accounts/status.ts';
import type { Links } from '../auth/links.ts';
import { countRefusal } from '../auth/refused-credential.ts';
import type { Connector } from '../catalog/types.ts';
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { AccountStore, type AccountRow } from '../store/account-store.ts';
import type { Database } from '../store/database.ts';
import { everConnected } from './account-choice.ts';

export class Readiness {
  readonly #db: Database;
  readonly #links: Links;
  readonly #clock: Clock;

  constructor(deps: { db: Database; links: Links; clock: Clock }) {
    this.#db = deps.db;
    this.#links = deps.links;
    this.#clock = deps.clock;
  }

  /** Returns the account when it is ACTIVE. @throws AccountNotActive with a link where one can be made */
  async requireActive(caller: Caller, row: AccountRow, connector: Connector): Promise<AccountRow> {
    if (row.status === 'ACTIVE') return row;
    await endExpiredVerifications(this.#db, this.#clock);
    const current = await new AccountStore(this.#db.read).find({ environmentId: row.environment_id }, row.id);
    if (current?.status === 'ACTIVE') return current;
    throw await this.#refusal(caller, current ?? row, connector);
  }

  /** The error to answer with after a failed provider call: itself, or AccountNotActive when the credential is dead by it. */
  async afterRefusal(
    caller: Caller,
    row: AccountRow,
    connector: Connector,
    error: unknown,
  ): Promise<unknown> {
    if (!(error instanceof ServiceError) || error.code !== 'TOOL_ERROR') return error;
    const { provider_status } = error.details.tool_error as { provider_status?: number };
    if (provider_status === undefined || !connector.errors.reconnect.includes(provider_status)) return error;
    const expired = await countRefusal(this.#db, this.#clock, row);
    return expired === undefined ? error : this.#refusal(caller, expired, connector);
  }

  async #refusal(caller: Caller, row: AccountRow, connector: Connector): Promise<AccountNotActive> {
    const account = {
      id: row.id,
      connector: row.connection_name,
      connectorTitle: connector.title,
      identifier: row.identifier,
      status: row.status as AccountStatus,
      everConnected: everConnected(row),
    };
    return new AccountNotActive(account, await this.#link(caller, row));
  }

  async #link(caller: Caller, row: AccountRow): Promise<ConnectLink> {
    try {
      return await this.#links.createFor(caller, row);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const violations = (error.details.field_violations ?? []) as { description: string }[];
      const why = violations.map((violation) => violation.description).join(' ') || error.message;
      return { unavailable: `No link can be made here: ${why}` };
    }
  }
}
