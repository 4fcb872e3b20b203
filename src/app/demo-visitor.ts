/**
 * The demo's stand-in for a person with a browser: opens a link, reads the page, fills in its form, follows
 * redirects and keeps cookies. Reads our own pages only, so a few patterns are enough.
 */

/** What a person sees on a page. */
export interface SeenPage {
  url: string;
  heading: string;
  /** Pairs such as `Account: ada`. */
  facts: readonly (readonly [name: string, value: string])[];
  /** Labels of the fields of the form, in order. */
  labels: readonly string[];
}

/** One person with one browser. */
export class DemoVisitor {
  readonly #cookies = new Map<string, string>();
  #html = '';
  #url = '';

  /** @throws Error when the page does not answer 200 */
  async open(url: string): Promise<SeenPage> {
    return this.#go(url, {});
  }

  /** Fills in the form of the page that is open and posts it. @param values in the order of the labels */
  async submit(values: readonly string[]): Promise<SeenPage> {
    const form = new URLSearchParams();
    const typed = [...values];
    for (const [input] of this.#html.matchAll(/<input[^>]*>/g)) {
      const isHidden = attribute(input, 'type') === 'hidden';
      form.append(attribute(input, 'name'), isHidden ? attribute(input, 'value') : (typed.shift() ?? ''));
    }
    return this.#go(this.#url, {
      method: 'POST',
      body: form,
      headers: { origin: new URL(this.#url).origin },
    });
  }

  async #go(url: string, init: RequestInit): Promise<SeenPage> {
    const { origin } = new URL(url);
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie: this.#cookies.get(origin) ?? '' },
    });
    const cookie = response.headers.get('set-cookie')?.split(';')[0];
    if (cookie !== undefined) this.#cookies.set(origin, cookie);
    const location = response.headers.get('location');
    this.#html = await response.text();
    this.#url = url;
    if (location !== null) return this.#go(new URL(location, url).href, {});
    if (!response.ok)
      throw new Error(`${origin} answered ${response.status}: ${textOf(this.#html, 'h1') ?? 'no page'}`);
    return {
      url,
      heading: textOf(this.#html, 'h1') ?? '',
      facts: [...this.#html.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)(?:<small>|<\/dd>)/gs)].map(
        ([, name = '', value = '']) => [plain(name), plain(value)],
      ),
      labels: [...this.#html.matchAll(/<label[^>]*>(.*?)<\/label>/gs)].map(([, label = '']) => plain(label)),
    };
  }
}

function attribute(tag: string, name: string): string {
  return plain(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

function textOf(html: string, element: string): string | undefined {
  const found = new RegExp(`<${element}[^>]*>(.*?)</${element}>`, 's').exec(html)?.[1];
  return found === undefined ? undefined : plain(found);
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
