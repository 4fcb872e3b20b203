/**
 * What a call answers when its account is not connected or not any more: a question to the user, by URL
 * elicitation where the client can show one, else as text with the link (docs/contract.md#accounts-that-are-not-connected).
 *
 * Never decides whether an account may be used; whoever repeats the call asks the executor again.
 */
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { AccountNotActive, NotActiveAccount } from '../accounts/not-active.ts';
import { ACCOUNT_META_KEY } from './result.ts';
import { errorTexts } from './tool-error.ts';
import type { AccountStatus } from '../core/stored-words.ts';

/** Key of the question in `inputRequests`. */
export const CONNECT_REQUEST_KEY = 'connect';

/** What a client asks its user: to open a page. */
export interface ConnectQuestion {
  message: string;
  url: string;
}

const INVITATION = 'Open this page to connect it.';

/** What the page does, where that is more than connecting for the first time. */
const INVITATIONS: Partial<Record<AccountStatus, string>> = {
  EXPIRED: 'Open this page to renew it.',
  DISCONNECTED: 'Open this page to connect it again.',
  PENDING_VERIFICATION: 'Unless that is under way, open this page to start again.',
};

/** Why the page should be opened, and which. */
export function connectQuestion(error: AccountNotActive, link: string): ConnectQuestion {
  return {
    message: `${situation(error.account)} ${INVITATIONS[error.account.status] ?? INVITATION}`,
    url: link,
  };
}

/**
 * The answer for clients without URL elicitation, and for a call repeated before the account was connected:
 * a sentence with the link, then the same as JSON.
 */
export function connectPrompt(error: AccountNotActive): CallToolResult {
  const { account, connect } = error;
  const { id, identifier, connector } = account;
  const _meta = { [ACCOUNT_META_KEY]: { id, identifier, connector } };
  const facts = { code: 'AUTHORIZATION_REQUIRED', status: account.status, connected_account_id: account.id };
  if (!('link' in connect)) {
    const sentence = `${situation(account)} ${connect.unavailable}`;
    return { ...errorTexts(sentence, { ...facts, link: null, expiry: null }), _meta };
  }
  const { link, expiry } = connect;
  const sentence =
    `${situation(account)} ${ask(account)} to open this link and finish there: ${link} ` +
    `(valid until ${expiry}). Then call the tool again with the same arguments.`;
  return { ...errorTexts(sentence, { ...facts, link, expiry }), _meta };
}

/**
 * Asks the user of a 2025-era stdio client, which answers while the call is open.
 *
 * Returns when the user has answered or the client could not ask: either way the account's status counts,
 * so the caller repeats the call once and falls back to `connectPrompt`.
 */
export async function askUser(
  ctx: ServerContext,
  question: ConnectQuestion,
  timeoutMs: number,
): Promise<void> {
  try {
    await ctx.mcpReq.elicitInput(
      { ...question, mode: 'url', elicitationId: crypto.randomUUID() },
      { timeout: timeoutMs, signal: ctx.mcpReq.signal },
    );
  } catch {
    // The client promised to show a link and did not: the text prompt follows.
  }
}

/** A new link would end what the user has just finished, so the agent is told to try without it first. */
function ask({ status }: NotActiveAccount): string {
  return status === 'PENDING_VERIFICATION'
    ? 'If the user has just finished, call the tool again in a moment. Otherwise ask the user'
    : 'Ask the user';
}

/** What happened, worded by status, naming the app and the account. */
function situation({ connectorTitle, identifier, status, everConnected }: NotActiveAccount): string {
  const who = `${connectorTitle} (account ${identifier})`;
  switch (status) {
    case 'EXPIRED':
      return `The connection to ${who} has expired and has to be renewed by its owner.`;
    case 'DISCONNECTED':
      return `The connection to ${who} was disconnected.`;
    case 'PENDING_VERIFICATION':
      return `The connection to ${who} waits for verification: consent was given, and it is not confirmed yet who gave it.`;
    default:
      return everConnected ? `${who} is not connected any more.` : `${who} is not connected yet.`;
  }
}
