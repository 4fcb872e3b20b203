/**
 * The known authorization metadata of remote MCP servers. The documents are read before a consent if the last
 * reading is ten minutes old, and never during a call.
 *
 * Issuer and origins of the first documents are pinned. Later changes wait until an operator accepts them: accounts
 * continue with the old values, and no new consent begins.
 */
import { isDeepStrictEqual } from 'node:util';
import type { BlockRules } from '../../catalog/model/types.ts';
import { requireScope, type Caller } from '../../core/caller.ts';
import { announceUpstream } from '../../connections/announce-upstream.ts';
import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { upstreamLooks } from '../../core/telemetry/measured.ts';
import type { Opener } from '../../outbound/fetch-face.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import { UpstreamServerStore, type UpstreamServer } from '../../store/upstreams/upstream-server-store.ts';
import type { Database, WriteTransaction } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { LOCAL, writeAuditLine } from '../../store/records/audit-store.ts';
import type { McpAuthorization } from '../../store/tables/upstream-tables.ts';
import { discoverMcp, type Discovered } from './mcp-discovery.ts';
import { TokenFailure } from './token-endpoint.ts';

/** Time for which documents count as current, in milliseconds. */
const FRESH_MS = 10 * 60_000;

/** A server, and the connection of its accounts. */
export interface McpTarget {
  connection: Connection;
  /** The provider's name for people. */
  title: string;
  rules: BlockRules<'MCP_OAUTH'>;
  url: URL;
  /** Whether each account names its own server: the address has placeholders. */
  isOwnServer: boolean;
  redirectUri: string;
}

/** A server, independent of the client. */
export type McpTargetServer = Omit<McpTarget, 'redirectUri'>;

/** A server at which consents may begin. */
export interface KnownMcpServer {
  server: UpstreamServer;
  authorization: McpAuthorization;
}

export interface McpServersDeps {
  db: Database;
  clock: Clock;
  log: Log;
  opener: Opener;
  /** Whether requests may go to an address, judged by its text. */
  isReachable: (url: URL) => boolean;
}

export class McpServers {
  readonly #deps: McpServersDeps;
  /** Readings that are running in this process, by server. */
  readonly #underWay = new Map<string, Promise<KnownMcpServer>>();
  /** Running requests to forget, by connection. A server that refuses a token refuses all calls with it. */
  readonly #forgetting = new Map<string, Promise<void>>();

  constructor(deps: McpServersDeps) {
    this.#deps = deps;
  }

  /**
   * The metadata for a new consent.
   *
   * @throws TokenFailure with a sentence for the operator
   */
  async known(target: McpTargetServer): Promise<KnownMcpServer> {
    const { connection, url } = target;
    const key = `${connection.id} ${url.href}`;
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const work = this.#look(target).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, work);
    return work;
  }

  /**
   * Looks at a server without storing anything: the metadata that would be found, or the failure. @throws
   * TokenFailure
   */
  async probe(url: URL, rules: BlockRules<'MCP_OAUTH'>): Promise<Discovered> {
    const { opener, isReachable } = this.#deps;
    return discoverMcp({ url, rules, isReachable, opener });
  }

