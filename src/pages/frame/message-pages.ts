/** Pages with a single message: done, not found, no longer valid, not working. They show nothing from the request. */
import { html } from 'hono/html';
import type { PageFailureKind } from '../../core/page-failure.ts';
import type { Html, Text } from '../words/html.ts';
import type { View } from '../words/words.ts';
import { layout } from './layout.ts';

type Status = 403 | 404 | 410;

const LINK_FAILURE_STATUS: Readonly<Record<PageFailureKind<'link'>, Status>> = {
  unknown: 404,
  expired: 410,
  used: 410,
  csrf: 403,
};

/** Status and page for a link that cannot be used. */
export function linkFailurePage(view: View, kind: PageFailureKind<'link'>): { status: Status; page: Html } {
  return { status: LINK_FAILURE_STATUS[kind], page: messagePage(view, view.words.frame.linkFailures[kind]) };
}

/** A page that says what happened and what to do, with links if there is a next step. All texts are our own. */
export function messagePage(view: View, message: { title: string; what: Text; next: Text }): Html {
  return layout(view, {
    title: message.title,
    content: html`
      <h1>${message.title}</h1>
      <p>${message.what}</p>
      <p class="lead">${message.next}</p>
    `,
  });
}

/**
 * The final page after an account is connected; anyone can open its address.
 *
 * @param isJustConnected whether this browser has connected one in the last minutes, as far as we know
 * @param isUntried whether the credential that was entered there could not be tried
 */
export function donePage(view: View, isJustConnected: boolean, isUntried: boolean): Html {
  const words = view.words.frame;
  if (!isJustConnected) return messagePage(view, words.nothingLeft);
  return layout(view, {
    title: words.connected,
    content: html`
      <svg
        class="mark"
        viewBox="0 0 48 48"
        fill="none"
        stroke="currentColor"
        stroke-width="3"
        aria-hidden="true"
      >
        <circle cx="24" cy="24" r="21" />
        <path d="m15 25 6.5 6.5L34 18" stroke-linecap="round" stroke-linejoin="round" />
      </svg>
      <h1>${words.connected}</h1>
      <p>${words.accountConnected}</p>
      <p class="lead">${isUntried ? words.untried : words.askAgainNow}</p>
    `,
  });
}

/** `/`: introduces the product and links to the pages for users and the addresses for programs. */
export function landingPage(view: View, baseUrl: string): Html {
  const words = view.words.frame.landing;
  return layout(view, {
    title: words.title,
    content: html`
      <h1>${words.heading}</h1>
      <p class="lead">${words.lead}</p>
      <dl>
        <div>
          <dt>${words.people}</dt>
          <dd><a href="/sign-in">${words.signIn}</a><small>${words.signInHint}</small></dd>
        </div>
        <div>
          <dt>${words.mcp}</dt>
          <dd><code>${baseUrl}/mcp</code></dd>
        </div>
        <div>
          <dt>${words.rest}</dt>
          <dd>
            <code>${baseUrl}/api/v1</code><small><a href="/openapi.json">${words.openapi}</a></small>
          </dd>
        </div>
        <div>
          <dt>${words.operators}</dt>
          <dd><a href="/dashboard">${words.commands}</a><small>${words.commandsHint}</small></dd>
        </div>
      </dl>
      <p>${words.link}</p>
    `,
  });
}

/** The environment of commands that do not name one. */
const DEFAULT_ENVIRONMENT = 'development';

/**
 * `/dashboard`: shows the signed-in user, and the commands that do a dashboard's work. Public, so it shows no
 * other data.
 *
 * @param page.signedIn the signed-in user, with links to change that; absent if nobody is
 * @param page.commandsFor name of the environment for the commands; absent if they are of no use
 */
export function dashboardPage(
  view: View,
  { signedIn, commandsFor }: { signedIn?: Html; commandsFor?: string | undefined },
): Html {
  const words = view.words.frame;
  const isNobody = signedIn === undefined;
  return layout(view, {
    title: isNobody ? words.operated : view.words.signIn.home.title,
    content: html`
      ${signedIn ?? ''}
      ${
        commandsFor === undefined
          ? ''
          : html`${isNobody ? html`<h1>${words.operated}</h1>` : html`<h2>${words.operated}</h2>`}
            ${commands(view, commandsFor)}`
      }
      ${isNobody ? html`<p>${words.notAnOperator}</p>` : ''}
    `,
  });
}

function commands({ words }: View, environmentName: string): Html {
  const option =
    environmentName === DEFAULT_ENVIRONMENT ? '' : html` <span>--environment</span> ${environmentName}`;
  return html`<p class="lead">${words.frame.operatorsWork}</p>
    <ul class="commands">
      ${Object.entries(words.frame.commands).map(
        ([command, purpose]) => html`<li><code>${command}${option}</code><span>${purpose}</span></li>`,
      )}
    </ul>
    <p>${words.frame.help}</p>`;
}
