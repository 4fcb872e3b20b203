/**
 * Rows of remote MCP servers and of our clients there. The lease of a server lets one process at a time register a
 * client; it is measured by the clocks of the processes.
 */
import { newId } from '../../core/ids.ts';
import type { Readable } from '../engine/database.ts';
import { rows } from '../engine/rows.ts';
import type { ReadForm, StoredForm } from '../tables/column-types.ts';
import type { UpstreamClientTable, UpstreamServerTable } from '../tables/upstream-tables.ts';

/** A server as read. */
export type UpstreamServer = ReadForm<UpstreamServerTable>;

/** A registered client as read. */
export type UpstreamClient = ReadForm<UpstreamClientTable>;

export class UpstreamServerStore {
  readonly #db: Readable;

  constructor(db: Readable) {
    this.#db = db;
  }

  /** The server with this address. It is stored if it was not known. */
  async ensure(
    connection: { environmentId: string; id: string },
    url: string,
    now: number,
  ): Promise<UpstreamServer> {
    const found = await this.find(connection, url);
    if (found !== undefined) return found;
    const row: StoredForm<UpstreamServerTable> = {
      id: newId('ups', now),
      environment_id: connection.environmentId,
      connection_id: connection.id,
      url,
      authorization_found: 'null',
      held: 'null',
      held_at: null,
      challenge_scopes: '[]',
      checked_at: 0,
      lease_owner: null,
      lease_until: null,
      reset_at: 0,
      refused_at: null,
      created_at: now,
    };
    await this.#db
      .insertInto('upstream_servers')
      .values(row)
      .onConflict((taken) => taken.columns(['connection_id', 'url']).doNothing())
      .execute();
    const made = await this.find(connection, url);
    if (made === undefined) throw new Error('a server of a connection was removed while it was looked up');
    return made;
  }

  async find(
    { environmentId, id }: { environmentId: string; id: string },
    url: string,
  ): Promise<UpstreamServer | undefined> {
    return rows(this.#db, 'upstream_servers').findBy(environmentId, { connection_id: id, url });
  }

  /** The servers of a connection, oldest first. */
  async ofConnection({
    environmentId,
    id,
  }: {
    environmentId: string;
    id: string;
  }): Promise<UpstreamServer[]> {
    return rows(this.#db, 'upstream_servers').list(environmentId, {
      where: { connection_id: id },
      orderBy: ['created_at', 'id'],
    });
  }

  /**
   * Clients that a server's authorization server has registered, newest first, including those that it no longer
   * knows.
   */
  async clientsOf(server: UpstreamServer, issuer: string): Promise<UpstreamClient[]> {
    return rows(this.#db, 'upstream_clients').list(server.environment_id, {
      where: { server_id: server.id, issuer },
      orderBy: ['created_at', 'id'],
      direction: 'desc',
    });
  }

  /** The client that was registered last, of any issuer; `undefined` before the first. */
  async newestClient(server: UpstreamServer): Promise<UpstreamClient | undefined> {
    const [newest] = await rows(this.#db, 'upstream_clients').list(server.environment_id, {
      where: { server_id: server.id },
      orderBy: ['created_at', 'id'],
      direction: 'desc',
      limit: 1,
    });
    return newest;
  }

  /** Takes the lease for `owner`, one attempt to register a client; false while the lease is taken. */
  async take(
    server: UpstreamServer,
    owner: string,
    { now, until }: { now: number; until: number },
  ): Promise<boolean> {
    return rows(this.#db, 'upstream_servers').update(
      server.environment_id,
      server.id,
      { lease_owner: owner, lease_until: until },
      (e) => e.or([e('lease_until', 'is', null), e('lease_until', '<=', now)]),
    );
  }

  /**
   * Releases the lease, if `owner` still has it.
   *
   * @param refusedAt `undefined` leaves the stored time, because no registration was answered
   */
  async release(server: UpstreamServer, owner: string, refusedAt: number | null | undefined): Promise<void> {
    const change = {
      lease_owner: null,
      lease_until: null,
      ...(refusedAt !== undefined && { refused_at: refusedAt }),
    };
    const { environment_id: environmentId, id } = server;
    await rows(this.#db, 'upstream_servers').update(environmentId, id, change, { lease_owner: owner });
  }

  /** Counts a browser that is redirected to a consent page with a client. */
  async countBrowser({ environment_id, id }: UpstreamClient): Promise<void> {
    await this.#db
      .updateTable('upstream_clients')
      .set((e) => ({ lost_browsers: e('lost_browsers', '+', 1) }))
      .where('environment_id', '=', environment_id)
      .where('id', '=', id)
      .execute();
  }
}
