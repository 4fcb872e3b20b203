/** The outcome of a call, as a badge. */
import { html } from 'hono/html';
import { badge } from '../../components/badge.ts';
import type { Html } from '../../frame/html.ts';
import { calls as words } from '../../words/calls.ts';

/** Whether an error code means that the owner of the account was given a link. */
export function isWaiting(errorCode: string | null): boolean {
  return errorCode === 'CONNECTED_ACCOUNT_NOT_ACTIVE';
}

/** The badge: answered, waits for a person, or the code of the failure. */
export function outcomeBadge(call: { status: string; error_code: string | null }): Html {
  if (call.status === 'ok') return badge('ok', words.answered);
  return isWaiting(call.error_code)
    ? badge('wait', words.waits)
    : badge('bad', codeOf(call.error_code ?? words.failed));
}

/** An error code that can break after its underscores on narrow screens. */
function codeOf(code: string): Html {
  return html`${code.split(/(?<=_)/).map((part, place) => html`${place === 0 ? '' : html`<wbr />`}${part}`)}`;
}
