/**
 * Reads the lists of remote MCP servers, account by account, judges new definitions, and carries out approvals of
 * operators.
 *
 * At most one list at a time is read per connection, and 32 in the process.
 */
import { catalogIn } from '../../catalog/model/environment-catalog.ts';
import type { Connector, Effect } from '../../catalog/model/types.ts';
import { announceUpstream } from '../../connections/announce-upstream.ts';
import type { ConnectionFinder } from '../../connections/connection-finder.ts';
import type { Clock } from '../../core/clock.ts';
import { invalidArgument, violation } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { CredentialSource, UsableCredential } from '../../credentials/usable-credential.ts';
import { ProviderFailure } from '../../outbound/provider-failure.ts';
import type { Account } from '../../store/accounts/account.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import type { Database, Readable, WriteTransaction } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { LOCAL, writeAuditLine, type AuditedBy } from '../../store/records/audit-store.ts';
import {
  raiseUpstreamVersion,
  storeUpstreamConnection,
  storeUpstreamList,
  upstreamListOf,
  type UpstreamTool,
} from '../../store/upstreams/upstream-store.ts';
import type { FetchedList, UpstreamClient } from '../calls/upstream-client.ts';
import { unseenEffect } from '../definitions/effects.ts';
import {
  definitionHash,
  listHash,
  newestApproved,
  pinChanges,
  pinnedTool,
  type ApprovalMode,
  type Pin,
} from '../definitions/pins.ts';
import { ACTIONS } from './audited-actions.ts';
import { judgedForms, type JudgedForm } from './judged-forms.ts';
import { endReplaced } from './replaced-forms.ts';
import { toolNews } from './tool-news.ts';
import { doubleNames, freeNames, nameRule, namesIn } from '../published/names-in-catalog.ts';
import { isTaken, type UpstreamCatalog } from '../published/upstream-catalog.ts';
import { obstacleOf } from '../published/upstream-tool.ts';

interface ToolListsDeps {
  db: Database;
  clock: Clock;
  log: Log;
  catalog: UpstreamCatalog;
  connections: ConnectionFinder;
  credentials: Pick<CredentialSource, 'fresh' | 'afterRefusal'>;
  /** Called with an account whose credential the server refuses. */
  refused: (account: Account) => Promise<void>;
  client: UpstreamClient;
  /** Address of the server of an account. */
  urlOf: (connector: Connector, credential: UsableCredential) => URL;
  /** Approval mode of connectors that do not state one. */
  approvalOf: (environmentId: string) => ApprovalMode;
}

/** An operator's decision about one form of one tool. */
export interface Approval {
  /** The tool's name at its server. */
  tool: string;
  hash: string;
  /** Default: the effect that its hints and its name stand for. */
  effect?: Effect | undefined;
  /** Our name for it, if it would get none or should get another one. */
  name?: string | undefined;
}

const LISTS_AT_ONCE = 32;
const LIST_MS = 55_000;
/** Shortest time between two lists of an account that are read in the background. */
const PAUSE_MS = 300_000;
/** Most approved forms of one tool. Plans and roles can give people different schemas. */
const MAX_FORMS = 50;

export class ToolLists {
  readonly #deps: ToolListsDeps;
  /** The end of the list that is being read, by connection. */
  readonly #running = new Map<string, Promise<unknown>>();
  /** Time when the last list of an account was begun in the background. */
  readonly #begun = new Map<string, number>();

  constructor(deps: ToolListsDeps) {
    this.#deps = deps;
  }

  /** Reads an account's list, unless that was tried a few minutes ago. Failures are logged. */
  async refreshSoon(account: Account): Promise<void> {
    const now = this.#deps.clock.now();
    if (now - (this.#begun.get(account.id) ?? 0) < PAUSE_MS || this.#running.size >= LISTS_AT_ONCE) return;
    this.#begun.set(account.id, now);
    await this.refresh(account).catch((err: unknown) =>
      this.#deps.log.warn('upstream_list_failed', {
        connector: account.connection.connector,
        connected_account_id: account.id,
        err,
      }),
    );
  }

