/** The pages of people over real services and a database, and browsers that keep their cookies. */
import { inEveryEnvironment } from '../support/test-catalog.ts';
import { Hono } from 'hono';
import type { Log } from '../../src/core/log.ts';
import { OAuthRecords } from '../../src/authorization-server/library/oauth-records.ts';
import { ClientNames } from '../../src/authorization-server/library/client-names.ts';
import { accountNotFound } from '../../src/accounts/account-finder.ts';
import { OwnSessions } from '../../src/people/own-sessions.ts';
import type { PeopleDependencies } from '../../src/pages/sign-in/people-dependencies.ts';
import { SpentForms } from '../../src/pages/frame/spent-forms.ts';
import { PeopleForms } from '../../src/pages/sign-in/people-form.ts';
import { peopleRoutes } from '../../src/pages/people/people-routes.ts';
import type { PageVariables } from '../../src/pages/frame/page-response.ts';
import { BrowserSession } from '../../src/pages/sign-in/sign-in-session.ts';
import { RateLimiter } from '../../src/store/records/rate-limiter.ts';
import { silentLog } from '../../src/core/log.ts';
import { visitor } from '../people/people-support.ts';
import type { SignInServices } from '../people/sign-in/sign-in-support.ts';

/** An answer as a person sees it. */
export interface Shown {
  status: number;
  /** Where it leads; '' for nowhere. */
  location: string;
  headers: Headers;
  html: string;
  title: string;
}

/** Nobody has an account here, and nothing waits; a test of accounts or of confirming brings the real services. */
const NO_ACCOUNTS: Pick<
  PeopleDependencies,
  | 'accounts'
  | 'disconnection'
  | 'executions'
  | 'links'
  | 'verification'
  | 'catalog'
  | 'consents'
  | 'connectedApps'
  | 'serverTools'
> = {
  serverTools: async () => 0,
  connectedApps: async () => [],
  accounts: {
    list: async () => ({ connected_accounts: [], next_page_token: '', prev_page_token: '', total_size: 0 }),
    describe: async () => {
      throw accountNotFound();
    },
  },
  disconnection: {
    disconnect: async () => {
      throw accountNotFound();
    },
  },
  executions: { latestOf: async () => new Map() },
  links: {
    connectable: async () => [],
    create: async () => {
      throw accountNotFound();
    },
  },
  consents: {
    asking: async () => undefined,
    question: async () => undefined,
    allow: async () => undefined,
    deny: async () => undefined,
  },
  verification: {
    unconfirmed: async () => undefined,
    awaiting: async () => {
      throw new Error('nothing waits here');
    },
    confirm: async () => {
      throw new Error('nothing waits here');
    },
  },
  catalog: inEveryEnvironment({ connectors: new Map(), tools: new Map() }),
};

export type PeopleDesk = ReturnType<typeof openPeopleDesk>;

/** @param change replaces what the pages are made of */
export function openPeopleDesk(
  services: Omit<SignInServices, 'verification' | 'catalog'>,
  change: Partial<PeopleDependencies> & {
    baseUrl?: string;
    environmentId?: string;
    environmentName?: string;
  } = {},
) {
  const logged: unknown[][] = [];
  const log: Log = { ...silentLog, warn: (event, fields) => void logged.push([event, fields]) };
  const {
    baseUrl = 'http://127.0.0.1:3000',
    environmentId = 'env_dev',
    environmentName = 'development',
    ...rest
  } = change;
  const { db, clock, vault, environments, people, codes, organizations, sessions } = services;
  const forgotten: string[] = [];
  const forget = async (...what: readonly string[]): Promise<void> => void forgotten.push(what.join(' '));
  const records = new OAuthRecords({ database: db, vault, clock });
  const names = new ClientNames({ db, clock, artifacts: records });
  const app = new Hono<{ Variables: PageVariables }>();
  app.use(async (c, next) => {
    c.set('environment', { id: environmentId, name: environmentName, baseUrl });
    c.set('visitor', visitor);
    await next();
  });
  app.route(
    '/',
    peopleRoutes({
      clientNames: names,
      clock,
      environments,
      log,
      forms: new PeopleForms(Buffer.alloc(32, 3)),
      spentForms: new SpentForms({ records, clock }),
      signIn: new BrowserSession(people),
      people,
      codes,
      providers: services.providers,
      providerSignIn: services.providerSignIn,
      operatorLinks: services.operatorLinks,
      organizations,
      invitations: services.invitationLinks,
      sessions,
      members: services.members,
      ownSessions: new OwnSessions({
        db,
        clock,
        sessions,
        names,
        consents: { forget },
        lifetimeMs: 3_600_000,
      }),
      rates: new RateLimiter(db, clock),
      ...NO_ACCOUNTS,
      ...rest,
    }),
  );
  return {
    logged,
    /** Environment, user and client of each consent that was taken back. */
    forgotten,
    browser: () => new DeskBrowser(baseUrl, async (url, init) => app.request(url, init)),
  };
}

/** Keeps cookies, sends forms as browsers do, follows nothing by itself. */
export class DeskBrowser {
  readonly cookies = new Map<string, string>();
  readonly #baseUrl: string;
  readonly #send: (url: string, init: RequestInit) => Promise<Response>;
  /** The page it is on. */
  shown: Shown | undefined;

  constructor(baseUrl: string, send: (url: string, init: RequestInit) => Promise<Response>) {
    this.#baseUrl = baseUrl;
    this.#send = send;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Shown> {
    return this.request(path, { headers });
  }

  /** Posts the form of the page it is on: its hidden fields, and what is entered. */
  async submit(entered: Record<string, string> = {}): Promise<Shown> {
    const whole = this.shown?.html ?? '';
    // The menu has a form too, before that of the page.
    const html = whole.slice(whole.indexOf('<main>'));
    const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? '';
    const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')] as const,
    );
    return this.post(action, { ...Object.fromEntries(hidden), ...entered });
  }

  async post(
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Shown> {
    return this.request(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: new URL(this.#baseUrl).origin,
        ...headers,
      },
      body: new URLSearchParams(form).toString(),
    });
  }

  async request(path: string, init: RequestInit): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== '' && { cookie }) };
    const response = await this.#send(new URL(path, this.#baseUrl).href, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const html = await response.text();
    this.shown = {
      status: response.status,
      location: response.headers.get('location') ?? '',
      headers: response.headers,
      html,
      title: (/<title>(.*?) · Gatehouse<\/title>/.exec(html)?.[1] ?? '').replaceAll('&#39;', "'"),
    };
    return this.shown;
  }

  /** The part of the session cookie that stands for who is signed in; undefined: nobody. */
  get session(): string | undefined {
    return this.cookies.get('gatehouse_session') ?? this.cookies.get('__Host-gatehouse_session');
  }
}
