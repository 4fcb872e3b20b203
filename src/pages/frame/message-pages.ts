/** Pages with a single message: done, not found, no longer valid, not working. They show nothing from the request. */
import { html } from 'hono/html';
import { lowerFirst } from '../../core/text.ts';
import type { PageFailureKind } from '../../core/page-failure.ts';
import { layout, type Html } from './layout.ts';

/** A status and its message. */
interface Message {
  status: 403 | 404 | 410;
  title: string;
  /** What happened. */
  what: string;
  /** Next step for the user. */
  next: string;
}

const ASK_AGAIN =
  'Go back to the agent or app that gave you the link and ask it to try again: it will give you a new one.';

/** By kind of failure. */
const LINK_FAILURES: Readonly<Record<PageFailureKind<'link'>, Message>> = {
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
export function linkFailurePage(kind: PageFailureKind<'link'>): { status: Message['status']; page: Html } {
  const { status, title, what, next } = LINK_FAILURES[kind];
  return { status, page: messagePage({ title, what, next }) };
}

/** A page that says what happened and what to do, with links if there is a next step. All texts are our own. */
export function messagePage(message: { title: string; what: string; next: Html | string }): Html {
  return layout({
    title: message.title,
    content: html`
      <h1>${message.title}</h1>
      <p>${message.what}</p>
      <p class="lead">${message.next}</p>
    `,
  });
}

/**
 * The final page after an account is connected; anyone can open its address.
 *
 * @param isJustConnected whether this browser has connected one in the last minutes, as far as we know
 */
export function donePage(isJustConnected: boolean): Html {
  if (!isJustConnected)
    return messagePage({
      title: 'Nothing left to do here',
      what: 'If you have connected an account before you came here, it is connected. You can close this page.',
      next: 'Go back to your agent and ask it again.',
    });
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

/** `/`: introduces the product and links to the pages for users and the addresses for programs. */
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
          <dt>People</dt>
          <dd>
            <a href="/sign-in">Sign in</a
            ><small>to see who you are here, and what you are signed in to</small>
          </dd>
        </div>
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
          <dd><a href="/dashboard">Commands</a><small>for the machine that runs this Gatehouse</small></dd>
        </div>
      </dl>
      <p>
        Were you given a link to connect an account? Open the whole link: this page is only its first part.
      </p>
    `,
  });
}

const OPERATED = 'Operated from the command line';

/** The environment of commands that do not name one. */
const DEFAULT_ENVIRONMENT = 'development';

/** Common tasks of operators, and the command for each. */
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
 * `/dashboard`: shows the signed-in user, and the commands that do a dashboard's work. Public, so it shows no
 * other data.
 *
 * @param page.signedIn the signed-in user, with links to change that; absent if nobody is
 * @param page.commandsFor name of the environment for the commands; absent if they are of no use
 */
export function dashboardPage({
  signedIn,
  commandsFor,
}: {
  signedIn?: Html;
  commandsFor?: string | undefined;
}): Html {
  const isNobody = signedIn === undefined;
  return layout({
    title: isNobody ? OPERATED : 'You are signed in',
    content: html`
      ${signedIn ?? ''}
      ${
        commandsFor === undefined
          ? ''
          : html`${isNobody ? html`<h1>${OPERATED}</h1>` : html`<h2>${OPERATED}</h2>`}
            ${commands(commandsFor)}`
      }
      ${isNobody ? html`<p>Not an operator? <a href="/sign-in">Sign in</a></p>` : ''}
    `,
  });
}

function commands(environmentName: string): Html {
  const option =
    environmentName === DEFAULT_ENVIRONMENT ? '' : html` <span>--environment</span> ${environmentName}`;
  return html`<p class="lead">
      Operators work on the machine that runs this Gatehouse, not in the browser. There they type:
    </p>
    <ul class="commands">
      ${COMMANDS.map(
        ([command, purpose]) => html`<li><code>${command}${option}</code><span>${purpose}</span></li>`,
      )}
    </ul>
    <p>Every command explains itself with <code>--help</code>.</p>`;
}
