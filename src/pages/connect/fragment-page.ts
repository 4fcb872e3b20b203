/**
 * The page of a callback whose answer is in the fragment, which browsers send to no server. A script reads
 * it, removes it from the address, and posts it. A form replaces the script if scripts are off, or if the
 * provider shows its token instead of redirecting the browser with it.
 */
import { html } from 'hono/html';
import { layout } from '../frame/layout.ts';
import { pageScript } from '../frame/page-script.ts';
import type { Html } from '../words/html.ts';
import type { View } from '../words/words.ts';

/** Names in the fragment are those of the form's fields. Uses only syntax that every browser understands. */
export const FRAGMENT_SCRIPT = pageScript(`(function () {
  var given = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, '', location.pathname + location.search);
  var form = document.getElementById('answer');
  var names = ['token', 'error'].filter(function (name) { return given.get(name); });
  names.forEach(function (name) { form.elements[name].value = given.get(name); });
  if (names.length === 0) return;
  document.getElementById('by-hand').hidden = true;
  document.getElementById('by-script').hidden = false;
  form.submit();
})();`);

/** @param app name of the provider, as users know it */
export function fragmentPage(view: View, app: string): Html {
  const words = view.words.connect;
  return layout(view, {
    title: words.title(app),
    content: html`
      <div id="by-script" hidden>
        <h1>${words.moment}</h1>
        <p class="lead">${words.takesOver(app)}</p>
      </div>
      <div id="by-hand">
        <h1>${words.oneMoreStep}</h1>
        <p class="lead">${words.pasteToken(app)}</p>
        <p>${words.copyToken(app)}</p>
        <form id="answer" method="post">
          <input type="hidden" name="error" value="" />
          <div class="field">
            <label for="token">${words.token}</label>
            <p class="hint" id="token-hint">${words.tokenHint}</p>
            <input
              id="token"
              name="token"
              type="password"
              value=""
              autocomplete="off"
              autocapitalize="off"
              spellcheck="false"
              aria-describedby="token-hint"
              required
            />
          </div>
          <button type="submit">${words.title(app)}</button>
        </form>
      </div>
      ${FRAGMENT_SCRIPT.tag}
    `,
  });
}
