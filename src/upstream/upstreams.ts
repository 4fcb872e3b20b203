/**
 * Remote MCP servers for the rest of the program: their tools by environment, the tools of each account, and the
 * services that call them. This is the light part, which every start loads; the client and the lists are loaded
 * with their first use.
 */
import type { Tool } from '../catalog/model/types.ts';
import { InFlight } from '../core/in-flight.ts';
import type { Account } from '../store/accounts/account.ts';
import type { Database } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';
import { upstreamListOf, type UpstreamList } from '../store/upstreams/upstream-store.ts';
import type { UpstreamClient, UpstreamUse } from './calls/upstream-client.ts';
import type { UpstreamRegistry } from './published/registry.ts';
import type { UpstreamCatalog } from './published/upstream-catalog.ts';
import type { ToolLists } from './lists/tool-lists.ts';
import type { UpstreamOperators } from './operators/upstream-operators.ts';

/** Age after which a list is read again when its account is used. */
const LIST_MS = 3_600_000;

interface UpstreamsDeps {
  db: Database;
  catalog: UpstreamCatalog;
  client: () => Promise<UpstreamClient>;
  lists: () => Promise<ToolLists>;
  registry: UpstreamRegistry;
  operators: UpstreamOperators;
  /** See `noteRefused`. */
  refused: (account: Account) => Promise<void>;
  /** See `use`. */
  use: () => UpstreamUse;
  /** Ends the sessions of the client, if it is loaded. */
  close: () => Promise<void>;
  now: () => number;
}

/** The form of a tool that an account is shown; `undefined` if it is not shown the tool. */
export type FormOf = (tool: Tool) => Tool | undefined;

export class Upstreams {
  readonly #deps: UpstreamsDeps;
  /** Lists that are read in the background. */
  readonly #reading = new InFlight();

  constructor(deps: UpstreamsDeps) {
    this.#deps = deps;
  }

  get catalog(): UpstreamCatalog {
    return this.#deps.catalog;
  }

  /** Adds and removes connectors while the program runs. */
  get registry(): UpstreamRegistry {
    return this.#deps.registry;
  }

  /** Operations of operators on servers. */
  get operators(): UpstreamOperators {
    return this.#deps.operators;
  }

  /** The client that calls servers; loaded with the first call. */
  async client(): Promise<UpstreamClient> {
    return this.#deps.client();
  }

  /** The service that reads and approves lists; loaded with its first use. */
  async lists(): Promise<ToolLists> {
    return this.#deps.lists();
  }

  /** Figures of this process for metrics. */
  get use(): UpstreamUse {
    return this.#deps.use();
  }

  /** Resolves when no list is being read in the background. */
  async settled(): Promise<void> {
    await this.#reading.settled();
  }

  /** Ends every session. */
  async close(): Promise<void> {
    await this.#deps.close();
  }

  /** The form of a tool that an account is shown: that of its own last list, or the general one if it has no list. */
  async formFor({ environmentId, id }: Account, tool: Tool): Promise<Tool | undefined> {
    return formIn(tool, await upstreamListOf(this.#deps.db.read, environmentId, id));
  }

  /**
   * The form of each tool for the owner of these accounts. If there are several accounts of a connector, a tool is
   * shown if one of them has it.
   */
  async formsFor(environmentId: string, accounts: readonly Account[]): Promise<FormOf> {
    const { catalog, db } = this.#deps;
    const { connectors } = catalog.in(environmentId);
    const relevant = accounts.filter(
      ({ connection }) => connectors.get(connection.connector)?.mcp !== undefined,
    );
    const lists = await rows(db.read, 'upstream_lists').findAll(
      environmentId,
      relevant.map(({ id }) => id),
    );
    for (const account of relevant)
      if (account.status === 'ACTIVE')
        this.#refreshIfOld(
          account,
          lists.find(({ id }) => id === account.id),
        );
    const byConnector = Map.groupBy(relevant, ({ connection }) => connection.connector);
    return (tool) => {
      if (tool.upstream === undefined) return tool;
      const own = byConnector.get(tool.connector) ?? [];
      if (own.length === 0) return tool;
      for (const { id } of own) {
        const form = formIn(
          tool,
          lists.find((list) => list.id === id),
        );
        if (form !== undefined) return form;
      }
      return undefined;
    };
  }

  /** Reads the list of an account with new credentials, in the background. Never fails. */
  noteConnected({
    environmentId,
    id,
    connection,
  }: Pick<Account, 'id' | 'environmentId' | 'connection'>): void {
    const { connectors } = this.#deps.catalog.in(environmentId);
    if (connectors.get(connection.connector)?.mcp === undefined) return;
    this.#inBackground(async (lists) => lists.connected(environmentId, id));
  }

  /** Reads the list of an account that was used, in the background and if that is due. Never fails. */
  noteUse(account: Account): void {
    void upstreamListOf(this.#deps.db.read, account.environmentId, account.id).then(
      (list) => this.#refreshIfOld(account, list),
      () => {},
    );
  }

  /** Reads the list of an account in the background, because it may be out of date. */
  noteChanged(account: Account): void {
    this.#inBackground(async (lists) => lists.refreshSoon(account));
  }

  /**
   * Notes that a server refuses the credential of an account. The next consent then reads the server's metadata
   * again, like the first one.
   */
  async noteRefused(account: Account): Promise<void> {
    await this.#deps.refused(account);
  }

  #refreshIfOld(account: Account, list: UpstreamList | undefined): void {
    if (list !== undefined && this.#deps.now() - list.listed_at < LIST_MS) return;
    this.#inBackground(async (lists) => lists.refreshSoon(account));
  }

  /** Runs work that never fails in the background. */
  #inBackground(work: (lists: ToolLists) => Promise<void>): void {
    void this.#reading.track(this.#deps.lists().then(work));
  }
}

function formIn(tool: Tool, list: UpstreamList | undefined): Tool | undefined {
  const { upstream } = tool;
  if (list === undefined || upstream === undefined) return tool;
  const hashes = list.tools.filter(([name]) => name === upstream.name).map(([, hash]) => hash);
  if (hashes.length === 0) return undefined;
  // A form that nobody approved is not shown; the approved one stays.
  const form = hashes.map((hash) => upstream.variants.get(hash)).find((each) => each !== undefined) ?? tool;
  // A form that was gone and is listed again is called only once the catalog counts its effect, which decides about
  // calls.
  return form.effect === tool.effect ? form : undefined;
}
