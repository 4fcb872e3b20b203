/** A link for the owner of an account, for refusals that a link can mend; or in words why there is none. */
import type { ConnectLink } from '../../accounts/not-active.ts';
import type { Links } from '../../links/links.ts';
import type { Caller } from '../../core/caller.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';

/**
 * Never throws for what keeps a link from being made here: settings, an unfinished connection, a busy database.
 *
 * @param options.scopes asked for beside those of the connection
 */
export async function connectLink(
  links: Pick<Links, 'createFor'>,
  caller: Caller,
  account: Account,
  options: { scopes?: readonly string[] } = {},
): Promise<ConnectLink> {
  try {
    return await links.createFor(caller, account, options);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const why = error.violations.map(({ description }) => description).join(' ') || error.message;
    return { unavailable: `No link can be made here: ${why}` };
  }
}
