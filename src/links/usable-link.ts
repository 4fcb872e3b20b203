/** The one way from a link's token to what it is for; everything that opens a link goes through it. */
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { WaitingCredentials } from '../accounts/waiting-credentials.ts';
import type { Connector, ConnectorAuth } from '../catalog/model/types.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { hashSecret } from '../core/ids.ts';
import { AccountStore, type AccountRow } from '../store/accounts/account-store.ts';
import { ConnectionStore, type ConnectionRow } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import { LinkStore, type LinkRow } from '../store/accounts/link-store.ts';
import { LinkProblem } from './link-rules.ts';

/** A link that can be used now, and what it is for. */
export interface UsableLink {
  link: LinkRow;
  row: AccountRow;
  connection: ConnectionRow;
  connector: Connector;
  auth: ConnectorAuth;
}

/** What finding a link needs. */
export interface LinkSources {
  db: Database;
  clock: Clock;
  connections: ConnectionFinder;
  waiting: WaitingCredentials;
}

/** @throws LinkProblem unless the link can be used now */
export async function usableLink(
  sources: LinkSources,
  environmentId: string,
  token: string,
): Promise<UsableLink> {
  const link = await new LinkStore(sources.db.read).findByToken(environmentId, hashSecret(token));
  return withAccount(sources, link);
}

/** The same for a link whose id is known. @throws LinkProblem */
export async function usableLinkOfId(
  sources: LinkSources,
  environmentId: string,
  id: string,
): Promise<UsableLink> {
  return withAccount(sources, await new LinkStore(sources.db.read).findById(environmentId, id));
}

async function withAccount(
  { db, clock, connections, waiting }: LinkSources,
  link: LinkRow | undefined,
): Promise<UsableLink> {
  if (link === undefined) throw new LinkProblem('unknown');
  if (link.completed_at !== null) throw new LinkProblem('used');
  if (link.expires_at <= clock.now()) throw new LinkProblem('expired');
  await waiting.endExpired();
  const row = await new AccountStore(db.read).find({ environmentId: link.environment_id }, link.account_id);
  if (row === undefined) throw new LinkProblem('unknown');
  const connection = await new ConnectionStore(db.read).findById(row.environment_id, row.connection_id);
  if (connection === undefined) throw new LinkProblem('unknown');
  try {
    return { link, row, connection, ...connections.connectorOf(row) };
  } catch (cause) {
    if (cause instanceof ServiceError) throw new LinkProblem('unknown');
    throw cause;
  }
}
