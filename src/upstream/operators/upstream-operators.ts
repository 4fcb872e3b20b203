/**
 * Operations of operators on remote MCP servers: look, add, approve, accept, remove
 * (docs/contract.md#tools-of-remote-mcp-servers).
 */
import type { Caller } from '../../core/caller.ts';
import {
  invalidArgument,
  invalidField,
  notFound,
  ServiceError,
  violation,
  type FieldViolation,
} from '../../core/errors.ts';
import { isObject, mergePatch, type JsonObject } from '../../core/json.ts';
import {
  isWithin,
  shownServer,
  type McpServers,
  type ShownServer,
} from '../../credentials/oauth/mcp-servers.ts';
import type { Connector } from '../../catalog/model/types.ts';
import { AccountStore } from '../../store/accounts/account-store.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import { ConnectionStore } from '../../store/accounts/connection-store.ts';
import { rows } from '../../store/engine/rows.ts';
import { spelled } from '../definitions/plain-text.ts';
import type { Approval, ToolLists } from '../lists/tool-lists.ts';
import { Additions, type AdditionDeps } from './additions.ts';
import { knownServers, type KnownServer } from './known-servers.ts';
import { checkListed, type ListedCheck } from './listed-check.ts';
import { listedAs, notListed, type ListedServer } from './listed-servers.ts';
import { conflicts, requestViolations, type NewUpstream } from './new-connector.ts';
import { finding, lookAt, type Look } from './server-look.ts';
import {
  isWaiting,
  obstacleNow,
  toFormView,
  toolDiffs,
  type ToolDiff,
  type ToolFormView,
} from './tool-forms.ts';
import type { UpstreamFinding, UpstreamView } from './upstream-view.ts';
import { NOT_LOOKED_AT, viewOf, viewOfLook } from './upstream-views.ts';

interface OperatorsDeps extends AdditionDeps {
  mcpServers: AdditionDeps['mcpServers'] & Pick<McpServers, 'accept' | 'reregister'>;
  lists: () => Promise<ToolLists>;
}

export class UpstreamOperators {
  readonly #deps: OperatorsDeps;
  readonly #additions: Additions;

  constructor(deps: OperatorsDeps) {
    this.#deps = deps;
    this.#additions = new Additions(deps);
  }

