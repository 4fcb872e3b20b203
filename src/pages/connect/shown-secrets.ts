/** The button that shows the text of a masked field. It appears only if scripts run. */
import { html } from 'hono/html';
import { pageScript } from '../frame/page-script.ts';
import type { Html } from '../words/html.ts';
import type { Words } from '../words/words.ts';

/** Masks the field again before the form is sent. Otherwise a browser would offer the secret the next time. */
export const SHOW_SCRIPT = pageScript(`(function () {
  var buttons = Array.from(document.querySelectorAll('[data-show]'));
  function show(button, isShown) {
    var input = button.previousElementSibling;
    if (input.tagName === 'INPUT') input.type = isShown ? 'text' : 'password';
    else input.classList.toggle('mask', !isShown);
    button.textContent = isShown ? button.dataset.hide : button.dataset.show;
  }
  buttons.forEach(function (button) {
    var isShown = false;
    button.hidden = false;
    button.addEventListener('click', function () { show(button, isShown = !isShown); });
  });
  addEventListener('submit', function () { buttons.forEach(function (button) { show(button, false); }); });
})();`);

/** A masked field with its button. */
export function withShow(words: Words['connect'], input: Html): Html {
  return html`<span class="masked"
    >${input}<button class="quiet" type="button" data-show="${words.show}" data-hide="${words.hide}" hidden>
      ${words.show}
    </button></span
  >`;
}
