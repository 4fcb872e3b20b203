/**
 * Checks the forms of the pages for users: their origin and their fields.
 *
 * A CSRF token over the browser's cookie binds a form to its browser, so that neither another site nor a page opened
 * elsewhere can post it. The `Origin` is checked too.
 */
import { csrfMatches, csrfToken } from '../../links/csrf.ts';
import { newSecret } from '../../core/ids.ts';
import { PageFailure } from '../../core/page-failure.ts';
import { formText, isForm, isSameOrigin } from '../frame/browser-request.ts';
import { browserCookie } from '../frame/own-cookie.ts';
import type { PageContext } from '../frame/page-response.ts';

/** Largest form, far above names and addresses. */
const MAX_FORM_BYTES = 16 * 1024;

/** Creates and checks the CSRF tokens of forms. */
export class PeopleForms {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Returns the browser's cookie value, set now for a new browser, and the token for its forms. */
  open(c: PageContext): { browser: string; csrf: string } {
    const known = browserCookie.read(c);
    const browser = known !== undefined && /^[A-Za-z0-9_-]{43}$/.test(known) ? known : newSecret();
    browserCookie.write(c, browser);
    return { browser, csrf: csrfToken(this.#key, c.get('environment').id, browser) };
  }

  /**
   * The fields of a posted form; of a repeated field the last value, and `all` has every one.
   *
   * @throws PageFailure of a form
   */
  async read(
    c: PageContext,
    maxBytes = MAX_FORM_BYTES,
  ): Promise<{ browser: string; fields: Readonly<Record<string, string>>; all: URLSearchParams }> {
    const { id, baseUrl } = c.get('environment');
    if (!isSameOrigin(c.req.header('origin'), baseUrl)) throw new PageFailure('form', 'foreign');
    if (!isForm(c.req.header('content-type'))) throw new PageFailure('form', 'other_content');
    const text = await formText(c, maxBytes);
    if (text === undefined) throw new PageFailure('form', 'too_large');
    const all = new URLSearchParams(text);
    const fields = Object.fromEntries(all);
    const browser = browserCookie.read(c);
    if (browser === undefined || !csrfMatches(this.#key, id, browser, fields.csrf))
      throw new PageFailure('form', 'csrf');
    return { browser, fields, all };
  }
}
