/**
 * A person's browser: keeps cookies, follows nothing by itself, and finds the public address of the deployment
 * at whichever process it is told to.
 */
export interface Page {
  status: number;
  /** Where it sends the browser; '' where it does not. */
  location: string;
  text: string;
  headers: Headers;
}

export class Browser {
  readonly #baseUrl: string;
  readonly #keep: (text: string) => void;
  readonly cookies = new Map<string, string>();
  /** Who answers at the public address. */
  server: { url: string };

  constructor(parts: { baseUrl: string; server: { url: string }; keep: (text: string) => void }) {
    this.#baseUrl = parts.baseUrl;
    this.server = parts.server;
    this.#keep = parts.keep;
  }

  /** Sends a form of one of our own pages. */
  async post(url: string, form: Readonly<Record<string, string>>): Promise<Page> {
    return this.get(url, {
      method: 'POST',
      headers: { origin: this.#baseUrl, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
  }

  async get(
    url: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Page> {
    const isOurs = url.startsWith(`${this.#baseUrl}/`);
    const target = isOurs ? `${this.server.url}${url.slice(this.#baseUrl.length)}` : url;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(target, {
      ...init,
      redirect: 'manual',
      headers: { ...(isOurs && cookie !== '' && { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      this.cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location') ?? '';
    if (isOurs) this.#keep(text);
    return { status: response.status, location, text, headers: response.headers };
  }

  /** Opens a link and goes on. @returns the address of the provider's consent page */
  async toProvider(link: string): Promise<string> {
    const page = await this.get(link);
    const path = /href="([^"]*\/go)"/.exec(page.text)?.[1];
    if (path === undefined) throw new Error(`no way on: ${told(page)}`);
    const sent = await this.get(new URL(path, link).href);
    if (sent.status !== 303) throw new Error(`not sent on: ${told(sent)}`);
    return sent.location;
  }

  /** The same, and the person consents. @returns the address of the callback, not opened yet */
  async consent(link: string): Promise<string> {
    const page = await this.get(await this.toProvider(link));
    if (page.location === '') throw new Error(`the provider does not send back: ${told(page)}`);
    return page.location;
  }

  /** The whole way, through the callback. */
  async connect(link: string): Promise<Page> {
    return this.get(await this.consent(link));
  }
}

/** The auth_request_id of a redirect to the customer's app. */
export function authRequestIn(page: Page): string {
  const id = URL.canParse(page.location) ? new URL(page.location).searchParams.get('auth_request_id') : null;
  if (id === null) throw new Error(`no auth request: ${told(page)}`);
  return id;
}

/** Status and words of a page, for messages of tests. */
function told({ status, location, text }: Page): string {
  const words = text.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ').replaceAll(/\s+/g, ' ');
  return `${status} ${location} ${words}`;
}
