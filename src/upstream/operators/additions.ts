/** Adds remote MCP servers while the program runs. A look comes first, then the operator's confirmation. */
import type { AuthorizationType } from '../../authorization-types/index.ts';
import type { Connector } from '../../catalog/model/types.ts';
import type { Caller } from '../../core/caller.ts';
import {
  invalidArgument,
  invalidField,
  ServiceError,
  violation,
  type FieldViolation,
} from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { McpServers } from '../../credentials/oauth/mcp-servers.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import type { UpstreamRegistry } from '../published/registry.ts';
import type { UpstreamCatalog } from '../published/upstream-catalog.ts';
import { listedAs, listedAuth, listedRemark, notListed, type ListedServer } from './listed-servers.ts';
import {
  authFor,
  conflicts,
  connectionIdOf,
  definitionOf,
  nameFrom,
  requestViolations,
  unseen,
  type NewUpstream,
} from './new-connector.ts';
import { finding, lookAt, type LookDeps } from './server-look.ts';
import type { UpstreamView } from './upstream-view.ts';
import { viewOfLook, type ViewDeps } from './upstream-views.ts';

export interface AdditionDeps extends ViewDeps, LookDeps {
  db: Database;
  catalog: UpstreamCatalog;
  registry: UpstreamRegistry;
  mcpServers: LookDeps['mcpServers'] & Pick<McpServers, 'pin'>;
  /** Servers in public lists. */
  listed: () => Promise<readonly ListedServer[]>;
  /** Reads the content of a connector file. @throws ServiceError INVALID_ARGUMENT with every mistake */
  connectorOf: (definition: JsonObject) => Promise<Connector>;
}

/** `auth` of a connector if the operator does not state it. */
const CONSENT: readonly JsonObject[] = [{ type: 'MCP_OAUTH' }];

export class Additions {
  readonly #deps: AdditionDeps;

  constructor(deps: AdditionDeps) {
    this.#deps = deps;
  }

  /**
   * Looks at a server without a credential, and adds it to the environment of the operator if they confirm it: a connector
   * and its connection.
   *
   * @throws ServiceError INVALID_ARGUMENT with every mistake before anything is sent, and, with `confirm`, with everything
   *   that would fail or is not as it was seen; ALREADY_EXISTS
   */
  async add(caller: Caller, given: NewUpstream): Promise<UpstreamView> {
    const { environmentId } = caller;
    const { listed, input } = await this.#meant(given);
    const { name, url } = input;
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
    if (listed !== undefined) view.findings.unshift(finding('info', 'url', listedRemark(listed)));
    if (input.confirm !== true) return view;
    const failures = view.findings
      .filter(({ severity }) => severity === 'error')
      .map(({ field, message }) => violation(field, message, 'probe'));
    if (failures.length === 0) failures.push(...unseen(view, input.seen));
    if (failures.length > 0) throw invalidArgument(failures);
    await this.#deps.registry.add(caller, definition, { id: connection.id, authorization_type: type });
    if (look?.discovered !== undefined)
      await this.#deps.mcpServers.pin(connection, new URL(url), look.discovered);
    return view;
  }

  /**
   * The server that the operator means, by its address or by its name in public lists.
   *
   * @throws ServiceError INVALID_ARGUMENT
   */
  async #meant(given: NewUpstream): Promise<{
    listed: ListedServer | undefined;
    input: NewUpstream & { name: string; url: string };
  }> {
    const { name = '', auth: word } = given;
    const listed = given.url === undefined ? await this.#listedAs(name) : undefined;
    const { url = listed?.url ?? '', title = listed?.title } = given;
    if (word !== undefined && given.connector?.['auth'] !== undefined)
      throw invalidField('auth', 'Give either auth or connector.auth.', 'conflict');
    if (word !== undefined && authFor(word) === undefined)
      throw invalidField('auth', 'It is oauth, bearer, none, or header: with the name of a header.', 'enum');
    const auth = word === undefined ? listed && listedAuth(listed) : authFor(word);
    const connector = auth === undefined ? given.connector : { auth, ...given.connector };
    const own = listed?.name ?? (name === '' ? (nameFrom(url) ?? '') : name);
    return { listed, input: { ...given, name: own, url, title, connector } };
  }

  async #listedAs(name: string): Promise<ListedServer> {
    if (name.trim() === '')
      throw invalidField(
        'url',
        'Give the address of the MCP server, or the name of a public server.',
        'required',
      );
    const all = await this.#deps.listed();
    const listed = listedAs(all, name);
    if (listed === undefined) throw invalidField('url', notListed(all, name), 'unknown');
    return listed;
  }

  /** The connector that an operator describes, before it is known how people bring credentials. */
  async #candidate(
    environmentId: string,
    input: NewUpstream & { name: string; url: string },
  ): Promise<Connector> {
    const { url, name } = input;
    const violations = [...(await this.#nameViolations(environmentId, name)), ...conflicts(input)];
    if (url === '') violations.push(violation('url', 'Give the address of the MCP server.', 'required'));
    else if (!this.#isAllowed(url))
      violations.push(
        violation(
          'url',
          'It has to be an https address of a public host, or of one in outbound.allow_private_hosts, without user name and fragment.',
          'address',
        ),
      );
    if (name === '')
      violations.push(
        violation(
          'name',
          'No name follows from the address: give one, on the command line with --name.',
          'required',
        ),
      );
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

  /** Whether a host may be called. Hosts that accounts name are checked before a request is sent there. */
  #isAllowed(text: string): boolean {
    if (/^https?:\/\/[^/]*\{/.test(text)) return true;
    if (!URL.canParse(text) || text.includes('#')) return false;
    const url = new URL(text);
    return url.username === '' && url.password === '' && this.#deps.isReachable(url);
  }
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
