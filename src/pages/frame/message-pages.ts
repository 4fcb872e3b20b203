/** Pages with a single message: done, not found, no longer valid, not working. They show nothing from the request. */
import { html } from 'hono/html';
import type { PageFailureKind } from '../../core/page-failure.ts';
import { breakable, type Html, type Text } from '../words/html.ts';
import type { View } from '../words/words.ts';
import { layout } from './layout.ts';

type Status = 403 | 404 | 410;

const LINK_FAILURE_STATUS: Readonly<Record<PageFailureKind<'link'>, Status>> = {
  unknown: 404,
  expired: 410,
  used: 410,
  declined: 410,
  csrf: 403,
};

/**
 * Status and page for a link that cannot be used.
 *
 * @param isOwn the reader made the link themselves, so no agent asked for it
 */
export function linkFailurePage(
  view: View,
  kind: PageFailureKind<'link'>,
  isOwn: boolean,
): { status: Status; page: Html } {
  const { linkFailures, ownDeclined } = view.words.frame;
  const message = isOwn && kind === 'declined' ? ownDeclined : linkFailures[kind];
  return { status: LINK_FAILURE_STATUS[kind], page: messagePage(view, message) };
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

/** `/`: introduces the product and links to the pages for users and the addresses for programs. */
export function landingPage(view: View, baseUrl: string, hasReference: boolean): Html {
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
          <dd><code>${breakable(`${baseUrl}/mcp`)}</code></dd>
        </div>
        <div>
          <dt>${words.rest}</dt>
          <dd>
            <code>${breakable(`${baseUrl}/api/v1`)}</code
            >${hasReference ? html`<small><a href="/docs">${words.reference}</a></small>` : ''}<small
              ><a href="/openapi.json">${words.openapi}</a></small
            >
          </dd>
        </div>
        <div>
          <dt>${words.operators}</dt>
          <dd><a href="/dashboard">${words.dashboard}</a><small>${words.dashboardHint}</small></dd>
        </div>
      </dl>
      <p>${words.link}</p>
    `,
  });
}