  /** The servers of an environment, by name. */
  async list(environmentId: string): Promise<UpstreamView[]> {
    const known = await this.#known(environmentId);
    return known.map((server) => viewOf(this.#deps, environmentId, server));
  }

  /** @throws ServiceError RESOURCE_NOT_FOUND */
  async get(environmentId: string, name: string): Promise<UpstreamView> {
    return viewOf(this.#deps, environmentId, await this.#named(environmentId, name));
  }

  /** See `Additions.add`. @returns the result of the look, with the stored data after `confirm` */
  async add(caller: Caller, given: NewUpstream): Promise<UpstreamView> {
    const view = await this.#additions.add(caller, given);
    if (given.confirm !== true) return view;
    const stored = await this.get(caller.environmentId, view.name);
    const { era, server, findings } = view;
    return { ...stored, era, server, findings };
  }

  /**
   * Changes the description of a server that was added while the program ran. Its name and its address stay,
   * because accounts were connected there.
   *
   * @param change.connector keys written as in a connector.yaml; null removes one (RFC 7396)
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT with every mistake, or for a server of a file
   */
  async update(
    caller: Caller,
    name: string,
    change: Pick<NewUpstream, 'title' | 'connector' | 'trusted'>,
  ): Promise<UpstreamView> {
    const { registry, connectorOf } = this.#deps;
    const known = await this.#named(caller.environmentId, name);
    const { connector } = known;
    const definition = await registry.definitionOf(caller.environmentId, connector.name);
    const { title, trusted } = change;
    const merged = mergePatch(definition, {
      ...change.connector,
      ...(title !== undefined && { title }),
    });
    const wanted = trusted === undefined ? merged : withTrust(merged, trusted);
    const input = { ...change, name: connector.name, url: connector.hosts[0]?.url };
    // Settings that only the operator's own servers may have are removed when it no longer is one.
    const violations = conflicts(trusted === false ? { ...input, connector: wanted } : input);
    const read = await connectorOf(wanted).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      violations.push(...requestViolations(error, { ...input, connector: change.connector ?? {} }));
      return undefined;
    });
    const isMoved =
      read !== undefined && (read.mcp === undefined || read.hosts[0]?.url !== connector.hosts[0]?.url);
    if (isMoved && violations.every(({ field }) => field !== 'connector.mcp.url'))
      violations.push(
        violation('connector.mcp', 'Its address stays: accounts were connected there.', 'fixed'),
      );
    if (read !== undefined)
      violations.push(
        ...(await this.#lostTypes(caller.environmentId, { name: connector.name, auth: read.auth })),
      );
    if (violations.length > 0) throw invalidArgument(violations);
    await registry.update(caller, connector.name, wanted);
    return this.get(caller.environmentId, name);
  }

  /**
   * Looks at a stored server as it is now, without a credential, and reads and stores the list of its newest
   * account.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND
   */
  async probe(environmentId: string, name: string): Promise<UpstreamView> {
    const known = await this.#named(environmentId, name);
    const { connector } = known;
    const connection = this.#connected(known);
    const url = connector.hosts[0]?.url ?? '';
    const look = url.includes('{')
      ? undefined
      : await lookAt(this.#deps, {
          connector: { ...connector, auth: connector.auth.filter(({ type }) => type === connection.type) },
          url: new URL(url),
          isChosen: true,
        });
    const unread = look?.answer.problem === undefined ? await this.#unreadList(connection) : [];
    const view = await this.get(environmentId, name);
    if (look === undefined) return { ...view, findings: [NOT_LOOKED_AT, ...unread, ...view.findings] };
    const now = viewOfLook(this.#deps, connector, connection, look);
    return {
      ...view,
      era: now.era ?? view.era,
      server: now.server ?? view.server,
      issuer: view.issuer ?? now.issuer,
      registration: view.registration ?? now.registration,
      scopes: view.scopes.length > 0 ? view.scopes : now.scopes,
      findings: [...look.findings, ...unread, ...changeFinding(known, look), ...view.findings],
    };
  }

  /** Servers in public lists. */
  async listed(): Promise<readonly ListedServer[]> {
    return this.#deps.listed();
  }

  /**
   * Looks at servers in public lists, and compares.
   *
   * @param names default: all of them
   * @param told called with each result when it is done
   * @throws ServiceError INVALID_ARGUMENT for names that are in no list
   */
  async verify(names: readonly string[] = [], told?: (check: ListedCheck) => void): Promise<ListedCheck[]> {
    const all = await this.#deps.listed();
    const chosen = names.map((name) => ({ name, server: listedAs(all, name) }));
    const unknown = chosen.filter(({ server }) => server === undefined);
    if (unknown.length > 0)
      throw invalidArgument(unknown.map(({ name }) => violation('name', notListed(all, name), 'unknown')));
    const servers = chosen.flatMap(({ server }) => (server === undefined ? [] : [server]));
    return checkListed(this.#deps, names.length === 0 ? all : servers, told);
  }

  /** Every form of every tool. @throws ServiceError RESOURCE_NOT_FOUND */
  async tools(environmentId: string, name: string): Promise<ToolFormView[]> {
    const { forms, names } = await this.#forms(environmentId, name);
    return forms.map((form) => ({ ...toFormView(form), name: form.name ?? names.get(form.tool) ?? null }));
  }

  /** Waiting forms, each compared with the approved one. @throws ServiceError RESOURCE_NOT_FOUND */
  async diff(environmentId: string, name: string): Promise<ToolDiff[]> {
    const { forms, names } = await this.#forms(environmentId, name);
    const original = new Map(forms.map(({ hash, tool }) => [hash, tool]));
    return toolDiffs(forms).map((diff) => ({
      ...diff,
      name: diff.name ?? names.get(original.get(diff.hash) ?? '') ?? null,
    }));
  }

  /**
   * Publishes forms that the operator has seen.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for a form that does not exist or cannot be published
   */
  async approve(caller: Caller, name: string, approvals: readonly Approval[]): Promise<UpstreamView> {
    const { environmentId } = caller;
    const { forms, connection } = await this.#forms(environmentId, name);
    // Callers name a tool in the form in which it was shown to them.
    const meant = approvals.map((approval) => {
      const form = forms.find(({ tool, hash }) => hash === approval.hash && spelled(tool) === approval.tool);
      return { ...approval, tool: form?.tool ?? approval.tool };
    });
    await (await this.#deps.lists()).approve(caller, connection, meant);
    return this.get(environmentId, name);
  }

  /**
   * Accepts the authorization server that the documents name now.
   *
   * @param seen the facts that the operator was shown about it
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT if no change waits, or another one
   */
  async accept(caller: Caller, name: string, seen: ShownServer): Promise<UpstreamView> {
    const connection = this.#connected(await this.#named(caller.environmentId, name));
    const taken = await this.#deps.mcpServers.accept(caller, connection, seen);
    if (taken === 0) {
      const { authorization_server_change: change } = await this.get(caller.environmentId, name);
      throw change === null
        ? invalidField('name', `No change of the authorization server of ${name} waits.`, 'nothing_waits')
        : invalidField(
            'issuer',
            `What waits is a change to ${change.issuer} at ${change.origins.join(', ')}.`,
            'changed',
          );
    }
    return this.get(caller.environmentId, name);
  }

  /**
   * Makes the next consent register a new client. Accounts continue with the client of their consent.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for a server without consents
   */
  async reregister(caller: Caller, name: string): Promise<UpstreamView> {
    const connection = this.#connected(await this.#named(caller.environmentId, name));
    if (connection.type !== 'MCP_OAUTH')
      throw invalidField('name', `${name} is used with ${connection.type}: there is no client.`, 'type');
    if (connection.clientId !== null)
      throw invalidField(
        'name',
        `${name} has a client that was entered. "gatehouse connections update ${name} --client-id …" replaces it.`,
        'static',
      );
    await this.#deps.mcpServers.reregister(caller, connection);
    return this.get(caller.environmentId, name);
  }

  /**
   * Other connections of the same server that have accounts. The server cannot be removed as long as there are any.
   */
  async othersInUse(
    environmentId: string,
    { name, connector }: Pick<UpstreamView, 'name' | 'connector'>,
  ): Promise<UpstreamView[]> {
    const all = await this.list(environmentId);
    return all.filter((other) => other.connector === connector && other.name !== name && other.accounts > 0);
  }

  /**
   * Removes a server that was added while the program ran, with its connections.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT while it has accounts, or for a server of a file
   */
  async remove(caller: Caller, name: string): Promise<void> {
    const { connector } = await this.#named(caller.environmentId, name);
    await this.#deps.registry.remove(caller, connector.name);
  }

  /** Reads the list of the account that was connected last. @returns the reason if that failed */
  async #unreadList({ environmentId, id }: Connection): Promise<UpstreamFinding[]> {
    const { db, lists } = this.#deps;
    const [found] = await rows(db.read, 'accounts').list(environmentId, {
      where: { connection_id: id, status: 'ACTIVE' },
      orderBy: ['created_at'],
      direction: 'desc',
      limit: 1,
    });
    const account = found && (await new AccountStore(db.read).find({ environmentId }, found.id));
    if (account === undefined) return [];
    try {
      await (await lists()).refresh(account);
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const message = `The tools could not be listed with the account of ${account.identifier}. ${error.message}`;
      return [finding('warning', 'tools', message)];
    }
  }

  /** Types of connections that the changed connector would no longer have. */
  async #lostTypes(
    environmentId: string,
    { name, auth }: Pick<Connector, 'name' | 'auth'>,
  ): Promise<FieldViolation[]> {
    const connections = await new ConnectionStore(this.#deps.db.read).findByConnector(environmentId, name);
    return connections
      .filter(({ type }) => auth.every((entry) => entry.type !== type))
      .map((connection) =>
        violation(
          'connector.auth',
          `The connection ${connection.name} uses ${connection.type}: keep that.`,
          'in_use',
        ),
      );
  }

  async #known(environmentId: string): Promise<KnownServer[]> {
    const { db, catalog } = this.#deps;
    return knownServers(db.read, environmentId, catalog);
  }

  async #named(environmentId: string, name: string): Promise<KnownServer> {
    const known = await this.#known(environmentId);
    const found =
      known.find((server) => server.name === name) ?? known.find(({ connector }) => connector.name === name);
    if (found === undefined) throw notFound('upstream');
    return found;
  }

  /** @throws ServiceError CONNECTION_MISSING */
  #connected({ connector, connection }: KnownServer): Connection {
    if (connection !== undefined) return connection;
    throw new ServiceError(
      'CONNECTION_MISSING',
      `${connector.title} has no connection yet. Make one with "gatehouse connections create ${connector.name}".`,
      { details: { connector: connector.name } },
    );
  }

