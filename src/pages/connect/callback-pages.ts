/** Pages for users whose consent flow ended without a connection: what happened, and what to do. */
import { html } from 'hono/html';
import type { PageFailure, PageFailureKind } from '../../core/page-failure.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';
import { layout } from '../frame/layout.ts';

type Status = 400 | 403 | 410 | 502;

/** In the order in which the kinds are checked. */
const STATUS: Readonly<Record<PageFailureKind<'callback'>, Status>> = {
  state: 400,
  expired: 410,
  connection: 400,
  browser: 403,
  malformed: 400,
  issuer: 400,
  denied: 403,
  provider_error: 502,
  code_refused: 502,
  client_refused: 502,
  unreachable: 502,
  bad_answer: 502,
  no_metadata: 502,
  several_accounts: 502,
  start_failed: 502,
  start_refused: 502,
};

/** Kinds that the operator has to look into: the user cannot fix them. */
export const OPERATOR_KINDS: ReadonlySet<PageFailureKind<'callback'>> = new Set([
  'connection',
  'issuer',
  'provider_error',
  'code_refused',
  'client_refused',
  'unreachable',
  'bad_answer',
  'no_metadata',
  'several_accounts',
  'start_failed',
  'start_refused',
] as const);

/** Kinds after which the link can be used again. */
const REPEATABLE: ReadonlySet<PageFailureKind<'callback'>> = new Set([
  'expired',
  'malformed',
  'issuer',
  'denied',
  'provider_error',
  'code_refused',
  'unreachable',
  'bad_answer',
  'no_metadata',
  'several_accounts',
  'start_failed',
] as const);

/** Whether a text is the name of a kind. */
export function isCallbackKind(text: string): text is PageFailureKind<'callback'> {
  return Object.hasOwn(STATUS, text);
}

/**
 * Status and page for a callback that connects nothing. The provider's own text is escaped and marked as a
 * quotation.
 *
 * @param wayBack path where this browser can try again; absent if it did not start with the link
 */
export function callbackFailurePage(
  view: View,
  failure: PageFailure<'callback'>,
  wayBack?: string,
): { status: Status; page: Html } {
  const words = view.words.connect;
  const { title, what, next } = words.callbackFailures[failure.kind];
  const app = failure.connectorTitle || words.theProvider;
  const again = REPEATABLE.has(failure.kind) ? wayBack : undefined;
  return {
    status: STATUS[failure.kind],
    page: layout(view, {
      title: title(app),
      content: html`
        <h1>${title(app)}</h1>
        <p>${what(app)}</p>
        ${failure.providerText === undefined ? '' : quotation(words.inTheWordsOf(app), failure.providerText)}
        <p class="lead">${next(again !== undefined)}</p>
        ${again === undefined ? '' : html`<a class="button" href="${again}">${words.tryAgain}</a>`}
      `,
    }),
  };
}

/** Anybody who can influence the provider's text could write here, so it must not look like our advice. */
function quotation(caption: string, text: string): Html {
  return html`<figure>
    <figcaption>${caption}</figcaption>
    <blockquote><bdi>${text}</bdi></blockquote>
  </figure>`;
}
