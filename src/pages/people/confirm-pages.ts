/** `/connect/confirm`: the owner of an account confirms that it was they who consented. */
import { html } from 'hono/html';
import { warning } from '../connect/credential-form.ts';
import { layout, type Html } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import { hidden } from '../sign-in/people-fields.ts';

interface ConfirmPage {
  csrf: string;
  /** Address of the signed-in user. */
  email: string;
  /** Path of the page. */
  path: string;
}

/** Asks whether to connect the account, and says whose it will be. */
export function confirmPage(
  page: ConfirmPage & {
    authRequestId: string;
    connectorTitle: string;
    /** '' if it means nothing to the user. */
    identifier: string;
    /** '' for an account of the user's own. */
    organizationName: string;
  },
): Html {
  const { connectorTitle, organizationName } = page;
  return layout({
    title: `Confirm ${connectorTitle}`,
    content: html`
      <h1>Connect ${connectorTitle}?</h1>
      <p>Access to ${connectorTitle} was just given in this browser. It is used only if you say so.</p>
      <dl>
        <div>
          <dt>App</dt>
          <dd>${connectorTitle}</dd>
        </div>
        ${
          page.identifier === ''
            ? ''
            : html`<div>
                <dt>Account</dt>
                <dd><bdi>${page.identifier}</bdi></dd>
              </div>`
        }
        <div>
          <dt>Used by</dt>
          <dd>
            ${
              organizationName === ''
                ? html`your agents<small><bdi>${page.email}</bdi></small>`
                : html`agents of ${organizationName}<small>not only your own</small>`
            }
          </dd>
        </div>
      </dl>
      ${warning('what you connect')}
      <form method="post" action="/connect/confirm">
        ${hidden({ csrf: page.csrf, auth_request_id: page.authRequestId })}
        <button type="submit">Connect ${connectorTitle}</button>
      </form>
    `,
    footer: html`You are signed in as <bdi>${page.email}</bdi>. If you do nothing, what was given is erased.`,
  });
}

/** For anybody but the owner. */
export function notYoursPage(page: ConfirmPage): Html {
  return layout({
    title: 'This connection is not yours',
    content: html`
      <h1>This connection is not yours</h1>
      <p>
        You are signed in as <bdi>${page.email}</bdi>, and the connection was started for somebody else. What
        was given waits for that person: only they can confirm it, and nobody uses it before that.
      </p>
      <p class="lead">
        If somebody sent you the link: tell them nothing more, and take the access back at the app you gave it
        to. If the link was yours under another address, sign in with that one.
      </p>
      <form method="post" action="/sign-out">
        ${hidden({ csrf: page.csrf, next: page.path })}
        <button type="submit">Sign out, to sign in with another address</button>
      </form>
    `,
  });
}

/** Unknown, confirmed, refused too often or expired: all look the same. */
export function nothingToConfirmPage(): Html {
  return messagePage({
    title: 'There is nothing to confirm',
    what: 'This was confirmed already, took too long, or was tried too often by somebody else.',
    next: 'If the account is not connected, go back to your agent and ask it to try again: it will give you a new link.',
  });
}