  /** Stores the result of a look that the operator has confirmed, as the first consent would. */
  async pin(
    connection: Pick<Connection, 'environmentId' | 'id'>,
    url: URL,
    { authorization, challengeScopes }: Discovered,
  ): Promise<void> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    await db.transaction(async (tx) => {
      const server = await new UpstreamServerStore(tx).ensure(connection, url.href, now);
      if (server.authorization_found !== null) return;
      await rows(tx, 'upstream_servers').update(server.environment_id, server.id, {
        authorization_found: JSON.stringify(authorization),
        challenge_scopes: JSON.stringify(challengeScopes),
        checked_at: now,
      });
    });
  }

  /**
   * Makes the next consent read the documents of a connection's servers again. A server refuses a token that it
   * accepted before, so tokens may come from elsewhere now.
   */
  async forget(connection: Pick<Connection, 'environmentId' | 'id'>): Promise<void> {
    const { id } = connection;
    const work =
      this.#forgetting.get(id) ?? this.#forget(connection).finally(() => this.#forgetting.delete(id));
    this.#forgetting.set(id, work);
    return work;
  }

  async #forget(connection: Pick<Connection, 'environmentId' | 'id'>): Promise<void> {
    const { db } = this.#deps;
    const known = await new UpstreamServerStore(db.read).ofConnection(connection);
    const read = known.filter(({ checked_at: at }) => at !== 0);
    if (read.length === 0) return;
    await db.transaction(async (tx) => {
      for (const { environment_id, id } of read)
        await rows(tx, 'upstream_servers').update(environment_id, id, { checked_at: 0 });
    });
  }

  /**
   * Token and revocation endpoint of an issuer, in their accepted form. `undefined` if consents go to another
   * issuer: grants keep the endpoints that they remember.
   */
  async endpointsOf(
    connection: Pick<Connection, 'environmentId' | 'id'>,
    issuer: string,
  ): Promise<McpAuthorization | undefined> {
    const servers = await new UpstreamServerStore(this.#deps.db.read).ofConnection(connection);
    const found = servers.map((server) => server.authorization_found);
    return found.find((authorization) => authorization?.issuer === issuer) ?? undefined;
  }

  /**
   * Accepts the changed documents of a connection's servers.
   *
   * @param seen the facts that the operator was shown; another change is not accepted
   * @returns how many servers had a change
   * @throws ServiceError PERMISSION_DENIED without `admin`
   */
  async accept(
    caller: Caller,
    connection: Pick<Connection, 'environmentId' | 'id'>,
    seen: ShownServer,
  ): Promise<number> {
    return this.#change(caller, connection, 'accept_authorization_server', ({ held }) =>
      held === null || !isDeepStrictEqual(shownServer(held), seen)
        ? undefined
        : { authorization_found: JSON.stringify(held), held: 'null', held_at: null },
    );
  }

  /**
   * Makes the next consent register a new client. Accounts continue with the client of their consent.
   *
   * @returns how many servers the connection has
   * @throws ServiceError PERMISSION_DENIED without `admin`
   */
  async reregister(caller: Caller, connection: Pick<Connection, 'environmentId' | 'id'>): Promise<number> {
    const now = this.#deps.clock.now();
    return this.#change(
      caller,
      connection,
      'reregister',
      () => ({ reset_at: now, refused_at: null }),
      async (tx, id) => {
        const open = await rows(tx, 'upstream_clients').list(connection.environmentId, {
          where: { server_id: id, gone_at: null },
        });
        for (const client of open)
          await rows(tx, 'upstream_clients').update(connection.environmentId, client.id, { gone_at: now });
      },
    );
  }

  async #change(
    caller: Caller,
    connection: Pick<Connection, 'environmentId' | 'id'>,
    verb: string,
    changeOf: (
      server: UpstreamServer,
    ) => Parameters<ReturnType<typeof rows<'upstream_servers'>>['update']>[2] | undefined,
    also?: (tx: WriteTransaction, id: string) => Promise<void>,
  ): Promise<number> {
    requireScope(caller, 'admin');
    if (caller.environmentId !== connection.environmentId)
      throw new ServiceError('RESOURCE_NOT_FOUND', 'There is no such connection.');
    const { db, clock } = this.#deps;
    return db.transaction(async (tx) => {
      let count = 0;
      for (const server of await new UpstreamServerStore(tx).ofConnection(connection)) {
        const change = changeOf(server);
        if (change === undefined) continue;
        count += 1;
        await rows(tx, 'upstream_servers').update(connection.environmentId, server.id, change);
        await also?.(tx, server.id);
      }
      if (count > 0) {
        const line = { action: `upstream.${verb}`, target: connection.id, now: clock.now() };
        await writeAuditLine(tx, caller, line);
      }
      return count;
    });
  }

  async #look(target: McpTargetServer): Promise<KnownMcpServer> {
    const { db, clock, log, opener, isReachable } = this.#deps;
    const { connection, url, rules } = target;
    const now = clock.now();
    const server = await db.transaction(async (tx) =>
      new UpstreamServerStore(tx).ensure(connection, url.href, now),
    );
    const { authorization_found: pinned, checked_at: checkedAt } = server;
    if (server.held !== null && now - checkedAt < FRESH_MS) throw heldBack(target, server.held);
    if (pinned !== null && now - checkedAt < FRESH_MS) return { server, authorization: pinned };
    let found: Discovered;
    try {
      found = await discoverMcp({ url, rules, pinned: pinned?.issuer, isReachable, opener });
      upstreamLooks.tell({ by: 'consent', outcome: 'found' });
    } catch (error) {
      upstreamLooks.tell({ by: 'consent', outcome: 'failed' });
      if (error instanceof TokenFailure)
        log.warn('upstream_authorization_not_found', { ...placeOf(target), message: error.message });
      throw error;
    }
    return this.#keep(target, server, found);
  }

  async #keep(
    target: McpTargetServer,
    { id, environment_id: environmentId }: UpstreamServer,
    { authorization, challengeScopes }: Discovered,
  ): Promise<KnownMcpServer> {
    const { db, clock, log } = this.#deps;
    const now = clock.now();
    const { connection, rules } = target;
    const seen = { checked_at: now, challenge_scopes: JSON.stringify(challengeScopes) };
    const kept = await db.transaction(async (tx) => {
      const servers = rows(tx, 'upstream_servers');
      const server = await servers.find(environmentId, id);
      if (server === undefined) throw new TokenFailure('temporary', 'The connection was removed meanwhile.');
      const { authorization_found: pinned, held } = server;
      // A client that the operator entered belongs to one authorization server, and is never used at another by
      // itself.
      const isFollowed = rules.authorization_servers === 'follow' && connection.clientId === null;
      const isKnown = pinned === null || isWithin(authorization, pinned);
      if (isKnown || isFollowed) {
        const change = {
          ...seen,
          authorization_found: JSON.stringify(authorization),
          held: 'null',
          held_at: null,
        };
        await servers.update(environmentId, id, change);
        if (!isKnown)
          await tellChanged(tx, connection, { pinned, found: authorization, isAccepted: true, now });
        return {
          ...server,
          authorization_found: authorization,
          held: null,
          challenge_scopes: challengeScopes,
          isNew: !isKnown,
        };
      }
      const isNew = held === null || !isWithin(authorization, held);
      const change = { ...seen, held: JSON.stringify(authorization), ...(isNew && { held_at: now }) };
      await servers.update(environmentId, id, change);
      if (isNew) await tellChanged(tx, connection, { pinned, found: authorization, isAccepted: false, now });
      return { ...server, held: authorization, isNew };
    });
    if (kept.isNew) log.warn('upstream_authorization_server_changed', placeOf(target));
    if (kept.held !== null) throw heldBack(target, kept.held);
    return { server: kept, authorization };
  }
}

