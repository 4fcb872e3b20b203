/** Applications that vouch for a user they know: they get tokens that act as the user. */
import type { Caller } from '../core/caller.ts';
import { ServiceError } from '../core/errors.ts';
import type { Readable } from '../store/engine/database.ts';
import { rows } from '../store/engine/rows.ts';

/**
 * `client_id` of the calling API credential, which is the OAuth client of the sessions of its users.
 *
 * @throws ServiceError PERMISSION_DENIED for users and the command line
 */
export async function vouchingClientId(db: Readable, { environmentId, actor }: Caller): Promise<string> {
  const credential = await rows(db, 'credentials').find(environmentId, actor);
  if (credential !== undefined) return credential.client_id;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'Only an application can vouch for a user. Use a token of an API credential.',
  );
}