  async #forms(environmentId: string, name: string) {
    const known = await this.#named(environmentId, name);
    const connection = this.#connected(known);
    const lists = await this.#deps.lists();
    const stored = await lists.formsOf(environmentId, connection.id);
    const names = lists.namesFor(environmentId, connection.connector, stored);
    // Names and limits may have changed since the form was listed.
    const forms = stored.map((form) =>
      isWaiting(form) ? { ...form, obstacle: obstacleNow(form, names.get(form.tool)) } : form,
    );
    return { forms, connection, names };
  }
}

/** A definition with or without trust: whether new and changed tools are published without approval. */
function withTrust(definition: JsonObject, trusted: boolean): JsonObject {
  if (trusted) return mergePatch(definition, { mcp: { approval: 'trusted' } });
  const { mcp } = definition;
  return isObject(mcp) && mcp['approval'] === 'trusted'
    ? mergePatch(definition, { mcp: { approval: null } })
    : definition;
}

function changeFinding({ server }: KnownServer, { discovered }: Look): UpstreamFinding[] {
  const accepted = server?.authorization_found ?? undefined;
  if (accepted === undefined || discovered === undefined) return [];
  if (isWithin(discovered.authorization, accepted)) return [];
  const { issuer, origins } = shownServer(discovered.authorization);
  return [
    finding(
      'warning',
      'issuer',
      `Its documents name the authorization server ${issuer} at ${origins.join(', ')} now. Consents go where they went for up to ten minutes more; the next after that holds this back until you accept it.`,
    ),
  ];
}
