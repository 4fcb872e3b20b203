/** A browser without a screen: follows redirects, keeps cookies by host and path, fills in the form it is shown. */

interface Cookie {
  name: string;
  value: string;
  path: string;
}

/** Where a navigation ended. */
export interface Visited {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

const MAX_HOPS = 15;

export class ScriptedBrowser {
  readonly #origin: string;
  #cookies: Cookie[] = [];

  /** @param origin the only site that it visits; a redirect elsewhere ends the navigation */
  constructor(origin: string) {
    this.#origin = origin;
  }

  setCookie(name: string, value: string, path = '/'): void {
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (value !== '') this.#cookies.push({ name, value, path });
  }

  /** Gives a cookie that it has to another path as well. */
  copyCookie(name: string, path: string): void {
    const found = this.#cookies.find((cookie) => cookie.name === name);
    if (found === undefined) throw new Error(`no cookie ${name}`);
    this.setCookie(name, found.value, path);
  }

  cookieNames(): string[] {
    return this.#cookies.map(({ name }) => name).toSorted();
  }

  /** Goes to an address and on, until something is shown or a redirect leaves the site. */
  async goTo(url: string, init: RequestInit = {}): Promise<Visited> {
    let target = new URL(url, this.#origin);
    let request = init;
    for (let hop = 0; hop < MAX_HOPS; hop++) {
      if (target.origin !== this.#origin) return left(target);
      const answer = await fetch(target, {
        ...request,
        redirect: 'manual',
        headers: {
          ...(request.headers as Record<string, string>),
          cookie: this.#cookieHeader(target.pathname),
        },
      });
      for (const line of answer.headers.getSetCookie()) this.#keep(line);
      const text = await answer.text();
      const refresh = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(text)?.[1];
      const onwards = answer.headers.get('location') ?? refresh;
      if (onwards === undefined)
        return { url: target.href, status: answer.status, headers: answer.headers, text };
      target = new URL(onwards, target);
      request = {};
    }
    throw new Error('redirected in circles');
  }

  /** Posts the first form of a page with its hidden values and these. */
  async submit(
    page: Visited,
    values: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Visited> {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) throw new Error(`no form: ${page.status} ${page.text}`);
    const fields = new URLSearchParams();
    for (const [, name = '', value = ''] of page.text.matchAll(
      /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
    ))
      fields.set(name, value.replaceAll('&amp;', '&'));
    for (const [name, value] of Object.entries(values)) fields.set(name, value);
    return this.goTo(action, {
      method: 'POST',
      body: fields.toString(),
      headers: {
        origin: this.#origin,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
    });
  }

  #cookieHeader(path: string): string {
    return this.#cookies
      .filter((cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const mark = pair.indexOf('=');
    const path = attributes.find((text) => /^path=/i.test(text))?.slice(5) ?? '/';
    const isGone = attributes.some((text) => /^expires=Thu, 01 Jan 1970/i.test(text));
    this.setCookie(pair.slice(0, mark), isGone ? '' : pair.slice(mark + 1), path);
  }
}

function left(target: URL): Visited {
  return { url: target.href, status: 0, headers: new Headers(), text: '' };
}