  /**
   * Reads the list of an account that has new credentials, because it may now be another account at its server.
   * Never fails.
   */
  async connected(environmentId: string, accountId: string): Promise<void> {
    const account = await new AccountStore(this.#deps.db.read)
      .find({ environmentId }, accountId)
      .catch(() => undefined);
    if (account?.status !== 'ACTIVE') return;
    this.#begun.delete(accountId);
    await this.refreshSoon(account);
  }

  /**
   * Reads an account's list now and stores it.
   *
   * @returns the states that changed
   * @throws ProviderFailure (TOOL_ERROR), AccountNotActive, and the errors of a credential that cannot be used
   */
  async refresh(account: Account): Promise<Pin[]> {
    const { id } = account.connection;
    const before = this.#running.get(id) ?? Promise.resolve();
    const run = before.then(
      async () => this.#refresh(account),
      async () => this.#refresh(account),
    );
    this.#running.set(id, run);
    try {
      return await run;
    } finally {
      if (this.#running.get(id) === run) this.#running.delete(id);
    }
  }

  /** Forms of the tools of a connection, in any state. */
  async formsOf(environmentId: string, connectionId: string): Promise<UpstreamTool[]> {
    return formsIn(this.#deps.db.read, environmentId, connectionId);
  }

  /**
   * Our names for a connection's tools, by their names at the server: the approved ones, or those that they would
   * get.
   */
  namesFor(
    environmentId: string,
    connectorName: string,
    forms: readonly UpstreamTool[],
  ): ReadonlyMap<string, string | undefined> {
    const { connector } = this.#connectorNamed(environmentId, connectorName);
    return namesIn(catalogIn(this.#deps.catalog, environmentId), connector, forms, []);
  }

  /**
   * Publishes forms as an operator has seen them.
   *
   * @throws ServiceError INVALID_ARGUMENT for a form that does not exist, or that cannot be published
   */
  async approve(
    by: AuditedBy,
    connection: { id: string; connector: string },
    approvals: readonly Approval[],
  ): Promise<void> {
    const { db, clock, catalog } = this.#deps;
    const { environmentId } = by;
    const { connector } = this.#connectorNamed(environmentId, connection.connector);
    const known = await this.formsOf(environmentId, connection.id);
    const own = catalogIn(catalog, environmentId);
    const names = namesIn(own, connector, known, []);
    const isFree = freeNames(own, connector, known);
    const violations = approvals.flatMap(({ tool, hash, name }, i) => {
      const form = known.find((each) => each.tool === tool && each.hash === hash);
      const field = `tools[${i}]`;
      if (name !== undefined && !isFree(name, tool))
        return [violation(`${field}.name`, nameRule(connector.name), 'name')];
      if (name !== undefined) names.set(tool, name);
      if (form === undefined) return [violation(field, `There is no form ${hash} of ${tool}.`, 'unknown')];
      const obstacle = obstacleOf(form.definition, names.get(tool));
      if (obstacle !== undefined)
        return [violation(field, `${tool} cannot be published: ${obstacle}.`, 'obstacle')];
      const forms = known.filter((each) => each.tool === tool && each.state === 'approved');
      return forms.length >= MAX_FORMS
        ? [violation(field, `${tool} has ${MAX_FORMS} approved forms already.`, 'max_items')]
        : [];
    });
    violations.push(...doubleNames(approvals, names, connector.name));
    if (violations.length > 0) throw invalidArgument(violations);
    const now = clock.now();
    await db.transaction(async (tx) => {
      for (const { tool, hash, effect } of approvals) {
        const form = known.find((each) => each.tool === tool && each.hash === hash);
        if (form === undefined) continue;
        await rows(tx, 'upstream_tools').update(environmentId, form.id, {
          state: 'approved',
          obstacle: null,
          name: names.get(tool) ?? null,
          effect: effect ?? unseenEffect(form.definition),
          decided_by: by.actor,
          decided_at: now,
        });
        await writeAuditLine(tx, by, { action: ACTIONS.approved, target: `${form.id} ${hash}`, now });
      }
      await endReplaced(tx, by, connection.id, { known, approvals, now });
      await raiseUpstreamVersion(tx, environmentId);
    });
    await catalog.refresh();
  }

  async #refresh(account: Account): Promise<Pin[]> {
    const { clock, connections, credentials, client, urlOf } = this.#deps;
    const { connector, auth } = connections.connectorOf(account.connection);
    const use = { connector, auth, executionId: null };
    const deadline = clock.now() + LIST_MS;
    const list = async (credential: UsableCredential): Promise<FetchedList> =>
      client.list({ connector, url: urlOf(connector, credential), credential, executionId: null, deadline });
    const first = await credentials.fresh(account, use);
    try {
      return await this.#store(account, connector, await list(first));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#deps.refused(account);
      const newer = await credentials.afterRefusal(first, use);
      if (newer === undefined) throw error;
      return await this.#store(account, connector, await list(newer));
    }
  }

  async #store(account: Account, connector: Connector, { tools, server }: FetchedList): Promise<Pin[]> {
    const { db, clock, log, catalog } = this.#deps;
    const { environmentId, id: accountId, connection } = account;
    const scope = { environmentId, connectionId: connection.id };
    const pin = connector.mcp?.pin ?? 'full';
    // The stored definition is shown to other accounts. With `shape` it has no value that the server chose for this
    // one.
    const listed = tools.filter(({ name }) => isTaken(connector, name)).map((tool) => pinnedTool(tool, pin));
    const hashes = listed.map((tool) => definitionHash(tool, pin));
    const now = clock.now();
    const list = {
      id: accountId,
      environment_id: environmentId,
      connection_id: connection.id,
      hash: listHash(hashes),
      tools: JSON.stringify(listed.map(({ name }, i) => [name, hashes[i] ?? ''])),
      listed_at: now,
    };
    const last = await upstreamListOf(db.read, environmentId, accountId);
    if (last?.hash === list.hash) {
      await db.transaction(async (tx) => storeUpstreamList(tx, list));
      return [];
    }
    const told = await db.transaction(async (tx) => {
      // Read in the transaction, so that only one of two processes with the same news announces it.
      const known = await formsIn(tx, environmentId, connection.id);
      const forms = judgedForms(catalogIn(catalog, environmentId), connector, { listed, hashes, known });
      const others = await rows(tx, 'upstream_lists').list(environmentId, {
        where: { connection_id: connection.id },
      });
      const seenElsewhere = new Set(
        others.filter(({ id }) => id !== accountId).flatMap((other) => other.tools.map(([, hash]) => hash)),
      );
      const changes = pinChanges(
        forms.map(({ listed: { name: tool }, hash, obstacle, findings }) => ({
          tool,
          hash,
          obstacle,
          isSuspicious: findings.length > 0,
        })),
        known,
        { mode: this.#modeOf(connector, environmentId), isFirst: known.length === 0, seenElsewhere },
      );
      // A form that nobody decided about and that is in no list any more does not wait for a person.
      const withdrawn = known.filter(
        ({ state, hash }) =>
          (state === 'new' || state === 'held') && !hashes.includes(hash) && !seenElsewhere.has(hash),
      );
      for (const change of changes) await this.#write(tx, { account, connector, now, known, forms }, change);
      for (const { id, hash } of withdrawn) {
        await rows(tx, 'upstream_tools').delete(environmentId, id);
        const line = { action: ACTIONS.withdrawn, target: `${id} ${hash}`, now };
        await writeAuditLine(tx, { environmentId, ...LOCAL }, line);
      }
      await storeUpstreamConnection(tx, scope, { server: JSON.stringify(server), listed_at: now });
      await storeUpstreamList(tx, list);
      const news = toolNews({ changes, withdrawn, known, forms });
      if (news === undefined) return { changes, news };
      await raiseUpstreamVersion(tx, environmentId);
      await announceUpstream(tx, connection, 'upstream.tools_changed', news, now);
      return { changes, news };
    });
    if (told.news !== undefined) {
      log.info('upstream_tools_changed', {
        environment_id: environmentId,
        connection_id: connection.id,
        connector: connector.name,
        count: told.changes.length,
      });
      await catalog.refresh();
    }
    return told.changes;
  }

  #modeOf({ mcp }: Connector, environmentId: string): ApprovalMode {
    return mcp?.approval ?? this.#deps.approvalOf(environmentId);
  }

  async #write(
    tx: WriteTransaction,
    of: {
      account: Account;
      connector: Connector;
      now: number;
      known: readonly UpstreamTool[];
      forms: readonly JudgedForm[];
    },
    { tool, hash, state }: Pin,
  ): Promise<void> {
    const { account, connector, now } = of;
    const { environmentId, connection } = account;
    const existing = of.known.find((each) => each.tool === tool && each.hash === hash);
    const by = { environmentId, ...LOCAL };
    // Reports held forms together with those that stay published.
    const beside = state === 'held' ? newestApproved(of.known, tool)?.hash : undefined;
    const lineOf = (id: string) => ({
      action: ACTIONS[state],
      target: [id, hash, beside].filter((part) => part !== undefined).join(' '),
      now,
    });
    if (existing !== undefined) {
      await rows(tx, 'upstream_tools').update(environmentId, existing.id, { state });
      if (state !== 'approved') await writeAuditLine(tx, by, lineOf(existing.id));
      return;
    }
    const form = of.forms.find((each) => each.listed.name === tool && each.hash === hash);
    if (form === undefined) return;
    const isApproved = state === 'approved';
    const id = newId('upt', now);
    await rows(tx, 'upstream_tools').insert({
      id,
      environment_id: environmentId,
      connection_id: connection.id,
      tool,
      hash,
      state,
      obstacle: form.obstacle ?? null,
      definition: JSON.stringify(form.listed),
      findings: JSON.stringify(form.findings),
      name: isApproved ? (form.name ?? null) : null,
      effect: isApproved ? unseenEffect(form.listed) : null,
      decided_by: isApproved ? `approval: ${this.#modeOf(connector, environmentId)}` : null,
      decided_at: isApproved ? now : null,
      created_at: now,
    });
    await writeAuditLine(tx, by, lineOf(id));
  }

  #connectorNamed(environmentId: string, name: string): { connector: Connector } {
    const connector = catalogIn(this.#deps.catalog, environmentId).connectors.get(name);
    if (connector?.mcp === undefined)
      throw invalidArgument([violation('connector', `${name} is no MCP server.`, 'unknown')]);
    return { connector };
  }
}

async function formsIn(db: Readable, environmentId: string, connectionId: string): Promise<UpstreamTool[]> {
  return rows(db, 'upstream_tools').list(environmentId, {
    where: { connection_id: connectionId },
    orderBy: ['tool', 'created_at', 'hash'],
  });
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProviderFailure && error.toolError.provider_status === 401;
}
