/**
 * The answer to a call whose account is not connected, or no longer connected: a question to the user. It
 * uses URL elicitation if the client supports it, otherwise text with the link
 * (docs/contract.md#accounts-that-are-not-connected).
 *
 * Never decides whether an account may be used: the repeated call asks the executor again.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AccountNotActive, NotActiveAccount } from '../accounts/not-active.ts';
import { ACCOUNT_META_KEY, accountMeta } from './result.ts';
import { LINK_META_KEY } from './result-blocks.ts';
import type { ConnectQuestion } from './session.ts';
import { errorTexts } from './tool-error.ts';
import type { AccountStatus } from '../core/stored-words.ts';

const INVITATION = 'Open this page to connect it.';

/** Purpose of the page, if it is more than connecting for the first time. */
const INVITATIONS: Partial<Record<AccountStatus, string>> = {
  EXPIRED: 'Open this page to renew it.',
  DISCONNECTED: 'Open this page to connect it again.',
  PENDING_VERIFICATION: 'Unless that is under way, open this page to start again.',
};

/** Asks to open a page and says why. */
export function connectQuestion(error: AccountNotActive, link: string): ConnectQuestion {
  return {
    message: `${situation(error.account)} ${INVITATIONS[error.account.status] ?? INVITATION}`,
    url: link,
  };
}

/**
 * The answer for clients without URL elicitation, and for a call repeated before the account is connected: a
 * sentence with the link, then the same as JSON. The link is in `_meta` too, which no provider's answer can set.
 */
export function connectPrompt(error: AccountNotActive): CallToolResult {
  const { account, connect } = error;
  const _meta = { [ACCOUNT_META_KEY]: accountMeta(account) };
  const facts = { code: 'AUTHORIZATION_REQUIRED', status: account.status, connected_account_id: account.id };
  if (!('link' in connect)) {
    const sentence = `${situation(account)} ${connect.unavailable}`;
    const declined = connect.declinedAt === undefined ? {} : { declined_at: connect.declinedAt };
    return { ...errorTexts(sentence, { ...facts, link: null, expiry: null, ...declined }), _meta };
  }
  const { link, expiry } = connect;
  const sentence =
    `${situation(account)} ${ask(account)} to open this link and finish there: ${link} ` +
    `(valid until ${expiry}). Then call the tool again with the same arguments.`;
  return { ...errorTexts(sentence, { ...facts, link, expiry }), _meta: { ..._meta, [LINK_META_KEY]: link } };
}

/**
 * Asks the agent to try the call without a link first, because a new link would invalidate the one that the user
 * has just finished.
 */
function ask({ status }: NotActiveAccount): string {
  return status === 'PENDING_VERIFICATION'
    ? 'If the user has just finished, call the tool again in a moment. Otherwise ask the user'
    : 'Ask the user';
}

/** The situation in words, by status, with the names of app and account. */
function situation({ connectorTitle, identifier, status, everConnected }: NotActiveAccount): string {
  const who = `${connectorTitle} (account ${identifier})`;
  switch (status) {
    case 'EXPIRED':
      return `The connection to ${who} has expired and has to be renewed by its owner.`;
    case 'DISCONNECTED':
      return `The connection to ${who} was disconnected.`;
    case 'PENDING_VERIFICATION':
      return `The connection to ${who} is waiting for verification: consent was given, but it is not confirmed yet who gave it.`;
    default:
      return everConnected ? `${who} is not connected any more.` : `${who} is not connected yet.`;
  }
}
