/**
 * Our clients at the authorization servers of remote MCP servers: the connection's own, our metadata document, or a
 * registered one (RFC 7591).
 *
 * A client is registered under a lease in the server's row, so that concurrent first consents register one. Clients
 * belong to an issuer: another issuer never sees them.
 */
import { announceUpstream } from '../../connections/announce-upstream.ts';
import { openClientSecret } from '../../connections/connection-columns.ts';
import type { McpGrant } from '../../authorization-types/mcp-oauth.ts';
import type { Clock } from '../../core/clock.ts';
import { newId, newSecret } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { upstreamRegistrations } from '../../core/telemetry/measured.ts';
import type { Timers } from '../../core/timers.ts';
import type { Connection } from '../../store/accounts/connection.ts';
import {
  UpstreamServerStore,
  type UpstreamClient,
  type UpstreamServer,
} from '../../store/upstreams/upstream-server-store.ts';
import type { Database } from '../../store/engine/database.ts';
import { rows } from '../../store/engine/rows.ts';
import { LOCAL, writeAuditLine } from '../../store/records/audit-store.ts';
import type { McpAuthorization } from '../../store/tables/upstream-tables.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Opener } from '../../outbound/fetch-face.ts';
import { incomplete } from './oauth-client.ts';
import { authenticationAt, registeredClient, type NewClient } from './mcp-registration.ts';
import type { McpTarget } from './mcp-servers.ts';
import { TokenFailure } from './token-endpoint.ts';
import type { OAuthClient } from './token-endpoint.ts';

const HOUR_MS = 3_600_000;

/**
 * Lease of a registration, which takes at most 10 s. A process that died with the lease delays others no longer
 * than this.
 */
const LEASE_MS = 20_000;

/** Longest wait for the registration of another process. */
const WAIT_MS = 25_000;

const POLL_MS = 100;

/** Registrations an hour: the first one, and one that replaces it. */
const MAX_PER_HOUR = 2;

/**
 * Browsers in a row that did not come back, after which a client is replaced if nothing else has used it for a day.
 */
const LOST_BROWSERS = 2;

/** The client part of a grant. */
export type GrantedClient = Pick<McpGrant, 'way' | 'client_id' | 'authentication' | 'client'>;

export interface McpClientsDeps {
  db: Database;
  vault: Vault;
  clock: Clock;
  timers: Timers;
  log: Log;
  opener: Opener;
  /** Public origin of an environment. */
  baseUrl: (environmentId: string) => string;
  /** Address of the metadata document of a connection; `undefined` if it cannot be read from outside. */
  documentUrl: (connection: Pick<Connection, 'environmentId' | 'id'>) => string | undefined;
}

export class McpClients {
  readonly #deps: McpClientsDeps;
  /** Registrations that this process waits for, by server and issuer. */
  readonly #underWay = new Map<string, Promise<UpstreamClient>>();

  constructor(deps: McpClientsDeps) {
    this.#deps = deps;
  }

  /**
   * The client for a consent: the connection's own, by document, or registered; the first that is possible.
   *
   * @throws TokenFailure with a sentence for the operator; ServiceError INVALID_ARGUMENT on `connector`
   */
  async forConsent(
    target: McpTarget,
    server: UpstreamServer,
    authorization: McpAuthorization,
  ): Promise<GrantedClient> {
    const { connection, rules } = target;
    const authentication = authenticationAt(authorization);
    const way = this.wayAt(connection, rules, authorization);
    if (way === 'static' && connection.clientId !== null) {
      requireNamedServer(target);
      return { way, client_id: connection.clientId, authentication: authentication ?? 'post' };
    }
    if (rules.registration === 'static') throw incomplete(connection, 'client_id');
    const documentUrl = this.#deps.documentUrl(connection);
    if (way === 'document' && documentUrl !== undefined)
      return { way, client_id: documentUrl, authentication: 'post' };
    if (way === 'dynamic') {
      const client = await this.#registered(target, server, authorization);
      await this.#deps.db.transaction(async (tx) => new UpstreamServerStore(tx).countBrowser(client));
      return {
        way,
        client_id: client.client_id,
        authentication: client.authentication,
        client: client.id,
      };
    }
    throw new TokenFailure('client_refused', withoutClient(target));
  }

