/** Pages for users whose consent flow ended without a connection: what happened, and what to do. */
import { html } from 'hono/html';
import { lowerFirst } from '../../core/text.ts';
import type { PageFailure, PageFailureKind } from '../../core/page-failure.ts';
import { layout, type Html } from '../frame/layout.ts';

type Status = 400 | 403 | 410 | 502;

/** A status and its message. `app` stands for the app's title, or for a general term. */
interface Message {
  status: Status;
  title: (app: string) => string;
  /** What happened. */
  what: (app: string) => string;
  /** Next step for the user. */
  next: string;
}

/** A failed attempt does not use up the link. */
const AGAIN =
  'Open the link you were given once more: it still works, unless its time is over. If it is, ask the agent for a new one.';

const TELL = 'If it happens again, tell whoever runs this Gatehouse.';

/** By kind of failure, in the order in which they are checked. */
const FAILURES: Readonly<Record<PageFailureKind<'callback'>, Message>> = {
  state: {
    status: 400,
    title: () => 'This answer is not expected',
    what: () =>
      'Each answer of a provider is taken once, and this one has been taken already or does not belong to anything that was started here. Nothing was changed.',
    next: `If you only loaded the page again, go back to your agent: the account may be connected already. If not: ${lowerFirst(AGAIN)}`,
  },
  expired: {
    status: 410,
    title: () => 'That took too long',
    what: (app) =>
      `For safety, the way to ${app} and back is open for a short time only, and that time is over. Nothing was stored.`,
    next: AGAIN,
  },
  connection: {
    status: 400,
    title: () => 'This answer came back to the wrong place',
    what: () =>
      'It was meant for another app than the one you set out for. Somebody may have tried to mix up the two. Nothing was stored.',
    next: `Do not repeat what you did from another page. ${AGAIN} ${TELL}`,
  },
  browser: {
    status: 403,
    title: () => 'This did not start in this browser',
    what: (app) =>
      `You came back from ${app} to another browser than the one that set out, or this browser does not accept cookies. Nothing was stored.`,
    next: `If somebody sent you here, close this page. If you opened the link yourself: open it again and stay in one browser, with cookies allowed.`,
  },
  malformed: {
    status: 400,
    title: () => 'This answer cannot be read',
    what: (app) => `What ${app} sent back is incomplete or contradicts itself. Nothing was stored.`,
    next: `${AGAIN} ${TELL}`,
  },
  issuer: {
    status: 400,
    title: () => 'This answer comes from somebody else',
    what: (app) =>
      `You set out for ${app}, and the answer says that it was given by another provider. It was not used, and nothing was stored.`,
    next: `${AGAIN} ${TELL}`,
  },
  denied: {
    status: 403,
    title: () => 'Access was not allowed',
    what: (app) => `${capitalized(app)} says that access was refused. Nothing was stored.`,
    next: `If you decided so, you can close this page. If you were not given the choice, ask the administrator of your account there. To allow access after all: ${lowerFirst(AGAIN)}`,
  },
  provider_error: {
    status: 502,
    title: (app) => `${capitalized(app)} could not go on`,
    what: (app) => `${capitalized(app)} ended with an error instead of asking you. Nothing was stored.`,
    next: `${AGAIN} If it happens again, tell whoever runs this Gatehouse what is written here.`,
  },
  code_refused: {
    status: 502,
    title: () => 'The last step failed',
    what: (app) =>
      `You have allowed access, but ${app} did not accept its own answer any more when Gatehouse handed it in. Nothing was stored.`,
    next: `${AGAIN} ${TELL}`,
  },
  client_refused: {
    status: 502,
    title: (app) => `${capitalized(app)} does not know this Gatehouse`,
    what: (app) =>
      `You have allowed access, but ${app} refuses the client id or secret that Gatehouse is registered with. Nothing was stored, and you have done nothing wrong.`,
    next: 'Tell whoever runs this Gatehouse: the connection has to be set right before anybody can connect. Opening the link again before that will not help.',
  },
  unreachable: {
    status: 502,
    title: (app) => `${capitalized(app)} does not answer`,
    what: (app) =>
      `You have allowed access, but ${app} could not be reached for the last step. Nothing was stored.`,
    next: `Wait a minute. ${AGAIN}`,
  },
  bad_answer: {
    status: 502,
    title: () => 'The last step failed',
    what: (app) =>
      `You have allowed access, but ${app} answered with something that Gatehouse cannot use. Nothing was stored.`,
    next: `${AGAIN} ${TELL}`,
  },
  start_failed: {
    status: 502,
    title: (app) => `${capitalized(app)} does not let you in`,
    what: (app) =>
      `Gatehouse asked ${app} for the way to its consent page and got no answer that it can use. Nothing was started, and nothing was stored.`,
    next: `Wait a minute. ${AGAIN} ${TELL}`,
  },
  start_refused: {
    status: 502,
    title: (app) => `${capitalized(app)} does not know this Gatehouse`,
    what: (app) =>
      `Before you could be asked, ${app} refused the key or secret that Gatehouse is registered with. Nothing was stored, and you have done nothing wrong.`,
    next: 'Tell whoever runs this Gatehouse: the connection has to be set right before anybody can connect. Opening the link again before that will not help.',
  },
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
  'start_failed',
  'start_refused',
] as const);

/** Status and page for a callback that connects nothing. The provider's own text is escaped and marked as a quotation. */
export function callbackFailurePage(failure: PageFailure<'callback'>): { status: Status; page: Html } {
  const { status, title, what, next } = FAILURES[failure.kind];
  const app = failure.connectorTitle || 'the provider';
  return {
    status,
    page: layout({
      title: title(app),
      content: html`
        <h1>${title(app)}</h1>
        <p>${what(app)}</p>
        ${failure.providerText === undefined ? '' : quotation(app, failure.providerText)}
        <p class="lead">${next}</p>
      `,
    }),
  };
}

/** Anybody who can influence the provider's text could write here, so it must not look like our advice. */
function quotation(app: string, text: string): Html {
  return html`<figure>
    <figcaption>In the words of ${app}, not of Gatehouse:</figcaption>
    <blockquote><bdi>${text}</bdi></blockquote>
  </figure>`;
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
