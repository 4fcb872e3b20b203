/** What operators do with remote MCP servers: look, add, approve, accept, remove (docs/contract.md#tools-of-remote-mcp-servers). */
import type { AuthorizationType } from '../../authorization-types/index.ts';
import type { Connector } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import {
  invalidArgument,
  invalidField,
  notFound,
  ServiceError,
  violation,
  type FieldViolation,
} from '../../core/errors.ts';
import { mergePatch, type JsonObject } from '../../core/json.ts';
import type { McpServers } from '../../credentials/oauth/mcp-servers.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { visibleText } from '../definitions/plain-text.ts';
import type { Approval, ToolLists } from '../lists/tool-lists.ts';
import type { UpstreamRegistry } from '../published/registry.ts';
import type { UpstreamCatalog } from '../published/upstream-catalog.ts';
import { knownServers, type KnownServer } from './known-servers.ts';
import {
  conflicts,
  connectionIdOf,
  definitionOf,
  nameFrom,
  requestField,
  type NewUpstream,
} from './new-connector.ts';
import { finding, lookAt, type LookDeps } from './server-look.ts';
import {
  isWaiting,
  obstacleNow,
  toFormView,
  toolDiffs,
  type ToolDiff,
  type ToolFormView,
} from './tool-forms.ts';
import type { UpstreamFinding, UpstreamView } from './upstream-view.ts';
import { NOT_LOOKED_AT, viewOf, viewOfLook, type ViewDeps } from './upstream-views.ts';

interface OperatorsDeps extends ViewDeps, LookDeps {
  db: Database;
  catalog: UpstreamCatalog;
  registry: UpstreamRegistry;
  mcpServers: LookDeps['mcpServers'] & Pick<McpServers, 'pin' | 'accept' | 'reregister'>;
  lists: () => Promise<ToolLists>;
  /** Reads the content of a connector file. @throws ServiceError INVALID_ARGUMENT with every mistake */
  connectorOf: (definition: JsonObject) => Promise<Connector>;
}

/** How people bring credentials, where the operator does not say it. */
const CONSENT: readonly JsonObject[] = [{ type: 'MCP_OAUTH' }];

export class UpstreamOperators {
  readonly #deps: OperatorsDeps;

