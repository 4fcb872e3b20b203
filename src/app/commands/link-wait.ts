/** Waits for a user to finish a link in a browser, and words the error if that does not happen. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LinkEnd, LinkProgress } from '../../links/link-progress.ts';
import { ServiceError } from '../../core/errors.ts';

/** Progress of a link during the wait. */
export type WaitingState = Exclude<LinkProgress['state'], 'connected' | 'ended'>;

const INTERVAL_MS = 500;

/** The error and the advice, by the reason for the end. */
const ENDS: Readonly<Record<LinkEnd, string>> = {
  link_expired: 'nobody finished the link in time. Run the command again for a new one.',
  declined: 'the person declined on the page. Run the command again only if they want it after all.',
  deleted: 'the account was deleted in the meantime. Run the command again to create it.',
  expired:
    'access was given, but the app did not confirm in time who gave it, so it was erased. Find out why the app does not call verify, then run the command again.',
  wrong_identifiers:
    'access was given, but the app says that somebody else gave it, so it was erased. Run the command again for the right person.',
  superseded:
    'another link for the same account was completed later, and the credentials of this one were erased.',
  updated:
    'credentials were stored for the account in another way in the meantime, and those of this link were erased.',
  disconnected: 'the account was disconnected in the meantime. Run the command again to connect it.',
};

/**
 * Polls twice a second until the link is finished or has failed.
 *
 * @param wait.tell called with the first state and with every change
 * @param wait.isServedHere whether the link stops working when this process ends
 * @throws ServiceError CONNECTED_ACCOUNT_NOT_ACTIVE
 */
export async function waitForLink(wait: {
  title: string;
  /** RFC 3339. */
  expiry: string;
  isServedHere: () => boolean;
  progress: () => Promise<LinkProgress>;
  tell: (state: WaitingState) => void;
  stopped: Promise<unknown>;
  intervalMs?: number;
}): Promise<{ id: string; identifier: string; status: string }> {
  const stopping = new AbortController();
  void wait.stopped.then(() => stopping.abort());
  let told: WaitingState | undefined;
  while (!stopping.signal.aborted) {
    // Polls run one after the other.
    const now = await look(wait.progress);
    if (now?.state === 'connected') return now.account;
    if (now?.state === 'ended')
      throw notConnected(`${wait.title} is not connected: ${ENDS[now.why]}`, now.why);
    if (now !== undefined && now.state !== told) wait.tell((told = now.state));
    await delay(wait.intervalMs ?? INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }
  const link = wait.isServedHere()
    ? 'The link ended with this command; run it again for a new one.'
    : `The link still works until ${wait.expiry}.`;
  throw notConnected(`Stopped waiting: ${wait.title} is not connected yet. ${link}`, 'stopped');
}

/** A database that is busy for a moment does not end the wait. */
async function look(progress: () => Promise<LinkProgress>): Promise<LinkProgress | undefined> {
  try {
    return await progress();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'UNAVAILABLE') return undefined;
    throw error;
  }
}

function notConnected(message: string, reason: LinkEnd | 'stopped'): ServiceError {
  return new ServiceError('CONNECTED_ACCOUNT_NOT_ACTIVE', message, { details: { reason } });
}
