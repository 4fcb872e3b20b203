/** `/connect/done`: the final page after an account is connected. Anyone can open its address. */
import { html } from 'hono/html';
import type { ConnectedAccount } from '../../links/link-ends.ts';
import { layout } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';

/** For a browser that, as far as we know, has connected nothing in the last minutes. */
export function nothingLeftPage(view: View): Html {
  return messagePage(view, view.words.frame.nothingLeft);
}

/**
 * Says what is connected, and suggests a first question to the agent.
 *
 * @param account the account that this browser has connected; `undefined` if unknown
 * @param options.isUntried whether the entered credential could not be tried
 * @param options.hasOwnLink whether this browser has made a link at `/accounts`, which this page then leads back to
 */
export function donePage(
  view: View,
  account: ConnectedAccount | undefined,
  { isUntried, hasOwnLink }: { isUntried: boolean; hasOwnLink: boolean },
): Html {
  const words = view.words.frame;
  const { connectorTitle: app, displayName, prompts = [] } = account ?? {};
  const title = app === undefined ? words.connected : words.appConnected(app);
  return layout(view, {
    title,
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
      <h1>${app === undefined || displayName == null ? title : words.appConnectedAs(app, displayName)}</h1>
      <p class="lead">${isUntried ? words.untried : words.askAgainNow}</p>
      ${
        prompts.length === 0 || isUntried
          ? ''
          : html`<h2>${words.askFirst}</h2>
              <ul class="prompts">
                ${prompts.slice(0, 2).map((prompt) => html`<li><q>${view.words.connect.fromCatalog(prompt)}</q></li>`)}
              </ul>`
      }
      <p>${hasOwnLink ? words.closePageOrGoOn : words.closePage}</p>
    `,
  });
}
