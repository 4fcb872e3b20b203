/** Makes a link for the owner of an account, for errors that a link can fix, or says why no link can be made. */
import type { ConnectLink } from '../../accounts/not-active.ts';
import type { Links, PromptOptions } from '../../links/links.ts';
import type { Caller } from '../../core/caller.ts';
import { toTimestamp } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Account } from '../../store/accounts/account.ts';

/** Time for which a person who declined gets no new link, in milliseconds. */
export const DECLINED_MS = 24 * 60 * 60_000;

/**
 * The answer without a link while the owner's refusal is not a day old.
 *
 * @param what they declined, such as `to connect it`
 */
export function declinedLately(
  declinedAt: number | null | undefined,
  what: string,
  now: number,
): ConnectLink | undefined {
  if (declinedAt === null || declinedAt === undefined || now >= declinedAt + DECLINED_MS) return undefined;
  const at = toTimestamp(declinedAt);
  const until = toTimestamp(declinedAt + DECLINED_MS);
  const unavailable = `Its owner declined ${what} at ${at}. Do not ask again unless they want it: no link is given until ${until}.`;
  return { unavailable, declinedAt: at };
}

/**
 * Does not throw if settings, an unfinished connection or a busy database prevent the link.
 *
 * @param options.scopes to ask for in addition to those of the connection
 * @param options.tools called or selected, whose scopes are asked for too
 * @param options.state returned to the app with the browser
 */
export async function connectLink(
  links: Pick<Links, 'createFor'>,
  caller: Caller,
  account: Account,
  options: PromptOptions = {},
): Promise<ConnectLink> {
  try {
    return await links.createFor(caller, account, options);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const why = error.violations.map(({ description }) => description).join(' ') || error.message;
    return { unavailable: `No link can be made here: ${why}` };
  }
}
