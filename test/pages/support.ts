/** The pages over links and consents that answer as the test says: only what the browser sees is tested here. */
import { Hono } from 'hono';
import type { ConnectedAccount } from '../../src/links/link-ends.ts';
import type { LinkPage, Submitted } from '../../src/links/links.ts';
import type { AwaitedFragment } from '../../src/links/consent/oauth-flows.ts';
import type { Brand } from '../../src/core/environment.ts';
import type { Log } from '../../src/core/log.ts';
import type { PageVariables } from '../../src/pages/frame/page-response.ts';
import { pageRoutes } from '../../src/pages/connect/routes.ts';
import { fixedClock } from '../support/fixed-clock.ts';

/** A link as it is right after it was made. */
export const LINK_PAGE: LinkPage = {
  connectorTitle: 'Exa',
  connectorDescription: 'Searches the web.',
  ownerName: '',
  identifier: 'ada@example.test',
  requester: null,
  requestedBy: null,
  status: 'PENDING_AUTH',
  fields: [
    { name: 'api_key', label: 'API key', input: 'password', hint: 'Made in the dashboard.', required: true },
  ],
  consent: null,
  isTried: false,
  onlyBy: null,
  confirmedBy: null,
  csrf: 'csrf-value',
  expiresAt: Date.UTC(2026, 10, 20, 12, 58, 30),
  submitOrigin: null,
};

/** The same of a connection that people consent to at the provider. */
export const CONSENT_PAGE = {
  connectorTitle: 'Attio',
  fields: [],
  consent: {
    providerHost: 'app.provider.example.test',
    providerOrigin: 'https://app.provider.example.test',
    scopes: [
      {
        name: 'task:read-write',
        meaning: 'See and change tasks.',
        power: 'change',
        isIncluded: false,
      } as const,
      { name: 'note:read', meaning: '', power: 'read', isIncluded: false } as const,
    ],
    isChosenByApp: false,
  },
} satisfies Partial<LinkPage>;

/** Cookie value that the desk gives to a new browser. */
export const BROWSER = 'b'.repeat(43);

export interface DeskOptions {
  page?: Partial<LinkPage>;
  /** Who is signed in in the browser; default: nobody. */
  signedIn?: { id: string; email: string };
  baseUrl?: string;
  environmentName?: string;
  brand?: Brand;
  /** Thrown by `open`. */
  openFails?: Error;
  /** What `submit` answers or throws. */
  submitted?: Submitted | null | Error;
  /** What the browser with the mark `mark-1` has connected. */
  connected?: ConnectedAccount;
  /** Address of the provider's page, or the error that prevents the redirect. */
  started?: string | Error;
  /** Where a callback leads (null: connected), or why it connects nothing. */
  finished?: string | null | Error;
  /** A callback leaves its answer in the fragment, or does not continue a flow. */
  awaited?: AwaitedFragment | Error;
}

/** A desk with records of what reached it. */
export function openDesk(options: DeskOptions = {}) {
  const opened: { token: string; browser: string | undefined }[] = [];
  const submissions: {
    token: string;
    browser: string | undefined;
    form: Readonly<Record<string, string>>;
  }[] = [];
  const declined: { token: string; browser: string | undefined; csrf: string | undefined }[] = [];
  const starts: {
    environmentId: string;
    token: string;
    browser: string;
    entered?: Readonly<Record<string, string>>;
  }[] = [];
  const callbacks: {
    environmentId: string;
    connectionId: string;
    query: [string, string][];
    browser: string | undefined;
  }[] = [];
  const fragments: ((typeof callbacks)[number] & { posted: [string, string][] })[] = [];
  const logged: { event: string; fields: unknown }[] = [];
  const record = (event: string, fields?: unknown): void => {
    logged.push({ event, fields });
  };
  const log: Log = { debug: record, info: record, warn: record, error: record };
  const links = {
    open: async (_environmentId: string, token: string, browser: string | undefined) => {
      opened.push({ token, browser });
      if (options.openFails !== undefined) throw options.openFails;
      return { page: { ...LINK_PAGE, ...options.page }, browser: browser ?? BROWSER };
    },
    submit: async (
      _environmentId: string,
      token: string,
      browser: string | undefined,
      form: Readonly<Record<string, string>>,
    ) => {
      submissions.push({ token, browser, form });
      if (options.submitted instanceof Error) throw options.submitted;
      return options.submitted === undefined
        ? { redirectTo: null, connectorTitle: 'Exa' }
        : options.submitted;
    },
  };
  const linkEnds = {
    connected: async (_environmentId: string, mark: string | undefined) =>
      mark === 'mark-1' ? options.connected : undefined,
    decline: async (
      _environmentId: string,
      token: string,
      browser: string | undefined,
      csrf: string | undefined,
    ) => {
      declined.push({ token, browser, csrf });
    },
  };
  const consents = {
    start: async (
      environmentId: string,
      token: string,
      browser: string,
      entered?: Readonly<Record<string, string>>,
    ) => {
      starts.push({ environmentId, token, browser, ...(entered && { entered }) });
      if (options.started instanceof Error) throw options.started;
      return {
        redirectTo: options.started ?? 'https://app.provider.example.test/authorize?state=s',
        state: 's',
      };
    },
    finish: async (
      environmentId: string,
      connectionId: string,
      query: URLSearchParams,
      browser: string | undefined,
    ) => {
      callbacks.push({ environmentId, connectionId, query: [...query], browser });
      if (options.finished instanceof Error) throw options.finished;
      return { redirectTo: options.finished ?? null, connectorTitle: 'Attio' };
    },
    clientDocument: async () => undefined,
    awaitedFragment: async () => {
      if (options.awaited instanceof Error) throw options.awaited;
      return options.awaited;
    },
    finishFragment: async (
      environmentId: string,
      connectionId: string,
      { query, posted }: { query: URLSearchParams; posted: URLSearchParams },
      browser: string | undefined,
    ) => {
      fragments.push({ environmentId, connectionId, query: [...query], posted: [...posted], browser });
      if (options.finished instanceof Error) throw options.finished;
      return { redirectTo: options.finished ?? null, connectorTitle: 'Attio' };
    },
  };
  const baseUrl = options.baseUrl ?? 'http://127.0.0.1:3000';
  const app = new Hono<{ Variables: PageVariables }>();
  app.use(async (c, next) => {
    c.set('environment', {
      id: 'env_1',
      name: options.environmentName ?? 'development',
      baseUrl,
      ...(options.brand && { brand: options.brand }),
    });
    await next();
  });
  app.route(
    '/',
    pageRoutes({
      links,
      linkEnds,
      consents,
      clock: fixedClock(),
      log,
      hasReference: true,
      signedIn: async () => options.signedIn,
    }),
  );
  const post = (form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    Promise.resolve(
      app.request('/connect/token-1', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: baseUrl, ...headers },
        body: new URLSearchParams(form).toString(),
      }),
    );
  return { app, post, opened, declined, submissions, starts, callbacks, fragments, logged };
}

/** Names of all tags of a document, in order: markup that was smuggled in changes them. */
export function tagsOf(document: string): string[] {
  return [...document.matchAll(/<(\/?[a-z][a-z0-9]*)/gi)].map((match) => String(match[1]).toLowerCase());
}

/** Directives of a content security policy. */
export function policyOf(response: Response): Record<string, string> {
  const policy = response.headers.get('content-security-policy') ?? '';
  return Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );
}
