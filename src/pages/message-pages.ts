/** Pages that say one thing: done, not found, no longer valid, not working. They show nothing from the request. */
import { html } from 'hono/html';
import type { LinkProblemKind } from '../auth/link-problem.ts';
import { layout, type Html } from './layout.ts';

/** A status and the words for it. */
interface Message {
  status: 403 | 404 | 410;
  title: string;
  /** What happened. */
  what: string;
  /** What to do now. */
  next: string;
}

const ASK_AGAIN =
  'Go back to the agent or app that gave you the link and ask it to try again: it will give you a new one.';

/** By kind of problem. */
const LINK_PROBLEMS: Readonly<Record<LinkProblemKind, Message>> = {
  unknown: {
    status: 404,
    title: 'This link leads nowhere',
    what: 'There is no such link here. It may have been cut off when it was copied, or its account is gone.',
    next: ASK_AGAIN,
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    what: 'Links work for a limited time, and the time of this one is over. Nothing was stored.',
    next: ASK_AGAIN,
  },
  used: {
    status: 410,
    title: 'This link has been used',
    what: 'Each link works once, and somebody has completed this one.',
    next: `If that was you, there is nothing left to do. If not, tell whoever runs the app. To connect again: ${lowerFirst(ASK_AGAIN)}`,
  },
  csrf: {
    status: 403,
    title: 'This form is no longer valid',
    what: 'It was opened in another browser or in an earlier session, or this browser does not accept cookies. Nothing was stored.',
    next: 'Open the link again in this browser, with cookies allowed, and fill in the form once more.',
  },
};

/** Status and page for a link that cannot be used. */
export function linkProblemPage(kind: LinkProblemKind): { status: Message['status']; page: Html } {
  const { status, title, what, next } = LINK_PROBLEMS[kind];
  return { status, page: messagePage({ title, what, next }) };
}

/** A page with what happened and what to do. Both are our own words. */
export function messagePage(message: { title: string; what: string; next: string }): Html {
  return layout({
    title: message.title,
    content: html`
      <h1>${message.title}</h1>
      <p>${message.what}</p>
      <p class="lead">${message.next}</p>
    `,
  });
}

/** Where a browser ends up when the account is connected. */
export function donePage(): Html {
  return layout({
    title: 'Connected',
    content: html`
      <svg
        class="mark"
        viewBox="0 0 48 48"
        fill="none"
        stroke="currentColor"
        stroke-width="3"
        aria-hidden="true"
      >
        <circle cx="24" cy="24" r="21" />
        <path d="m15 25 6.5 6.5L34 18" stroke-linecap="round" stroke-linejoin="round" />
      </svg>
      <h1>Connected</h1>
      <p>The account is connected. You can close this page.</p>
      <p class="lead">Go back to your agent and ask it again: the same request works now.</p>
    `,
  });
}

/** `/`: what this is and where programs find it. */
export function landingPage(baseUrl: string): Html {
  return layout({
    title: 'Agents in, keys stay',
    content: html`
      <h1>Agents come in, keys stay inside</h1>
      <p class="lead">
        This is a Gatehouse: it gives AI agents authenticated access to other people's apps, and keeps the
        keys.
      </p>
      <dl>
        <div>
          <dt>MCP clients</dt>
          <dd><code>${baseUrl}/mcp</code></dd>
        </div>
        <div>
          <dt>REST API</dt>
          <dd>
            <code>${baseUrl}/api/v1</code><small><a href="/openapi.json">OpenAPI description</a></small>
          </dd>
        </div>
        <div>
          <dt>Operators</dt>
          <dd><a href="/dashboard">Dashboard</a></dd>
        </div>
      </dl>
      <p>
        Were you given a link to connect an account? Open the whole link: this page is only its first part.
      </p>
    `,
  });
}

const OPERATED = 'Operated from the command line';

/** What operators do today, and the command for it. */
const COMMANDS: readonly (readonly [command: string, purpose: string])[] = [
  ['gatehouse accounts list', 'connected accounts and their status'],
  ['gatehouse connect websearch', 'connect an account of your own'],
  ['gatehouse connections list', 'apps and how accounts connect to them'],
  ['gatehouse tools list', 'the tools agents can call'],
  ['gatehouse credentials create', 'a client id and secret for a program'],
  ['gatehouse users list', 'the people who sign in here'],
  ['gatehouse audit list', 'who did what'],
  ['gatehouse doctor', 'check settings, keys and database'],
];

/**
 * `/dashboard`: names the commands that do a dashboard's work. Public, so it shows no data but who is signed in.
 *
 * @param signedIn who that is, with the ways to change it; absent for nobody
 */
export function dashboardPage(signedIn?: Html): Html {
  return layout({
    title: 'Dashboard',
    content: html`
      ${signedIn ?? ''} ${signedIn === undefined ? html`<h1>${OPERATED}</h1>` : html`<h2>${OPERATED}</h2>`}
      <p class="lead">
        This version has no dashboard in the browser. On the machine that runs Gatehouse, type:
      </p>
      <ul class="commands">
        ${COMMANDS.map(([command, purpose]) => html`<li><code>${command}</code><span>${purpose}</span></li>`)}
      </ul>
      <p>Every command explains itself with <code>--help</code>.</p>
      ${signedIn === undefined ? html`<p><a href="/sign-in">Sign in</a> as a person</p>` : ''}
    `,
  });
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
