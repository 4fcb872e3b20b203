/** Rows that pages of the dashboard show. */
import type { Site } from './dashboard-site.ts';

/** An account of a connection, for a user of an application. */
export async function accountOf(site: Site, connection: string, user: string): Promise<string> {
  const { id } = await site.services.accounts.create(site.local, {
    connector: connection,
    identifier: user,
    user_id: user,
  });
  return id;
}
