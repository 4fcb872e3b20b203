/**
 * The demo's stand-in for a user with a browser. Opens a link, reads the page, follows its links, submits its form,
 * follows redirects and keeps cookies. It only reads our own pages, so a few patterns are enough.
 */

/** The visible content of a page. */
export interface SeenPage {
  url: string;
  heading: string;
  /** Pairs such as `Account: ada`. */
  facts: readonly (readonly [name: string, value: string])[];
  /** Labels of the fields of the form, in order. */
  labels: readonly string[];
  /** Entries of lists. */
  items: readonly string[];
  /** Texts of the buttons and links. */
  actions: readonly string[];
}

/** One user with one browser. */
export class DemoVisitor {
  /** By origin and name. */
  readonly #cookies = new Map<string, Map<string, string>>();
  #html = '';
  #url = '';

  /** @throws Error if the page does not answer 200 */
  async open(url: string): Promise<SeenPage> {
    return this.#go(url, {});
  }

  /** Follows the first link of the open page whose text begins like this. @throws Error without such a link */
  async follow(words: string): Promise<SeenPage> {
    const links = this.#html.matchAll(/(<a [^>]*>)(.*?)<\/a>/gs);
    const link = [...links].find(([, , text = '']) => plain(text).startsWith(words));
    if (link === undefined) throw new Error(`the page ${this.#url} has no link "${words}"`);
    return this.#go(new URL(attribute(link[1] ?? '', 'href'), this.#url).href, {});
  }

  /**
   * Fills in the form of the open page and posts it.
   *
   * @param values in the order of the text fields; preselected choices stay as they are
   * @param button beginning of the button's text; default: the first
   * @throws Error if there is no such button
   */
  async submit(values: readonly string[], button = ''): Promise<SeenPage> {
    const forms = [...this.#html.matchAll(/<form.*?<\/form>/gs)].map(([form]) => form);
    const form = forms.find((one) => buttonOf(one, button) !== undefined);
    if (form === undefined) throw new Error(`the page ${this.#url} has no button "${button}"`);
    const body = new URLSearchParams();
    const typed = [...values];
    for (const [input] of form.matchAll(/<input[^>]*>/g)) {
      const type = attribute(input, 'type');
      if (type === 'radio' && !/\schecked\b/.test(input)) continue;
      const isGiven = type === 'hidden' || type === 'radio';
      body.append(attribute(input, 'name'), isGiven ? attribute(input, 'value') : (typed.shift() ?? ''));
    }
    const pressed = buttonOf(form, button) ?? '';
    if (attribute(pressed, 'name') !== '')
      body.append(attribute(pressed, 'name'), attribute(pressed, 'value'));
    return this.#go(new URL(attribute(form, 'action'), this.#url).href, {
      method: 'POST',
      body,
      headers: { origin: new URL(this.#url).origin },
    });
  }

  async #go(url: string, init: RequestInit): Promise<SeenPage> {
    const { origin } = new URL(url);
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, cookies);
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    this.#html = await response.text();
    this.#url = url;
    if (location !== null) return this.#go(new URL(location, url).href, {});
    if (!response.ok)
      throw new Error(`${origin} answered ${response.status}: ${textsOf(this.#html, 'h1')[0] ?? 'no page'}`);
    return {
      url,
      heading: textsOf(this.#html, 'h1')[0] ?? '',
      facts: [...this.#html.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)(?:<small>|<\/dd>)/gs)].map(
        ([, name = '', value = '']) => [plain(name), plain(value)],
      ),
      labels: textsOf(this.#html, 'label'),
      // The connect page lists permissions twice: in groups, and by name.
      items: textsOf(this.#html.replace(/<ul class="powers">.*?<\/ul>/s, ''), 'li'),
      actions: [...textsOf(this.#html, 'button'), ...textsOf(this.#html, 'a')],
    };
  }
}

function attribute(tag: string, name: string): string {
  return plain(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

/** The first button of a form whose text begins like this. */
function buttonOf(form: string, words: string): string | undefined {
  return [...form.matchAll(/<button.*?<\/button>/gs)]
    .map(([button]) => button)
    .find((button) => plain(button).startsWith(words));
}

/** Text of every such element that contains no other of its kind. */
function textsOf(html: string, element: string): string[] {
  const found = html.matchAll(new RegExp(`<${element}(?:\\s[^>]*)?>(.*?)</${element}>`, 'gs'));
  return [...found].map(([, content = '']) => plain(content));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Text of a piece of markup. */
function plain(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
