/** `/connect/confirm`: the owner of an account confirms that it was they who consented. */
import { html } from 'hono/html';
import { warning } from '../connect/credential-form.ts';
import { layout } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import { hidden } from '../sign-in/people-fields.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';

interface ConfirmPage {
  csrf: string;
  /** Address of the signed-in user. */
  email: string;
  /** Path of the page. */
  path: string;
}

/** Asks whether to connect the account, and says whose it will be. */
export function confirmPage(
  view: View,
  page: ConfirmPage & {
    authRequestId: string;
    connectorTitle: string;
    /** '' if it means nothing to the user. */
    identifier: string;
    /** The provider's name for the account; null if unknown. */
    displayName: string | null;
    /** '' if the account belongs to the user. */
    organizationName: string;
  },
): Html {
  const { connectorTitle, organizationName, email } = page;
  const words = view.words.connect;
  return layout(view, {
    title: words.confirmTitle(connectorTitle),
    content: html`
      <h1>${words.confirmQuestion(connectorTitle)}</h1>
      <p>${words.confirmWhat(connectorTitle)}</p>
      <dl>
        <div>
          <dt>${words.app}</dt>
          <dd>
            ${connectorTitle}${
              page.displayName === null
                ? ''
                : html`<small>${words.connectedAs} <bdi>${page.displayName}</bdi></small>`
            }
          </dd>
        </div>
        ${
          page.identifier === ''
            ? ''
            : html`<div>
                <dt>${words.owner}</dt>
                <dd><bdi>${page.identifier}</bdi></dd>
              </div>`
        }
        <div>
          <dt>${words.usedBy}</dt>
          <dd>
            ${
              organizationName === ''
                ? html`${words.yourAgents}<small><bdi>${email}</bdi></small>`
                : html`${words.agentsOf(organizationName)}<small>${words.notOnlyYours}</small>`
            }
          </dd>
        </div>
      </dl>
      ${warning(words, words.whatYouConnect)}
      <form method="post" action="/connect/confirm">
        ${hidden({ csrf: page.csrf, auth_request_id: page.authRequestId })}
        <button type="submit">${words.title(connectorTitle)}</button>
      </form>
    `,
    footer: html`${view.words.frame.signedInAs(email)} ${words.ifYouDoNothing}`,
  });
}

/**
 * For the owner in a browser other than the one that consented. It has no button, because they did not see the
 * consent.
 */
export function otherBrowserPage(
  view: View,
  {
    connectorTitle,
    email,
  }: {
    connectorTitle: string;
    /** Address of the signed-in owner. */
    email: string;
  },
): Html {
  const { title, what, next, footer } = view.words.connect.otherBrowser;
  return layout(view, {
    title,
    content: html`
      <h1>${title}</h1>
      <p>${what(connectorTitle, email)}</p>
      <p class="lead">${next(connectorTitle)}</p>
    `,
    footer,
  });
}

/** For anybody but the owner. */
export function notYoursPage(view: View, page: ConfirmPage): Html {
  const { title, what, next, signOut } = view.words.connect.notYours;
  return layout(view, {
    title,
    content: html`
      <h1>${title}</h1>
      <p>${what(page.email)}</p>
      <p class="lead">${next}</p>
      <form method="post" action="/sign-out">
        ${hidden({ csrf: page.csrf, next: page.path })}
        <button type="submit">${signOut}</button>
      </form>
    `,
  });
}

/** Unknown, confirmed, refused too often or expired: all look the same. */
export function nothingToConfirmPage(view: View): Html {
  return messagePage(view, view.words.connect.nothingToConfirm);
}