  /**
   * The way a connection becomes a client: the first one that is possible. `undefined` if an operator has to enter
   * a client.
   */
  wayAt(
    connection: Pick<Connection, 'environmentId' | 'id' | 'clientId'>,
    { registration }: McpTarget['rules'],
    { takesDocuments, registrationUrl }: McpAuthorization,
  ): McpGrant['way'] | undefined {
    const isTried = (one: McpGrant['way']): boolean => registration === 'auto' || registration === one;
    if (isTried('static') && connection.clientId !== null) return 'static';
    if (isTried('document') && takesDocuments && this.#deps.documentUrl(connection) !== undefined)
      return 'document';
    return isTried('dynamic') && registrationUrl !== undefined ? 'dynamic' : undefined;
  }

  /**
   * The client of a grant at its own token endpoint.
   *
   * @throws TokenFailure `invalid_grant` if the client no longer is ours
   */
  async ofGrant(
    connection: Connection,
    grant: McpGrant,
    addresses: { tokenUrl: string; revocationUrl: string | undefined },
    scopeSeparator: OAuthClient['scopeSeparator'],
  ): Promise<OAuthClient> {
    const { issuer, client_id: clientId, authentication, resource } = grant;
    const clientSecret = await this.#secretOf(connection, grant);
    return { ...addresses, issuer, clientId, clientSecret, authentication, scopeSeparator, resource };
  }

  /** Notes that a consent has succeeded with the client of a grant. */
  async worked(environmentId: string, { client }: Pick<McpGrant, 'client'>): Promise<void> {
    if (client === undefined) return;
    const { db, clock } = this.#deps;
    await db.transaction(async (tx) =>
      rows(tx, 'upstream_clients').update(environmentId, client, { used_at: clock.now(), lost_browsers: 0 }),
    );
  }

  /**
   * Notes that the authorization server no longer knows the client of a grant. The next consent registers another
   * one.
   */
  async vanished(environmentId: string, { client }: Pick<McpGrant, 'client'>): Promise<void> {
    if (client === undefined) return;
    const { db, clock, log } = this.#deps;
    await db.transaction(async (tx) =>
      rows(tx, 'upstream_clients').update(environmentId, client, { gone_at: clock.now() }),
    );
    log.warn('upstream_client_gone', { environment_id: environmentId });
  }

  async #secretOf(connection: Connection, grant: McpGrant): Promise<string | undefined> {
    const { vault, db } = this.#deps;
    if (grant.way === 'document') return undefined;
    if (grant.way === 'static') {
      if (connection.clientId === grant.client_id) return openClientSecret(vault, connection);
      throw new TokenFailure(
        'invalid_grant',
        'The connection has another client than the one that was consented to.',
      );
    }
    const client = await rows(db.read, 'upstream_clients').find(connection.environmentId, grant.client ?? '');
    if (client === undefined)
      throw new TokenFailure('invalid_grant', 'The client that was consented to is not kept any more.');
    const { client_secret_sealed: sealed } = client;
    return sealed === null ? undefined : vault.open(secretPlace(client.id), sealed);
  }

