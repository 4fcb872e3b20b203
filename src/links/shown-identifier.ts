/** How an account is named to whoever opens a link for it. */
import type { AccountRow } from '../store/accounts/account-store.ts';
import type { Readable } from '../store/engine/database.ts';
import { UserStore } from '../store/people/user-store.ts';

/** The identifier; for an account that is named after a user of ours, the user's e-mail address, which people know. */
export async function shownIdentifier(db: Readable, row: AccountRow): Promise<string> {
  const { identifier, environment_id: environmentId, user_id: userId } = row;
  if (identifier !== userId || !userId.startsWith('usr_')) return identifier;
  return (await new UserStore(db).find(environmentId, userId))?.email ?? identifier;
}
