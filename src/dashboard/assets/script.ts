/**
 * Our own script: copy buttons, buttons that show masked fields, `/` for the search, and the timer of live lists.
 * Everything works without it.
 */

/** JavaScript text, run after the page is read. */
export const SCRIPT = `(() => {
  const say = (text) => { document.getElementById('said').textContent = text; };
  addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    const of = button.dataset.copyOf;
    const text = of ? document.getElementById(of).textContent : button.dataset.copy;
    try { await navigator.clipboard.writeText(text); } catch { return; }
    say('');
    say(document.getElementById('said').dataset.copied);
    button.classList.add('done');
    setTimeout(() => button.classList.remove('done'), 1500);
  });
  const offerShow = () => {
    for (const button of document.querySelectorAll('[data-show]')) button.hidden = false;
  };
  addEventListener('click', (event) => {
    const button = event.target.closest('[data-show]');
    if (!button) return;
    const input = button.previousElementSibling;
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    button.textContent = isShown ? button.dataset.show : button.dataset.hide;
  });
  // A field that is shown would be offered by the browser the next time.
  addEventListener('submit', (event) => {
    for (const button of event.target.querySelectorAll('[data-show]')) {
      button.previousElementSibling.type = 'password';
      button.textContent = button.dataset.show;
    }
  });
  offerShow();
  addEventListener('htmx:after:swap', () => {
    offerShow();
    const wanted = document.querySelector('[data-focus]');
    if (wanted) wanted.focus();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    document.querySelector('.find input').focus();
  });
  setInterval(() => {
    if (document.visibilityState !== 'visible') return;
    for (const list of document.querySelectorAll('[data-live]')) list.dispatchEvent(new Event('live'));
  }, 5000);
})();
`;
