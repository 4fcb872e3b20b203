/** English words that all pages share, and those of pages with a single message. */
import { html } from 'hono/html';
import { breakable } from '../html.ts';

const ASK_AGAIN =
  'go back to the agent or app that gave you the link and ask it to try again: it will give you a new one.';
const NEW_LINK = 'G' + ASK_AGAIN.slice(1);

/** Words of `src/pages/frame`. */
export const frame = {
  back: 'Back',
  cancel: 'Cancel',
  continue: 'Continue',
  more: 'More',
  signOut: 'Sign out',
  helpPage: 'Help',
  privacy: 'Privacy',
  runsOn: (product: string) => `Runs on ${product}`,
  error: (title: string) => `Error: ${title}`,
  signedInAs: (email: string) => html`You are signed in as <bdi>${breakable(email)}</bdi>.`,
  utc: (time: string) => `${time} UTC`,
  menu: { label: 'Your pages', accounts: 'Accounts', sessions: 'Sessions', organizations: 'Organization' },
  /** Sentences about the last change. A number of sessions comes as text, because it is written in a cookie. */
  done: {
    disconnected: (app: string) => `${app} is disconnected.`,
    appEnded: (app: string) => `${app} may no longer act for you.`,
    sessionsEnded: (count: string) => (count === '1' ? 'Ended 1 session.' : `Ended ${count} sessions.`),
  },

  lost: {
    title: 'There is no page here',
    what: 'The address may be mistyped, or it was cut off when it was copied.',
    next: html`If you were given a link, open the whole link. If not, go to the <a href="/">front page</a>.`,
    nextWithoutFront: 'If you were given a link, open the whole link.',
  },
  forPrograms: {
    title: 'This address is for programs',
    what: 'AI agents and other programs call it with an access token. It has nothing to show in a browser.',
    next: html`If an agent asked you for its address, paste it there. If you want to look around, go to the
      <a href="/">front page</a>.`,
  },
  busy: {
    title: 'This is not possible at the moment',
    what: 'Gatehouse is busy, or it cannot reach its database or open a secret in it. Nothing was stored.',
    next: 'Wait a few seconds, then try again. If this happens again, tell the operator of this Gatehouse.',
  },
  fault: {
    title: 'Something went wrong here',
    what: 'This is a fault of Gatehouse, not of what you entered. It has been logged.',
    next: 'Try again in a moment. If this happens again, tell the operator of this Gatehouse.',
  },
  changedApp: {
    title: 'This app was changed in the meantime',
    next: 'If this happens again, tell the operator of this Gatehouse.',
  },
  unsetApp: {
    title: 'This app is not set up yet',
    next: 'Tell the operator of this Gatehouse. You did nothing wrong, and the link works once this is corrected, until it expires.',
  },

  /** Texts by kind of link that cannot be used. */
  linkFailures: {
    unknown: {
      title: 'We cannot find this link',
      what: 'It may have been cut off when it was copied, or its account is gone.',
      next: NEW_LINK,
    },
    expired: {
      title: 'This link has expired',
      what: 'Links work for a limited time, and the time of this one is over. Nothing was stored.',
      next: NEW_LINK,
    },
    used: {
      title: 'This link has been used',
      what: 'Each link works once, and somebody has completed this one.',
      next: `If that was you, there is nothing left to do. If not, tell the operator of the app. To connect again, ${ASK_AGAIN}`,
    },
    declined: {
      title: 'You did not connect the account',
      what: 'Nothing was stored, and the link has ended. The agent is told that you declined, and may not ask again for a day.',
      next: 'You can close this page. If you change your mind, tell the person or the company that runs the agent.',
    },
    csrf: {
      title: 'This form is no longer valid',
      what: 'It was opened in another browser or in an earlier session, or this browser does not accept cookies. Nothing was stored.',
      next: 'Open the link again in this browser, with cookies allowed, and fill in the form again.',
    },
  },

  /** `declined`, for somebody who made the link themselves. */
  ownDeclined: {
    title: 'You did not connect the account',
    what: 'Nothing was stored, and the link has ended. An agent that needs this account within a day is told that you declined.',
    next: html`You can close this page. If you change your mind, connect it from
      <a href="/accounts">your accounts</a>.`,
  },

  nothingLeft: {
    title: 'There is nothing left to do here',
    what: 'If you connected an account before you came here, it is connected. You can close this page.',
    next: 'Go back to your agent and ask it again.',
  },
  connected: 'Connected',
  appConnected: (app: string) => `${app} is connected`,
  appConnectedAs: (app: string, name: string) => html`${app} is connected as <bdi>${name}</bdi>`,
  askFirst: 'What you may ask first',
  closePage: 'You can close this page.',
  closePageOrGoOn: html`You can close this page, or go to <a href="/accounts">your accounts</a>.`,
  untried:
    'What you entered could not be tried. Go back to your agent and ask it again: if the app refuses it, you get a new link.',
  askAgainNow: 'If an agent asked for this, go back and ask it again: the same request works now.',

  landing: {
    title: 'Agents in, keys stay',
    heading: 'Agents come in, keys stay inside',
    lead: "This is a Gatehouse: it gives AI agents authenticated access to other people's apps, and keeps the keys.",
    people: 'People',
    signIn: 'Sign in',
    signInHint: 'to see who you are here, and what you are signed in to',
    mcp: 'MCP clients',
    rest: 'REST API',
    reference: 'Reference',
    openapi: 'OpenAPI description',
    operators: 'Operators',
    dashboard: 'Dashboard',
    dashboardHint: 'what is connected and called, and what needs attention',
    link: 'Were you given a link to connect an account? Open the whole link: this page is only its first part.',
  },
};