  /** Registers a client. Callers of this process share one registration. */
  async #registered(
    target: McpTarget,
    server: UpstreamServer,
    authorization: McpAuthorization,
  ): Promise<UpstreamClient> {
    const key = `${server.id} ${authorization.issuer}`;
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const work = this.#registeredOnce(target, server, authorization).finally(() =>
      this.#underWay.delete(key),
    );
    this.#underWay.set(key, work);
    return work;
  }

  async #registeredOnce(
    target: McpTarget,
    server: UpstreamServer,
    authorization: McpAuthorization,
  ): Promise<UpstreamClient> {
    const { db, clock, timers } = this.#deps;
    const startedAt = clock.now();
    for (;;) {
      const usable = await this.#usable(target, server, authorization);
      if (usable !== undefined) return usable;
      const owner = newSecret();
      const now = clock.now();
      const lease = { now, until: now + LEASE_MS };
      const isOurs = await db.transaction(async (tx) =>
        new UpstreamServerStore(tx).take(server, owner, lease),
      );
      if (isOurs) return this.#registerUnder(owner, target, server, authorization);
      if (now - startedAt > WAIT_MS)
        throw new TokenFailure(
          'temporary',
          `A client is being registered with ${target.title}. Try again in a moment.`,
        );
      await timers.sleep(POLL_MS);
    }
  }

  async #registerUnder(
    owner: string,
    target: McpTarget,
    server: UpstreamServer,
    authorization: McpAuthorization,
  ): Promise<UpstreamClient> {
    const { db, clock, log, opener, baseUrl } = this.#deps;
    let refusedAt: number | null | undefined;
    try {
      // Another process may have registered one since the check.
      const usable = await this.#usable(target, server, authorization);
      if (usable !== undefined) return usable;
      await this.#refuseTooMany(target, server, authorization);
      const homepage = baseUrl(server.environment_id);
      const registration = { target, authorization, homepage, now: clock.now() };
      const made = await registeredClient(opener, registration).catch((error: unknown) => {
        upstreamRegistrations.tell({ outcome: error instanceof TokenFailure ? error.kind : 'unknown' });
        throw error;
      });
      upstreamRegistrations.tell({ outcome: 'registered' });
      refusedAt = null;
      const client = await this.#store(target, server, authorization.issuer, made);
      log.info('upstream_client_registered', {
        connection_id: target.connection.id,
      });
      return client;
    } catch (error) {
      if (error instanceof TokenFailure && error.kind === 'client_refused') refusedAt = clock.now();
      throw error;
    } finally {
      await db.transaction(async (tx) => new UpstreamServerStore(tx).release(server, owner, refusedAt));
    }
  }

  /** The newest client that can be used; `undefined` if one has to be registered. */
  async #usable(
    { redirectUri }: McpTarget,
    server: UpstreamServer,
    { issuer }: McpAuthorization,
  ): Promise<UpstreamClient | undefined> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const clients = await new UpstreamServerStore(db.read).clientsOf(server, issuer);
    return clients.find(
      (client) =>
        client.gone_at === null &&
        client.redirect_uri === redirectUri &&
        (client.secret_expires_at === null || client.secret_expires_at > now + HOUR_MS) &&
        (client.lost_browsers < LOST_BROWSERS || (client.used_at ?? client.created_at) > now - 24 * HOUR_MS),
    );
  }

  async #refuseTooMany(
    target: McpTarget,
    server: UpstreamServer,
    { issuer }: McpAuthorization,
  ): Promise<void> {
    const { db, clock } = this.#deps;
    const store = new UpstreamServerStore(db.read);
    const since = Math.max(clock.now() - HOUR_MS, server.reset_at);
    const current = await store.find(
      { environmentId: server.environment_id, id: server.connection_id },
      server.url,
    );
    const made = (await store.clientsOf(server, issuer)).filter((client) => client.created_at > since);
    if ((current?.refused_at ?? 0) <= since && made.length < MAX_PER_HOUR) return;
    throw new TokenFailure(
      'temporary',
      `${target.title} has refused or forgotten a client within the last hour. The next one is registered an hour after it, or when the operator asks for it.`,
    );
  }

  async #store(
    { connection, redirectUri }: McpTarget,
    server: UpstreamServer,
    issuer: string,
    made: NewClient,
  ): Promise<UpstreamClient> {
    const { db, vault, clock } = this.#deps;
    const now = clock.now();
    const id = newId('upc', now);
    const row: UpstreamClient = {
      id,
      environment_id: server.environment_id,
      server_id: server.id,
      issuer,
      client_id: made.clientId,
      client_secret_sealed:
        made.clientSecret === undefined ? null : await vault.seal(secretPlace(id), made.clientSecret),
      authentication: made.authentication,
      secret_expires_at: made.secretExpiresAt,
      redirect_uri: redirectUri,
      gone_at: null,
      lost_browsers: 0,
      used_at: null,
      created_at: now,
    };
    await db.transaction(async (tx) => {
      const before = await new UpstreamServerStore(tx).newestClient(server);
      await rows(tx, 'upstream_clients').insert(row);
      if (before === undefined) return;
      const type = 'upstream.client_replaced';
      const { environmentId } = connection;
      await writeAuditLine(
        tx,
        { environmentId, ...LOCAL },
        { action: type, target: `${connection.id} ${id}`, now },
      );
      const details = { before: clientInEvent(before), after: clientInEvent(row) };
      await announceUpstream(tx, connection, type, details, now);
    });
    return row;
  }
}

function clientInEvent({ client_id, issuer }: UpstreamClient): { client_id: string; issuer: string } {
  return { client_id, issuer };
}

function secretPlace(row: string): Parameters<Vault['seal']>[0] {
  return { table: 'upstream_clients', row, column: 'client_secret_sealed' };
}

function withoutClient({ title, connection, redirectUri, rules }: McpTarget): string {
  const how = rules.registration === 'auto' ? '' : ` by registration: ${rules.registration}`;
  return `${title} gives out no clients${how}. The operator registers one there with the redirect URI ${redirectUri}, and sets client_id and client_secret of the connection ${connection.name}.`;
}

/**
 * Requires a named server. If each account names its own server, that server names the authorization server, and
 * would get the connection's secret. So the connector's file has to name the server.
 *
 * @throws TokenFailure
 */
function requireNamedServer({ title, connection, rules, isOwnServer }: McpTarget): void {
  if (!isOwnServer || rules.authorization_server !== undefined) return;
  throw new TokenFailure(
    'refused',
    `The address of ${title} has placeholders, so authorization_server of its catalog file has to say who may get the client_secret of the connection ${connection.name}. The operator adds it there.`,
  );
}