  constructor(deps: OperatorsDeps) {
    this.#deps = deps;
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

  /**
   * Looks at a server without a credential, and adds it to the environment of the operator if they confirm it: a connector
   * and its connection.
   *
   * @throws ServiceError INVALID_ARGUMENT with every mistake before anything is sent, and, with `confirm`, with everything
   *   that would fail; ALREADY_EXISTS
   */
  async add(caller: Caller, given: NewUpstream): Promise<UpstreamView> {
    const { environmentId } = caller;
    const url = given.url ?? '';
    const input = { ...given, url, name: given.name ?? nameFrom(url) ?? '' };
    const { name } = input;
    const isChosen = input.connector?.['auth'] !== undefined;
    const candidate = await this.#candidate(environmentId, input);
    const look = url.includes('{')
      ? undefined
      : await lookAt(this.#deps, { connector: candidate, url: new URL(url), isChosen });
    const type = look?.type ?? candidate.auth[0]?.type ?? 'NO_AUTH';
    const definition = definitionOf(input, isChosen ? [] : [{ type }]);
    const connector = await this.#deps.connectorOf(definition);
    const connection = unstored(environmentId, { id: connectionIdOf(environmentId, name, url), name, type });
    const view = viewOfLook(this.#deps, connector, connection, look);
    if (input.confirm !== true) return view;
    const failures = view.findings.filter(({ severity }) => severity === 'error');
    if (failures.length > 0)
      throw invalidArgument(failures.map(({ field, message }) => violation(field, message, 'probe')));
    await this.#deps.registry.add(caller, definition, { id: connection.id, authorization_type: type });
    if (look?.discovered !== undefined)
      await this.#deps.mcpServers.pin(connection, new URL(url), look.discovered);
    const stored = await this.get(environmentId, name);
    const { era, server, findings } = view;
    return { ...stored, era, server, findings };
  }

  /**
   * Changes what is given of a server that was added while the program ran. Its name and its address stay: accounts were
   * connected there.
   *
   * @param change.connector keys as in a connector.yaml; null removes one (RFC 7396)
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT with every mistake, or for a server of a file
   */
  async update(
    caller: Caller,
    name: string,
    change: Pick<NewUpstream, 'title' | 'connector' | 'trusted'>,
  ): Promise<UpstreamView> {
    const { registry, connectorOf } = this.#deps;
    const known = await this.#named(caller.environmentId, name);
    const { connector, connection } = known;
    const definition = await registry.definitionOf(caller.environmentId, connector.name);
    const { title, trusted } = change;
    const wanted = mergePatch(definition, {
      ...change.connector,
      ...(title !== undefined && { title }),
    });
    const input = { ...change, name: connector.name, url: connector.hosts[0]?.url };
    const violations = conflicts(input);
    const read = await connectorOf(wanted).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      violations.push(...requestViolations(error, { ...input, connector: change.connector ?? {} }));
      return undefined;
    });
    const type = connection?.type;
    if (read !== undefined && type !== undefined && !read.auth.some((auth) => auth.type === type))
      violations.push(violation('connector.auth', `Its connection uses ${type}: keep that.`, 'in_use'));
    if (violations.length > 0) throw invalidArgument(violations);
    const own = trusted === true ? mergePatch(wanted, { mcp: { approval: 'trusted' } }) : wanted;
    await registry.update(caller, connector.name, own);
    return this.get(caller.environmentId, name);
  }

  /**
   * Looks at a stored server as it is now, without a credential. Keeps nothing.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND
   */
  async probe(environmentId: string, name: string): Promise<UpstreamView> {
    const known = await this.#named(environmentId, name);
    const view = viewOf(this.#deps, environmentId, known);
    const { connector } = known;
    const connection = this.#connected(known);
    if (view.url.includes('{')) return { ...view, findings: [NOT_LOOKED_AT, ...view.findings] };
    const isChosen = true;
    const look = await lookAt(this.#deps, {
      connector: { ...connector, auth: connector.auth.filter(({ type }) => type === connection.type) },
      url: new URL(view.url),
      isChosen,
    });
    const now = viewOfLook(this.#deps, connector, connection, look);
    return {
      ...view,
      era: now.era ?? view.era,
      server: now.server ?? view.server,
      issuer: view.issuer ?? now.issuer,
      registration: view.registration ?? now.registration,
      scopes: view.scopes.length > 0 ? view.scopes : now.scopes,
      findings: [...look.findings, ...changeFinding(view, now), ...view.findings],
    };
  }

  /** Every form of every tool. @throws ServiceError RESOURCE_NOT_FOUND */
  async tools(environmentId: string, name: string): Promise<ToolFormView[]> {
    const { forms, names } = await this.#forms(environmentId, name);
    return forms.map((form) => ({ ...toFormView(form), name: form.name ?? names.get(form.tool) ?? null }));
  }

  /** What waits for a person, each beside the approved form. @throws ServiceError RESOURCE_NOT_FOUND */
  async diff(environmentId: string, name: string): Promise<ToolDiff[]> {
    const { forms, names } = await this.#forms(environmentId, name);
    const original = new Map(forms.map(({ hash, tool }) => [hash, tool]));
    return toolDiffs(forms).map((diff) => ({
      ...diff,
      name: diff.name ?? names.get(original.get(diff.hash) ?? '') ?? null,
    }));
  }

  /**
   * Publishes forms as the operator has seen them.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT for a form that does not exist or cannot be published
   */
  async approve(caller: Caller, name: string, approvals: readonly Approval[]): Promise<UpstreamView> {
    const { environmentId } = caller;
    const { forms, connection } = await this.#forms(environmentId, name);
    // Callers name a tool as they were shown it.
    const meant = approvals.map((approval) => {
      const form = forms.find(
        ({ tool, hash }) => hash === approval.hash && visibleText(tool) === approval.tool,
      );
      return { ...approval, tool: form?.tool ?? approval.tool };
    });
    await (await this.#deps.lists()).approve(caller, connection, meant);
    return this.get(environmentId, name);
  }

  /**
   * Takes the authorization server that the documents name now.
   *
   * @param issuer the one that the operator has seen
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT if no change, or another one, waits
   */
  async accept(caller: Caller, name: string, issuer?: string): Promise<UpstreamView> {
    const connection = this.#connected(await this.#named(caller.environmentId, name));
    const taken = await this.#deps.mcpServers.accept(caller, connection, issuer);
    if (taken === 0) {
      const { authorization_server_change: change } = await this.get(caller.environmentId, name);
      throw change === null
        ? invalidField('name', `No change of the authorization server of ${name} waits.`, 'nothing_waits')
        : invalidField('issuer', `What waits is a change to ${change.issuer}.`, 'changed');
    }
    return this.get(caller.environmentId, name);
  }

  /**
   * Has the next consent register a new client. Accounts go on with the client of their consent.
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
   * Removes a server that was added while the program ran, with its connections.
   *
   * @throws ServiceError RESOURCE_NOT_FOUND; INVALID_ARGUMENT while it has accounts, or for one of a file
   */
  async remove(caller: Caller, name: string): Promise<void> {
    await this.#deps.registry.remove(caller, name);
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
    // Names and limits may be others than when the form was listed.
    const forms = stored.map((form) =>
      isWaiting(form) ? { ...form, obstacle: obstacleNow(form, names.get(form.tool)) } : form,
    );
    return { forms, connection, names };
  }

  /** The connector that an operator describes, before it is known how people bring credentials. */
  async #candidate(
    environmentId: string,
    input: NewUpstream & { name: string; url: string },
  ): Promise<Connector> {
    const { url, name } = input;
    const violations = [...(await this.#nameViolations(environmentId, name)), ...conflicts(input)];
    if (url === '') violations.push(violation('url', 'Give the address of the MCP server.', 'required'));
    else if (!url.includes('{') && !this.#isAllowed(url))
      violations.push(
        violation(
          'url',
          'It has to be an https address of a public host, or of one in outbound.allow_private_hosts, without user name and fragment.',
          'address',
        ),
      );
    if (name === '')
      violations.push(violation('name', 'No name follows from the address: give one.', 'required'));
    const definition = definitionOf({ ...input, name: name === '' ? 'unnamed' : name }, CONSENT);
    const connector = await this.#deps.connectorOf(definition).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      const own = requestViolations(error, input);
      violations.push(...own.filter(({ field }) => !violations.some((known) => known.field === field)));
      return undefined;
    });
    if (violations.length > 0 || connector === undefined) throw invalidArgument(violations);
    return connector;
  }

  async #nameViolations(environmentId: string, name: string): Promise<FieldViolation[]> {
    const { db, catalog } = this.#deps;
    if (catalog.connectors.has(name))
      return [violation('name', `${name} is a connector already. Choose another name.`, 'unique')];
    const [upstream, connection] = await Promise.all([
      rows(db.read, 'upstreams').findBy(environmentId, { name }),
      rows(db.read, 'connections').findBy(environmentId, { name }),
    ]);
    if (upstream !== undefined)
      throw new ServiceError('ALREADY_EXISTS', `There is an upstream ${name} already. Choose another name.`);
    return connection === undefined
      ? []
      : [violation('name', `There is a connection ${name} already. Choose another name.`, 'unique')];
  }

  #isAllowed(text: string): boolean {
    if (!URL.canParse(text) || text.includes('#')) return false;
    const url = new URL(text);
    return url.username === '' && url.password === '' && this.#deps.isReachable(url);
  }
}

function requestViolations(error: ServiceError, input: NewUpstream): FieldViolation[] {
  return error.violations.map((each) => ({ ...each, field: requestField(each.field, input) }));
}

function changeFinding(stored: UpstreamView, now: UpstreamView): UpstreamFinding[] {
  if (stored.issuer === null || now.issuer === null || stored.issuer === now.issuer) return [];
  return [
    finding(
      'warning',
      'issuer',
      `Its documents name the authorization server ${now.issuer} now. The next consent holds that back until you accept it.`,
    ),
  ];
}

/** The connection that would be made. */
function unstored(
  environmentId: string,
  { id, name, type }: { id: string; name: string; type: AuthorizationType },
): Connection {
  return {
    id,
    environmentId,
    name,
    connector: name,
    type,
    clientId: null,
    clientSecretSealed: null,
    secretSetAt: null,
    scopes: [],
    params: {},
    overrides: {},
    postUserVerifyRedirectUrl: null,
    managedBy: 'operator',
    pausedUntil: null,
    createdAt: 0,
    updatedAt: 0,
  };
}
