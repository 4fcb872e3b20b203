/** Resolves a link's token to its link and account. Everything that opens a link goes through here. */
import type { ConnectionFinder } from '../connections/connection-finder.ts';
import type { WaitingCredentials } from '../accounts/waiting-credentials.ts';
import type { Connector, ConnectorAuth } from '../catalog/model/types.ts';
import type { Clock } from '../core/clock.ts';
import { PageFailure } from '../core/page-failure.ts';
import { ServiceError } from '../core/errors.ts';
import { hashSecret } from '../core/ids.ts';
import type { Account } from '../store/accounts/account.ts';
import { AccountStore } from '../store/accounts/account-store.ts';
import type { Connection } from '../store/accounts/connection.ts';
import { ConnectionStore } from '../store/accounts/connection-store.ts';
import type { Database } from '../store/engine/database.ts';
import { LinkStore } from '../store/accounts/link-store.ts';
import type { Link } from '../store/accounts/link.ts';

/** A link that can be used now, and what it connects. */
export interface UsableLink {
  link: Link;
  row: Account;
  connection: Connection;
  connector: Connector;
  auth: ConnectorAuth;
}

/** Dependencies of finding a link. */
export interface LinkSources {
  db: Database;
  clock: Clock;
  connections: ConnectionFinder;
  waiting: WaitingCredentials;
}

/** @throws PageFailure of a link unless the link can be used now */
export async function usableLink(
  sources: LinkSources,
  environmentId: string,
  token: string,
): Promise<UsableLink> {
  const link = await new LinkStore(sources.db.read).findByToken(environmentId, hashSecret(token));
  return withAccount(sources, link);
}

/** The same for a link whose id is known. @throws PageFailure of a link */
export async function usableLinkOfId(
  sources: LinkSources,
  environmentId: string,
  id: string,
): Promise<UsableLink> {
  return withAccount(sources, await new LinkStore(sources.db.read).findById(environmentId, id));
}

async function withAccount(
  { db, clock, connections, waiting }: LinkSources,
  link: Link | undefined,
): Promise<UsableLink> {
  if (link === undefined) throw new PageFailure('link', 'unknown');
  if (link.declinedAt !== null) throw new PageFailure('link', 'declined');
  if (link.completedAt !== null) throw new PageFailure('link', 'used');
  if (link.expiresAt <= clock.now()) throw new PageFailure('link', 'expired');
  await waiting.endExpired();
  const row = await new AccountStore(db.read).find({ environmentId: link.environmentId }, link.accountId);
  if (row === undefined) throw new PageFailure('link', 'unknown');
  const connection = await new ConnectionStore(db.read).findById(row.environmentId, row.connection.id);
  if (connection === undefined) throw new PageFailure('link', 'unknown');
  try {
    return { link, row, connection, ...(await connections.addedConnectorOf(row.connection)) };
  } catch (cause) {
    if (cause instanceof ServiceError) throw new PageFailure('link', 'unknown');
    throw cause;
  }
}