/** Writes an audit line and an event: the authorization server of a connection has changed. */
async function tellChanged(
  tx: WriteTransaction,
  connection: Connection,
  {
    pinned,
    found,
    isAccepted,
    now,
  }: { pinned: McpAuthorization; found: McpAuthorization; isAccepted: boolean; now: number },
): Promise<void> {
  const type = 'upstream.authorization_server_changed';
  const { environmentId, id: target } = connection;
  await writeAuditLine(tx, { environmentId, ...LOCAL }, { action: type, target, now });
  const details = { accepted: isAccepted, before: shownServer(pinned), after: shownServer(found) };
  await announceUpstream(tx, connection, type, details, now);
}

/** Whether documents name the same issuer, and only origins that the accepted ones name too. */
export function isWithin(found: McpAuthorization, accepted: McpAuthorization): boolean {
  const origins = originsOf(accepted);
  return found.issuer === accepted.issuer && originsOf(found).every((origin) => origins.includes(origin));
}

/** The view of an authorization server for operators. */
export interface ShownServer {
  issuer: string;
  /**
   * Origins that people, codes and secrets are sent to, each once: for the consent, for tokens, for revocation, for
   * registration.
   */
  origins: string[];
}

/** The facts that an operator has to see before they accept the server. */
export function shownServer(authorization: McpAuthorization): ShownServer {
  return { issuer: authorization.issuer, origins: [...new Set(originsOf(authorization))] };
}

function originsOf(authorization: McpAuthorization): string[] {
  const { authorizationUrl, tokenUrl, revocationUrl, registrationUrl } = authorization;
  return [authorizationUrl, tokenUrl, revocationUrl, registrationUrl].flatMap((url) =>
    url === undefined ? [] : [new URL(url).origin],
  );
}

function heldBack({ title, connection }: McpTargetServer, held: McpAuthorization): TokenFailure {
  return new TokenFailure(
    'refused',
    `The authorization server of ${title} has changed: now it is ${new URL(held.tokenUrl).origin}. Accounts stay connected, and new consents wait until the operator accepts it for the connection ${connection.name}.`,
  );
}

function placeOf({ connection }: McpTargetServer): {
  environment_id: string;
  connection_id: string;
  connector: string;
} {
  const { environmentId, id, connector } = connection;
  return { environment_id: environmentId, connection_id: id, connector };
}
