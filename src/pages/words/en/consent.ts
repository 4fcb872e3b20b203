/** English words of the pages that ask whether an app may act for a person. */
import { html } from 'hono/html';

const SCOPES: Readonly<Record<string, string>> = {
  'tools:execute': 'Read and change things in the apps you connected yourself, through their tools',
  'accounts:read': 'See which accounts you have connected',
  'accounts:write': 'See, connect, change and disconnect your accounts',
  admin: 'Administer this whole Gatehouse: all its organizations, people, credentials and accounts',
};

const FAULTS: Readonly<Record<string, string>> = {
  consent_required: 'It wanted access without anything being shown to you, which no app gets here.',
  invalid_scope: 'It asked for permissions that do not exist here.',
  invalid_target: 'It asked for access to an address that does not belong to this Gatehouse.',
  server_error: 'Something went wrong here, not in the app.',
};

const PROBLEMS: Readonly<Record<string, { what: string; next: string }>> = {
  invalid_client: {
    what: 'This Gatehouse does not know the app that sent you here, or cannot read what it says about itself.',
    next: 'Go back to the app and connect it again: it then registers again.',
  },
  invalid_redirect_uri: {
    what: 'The app that sent you here wants you to be sent back to an address that it has not registered. Nothing was allowed.',
    next: 'Do not continue unless you know the app. If you do, tell its maker.',
  },
  server_error: {
    what: 'Something went wrong here. Nothing was allowed.',
    next: 'Go back to the app and try again in a moment.',
  },
};

/** Words of `src/pages/consent`. */
export const consent = {
  title: 'Allow access',
  question: (name: string) => html`Allow <bdi>${name}</bdi>?`,
  namelessQuestion: 'Allow an app that gives no name?',
  namelessApp: 'An app that gives no name',
  lead: (product: string, host: string) => html`It wants to act for you at ${product}, <bdi>${host}</bdi>.`,
  you: 'You',
  within: 'In',
  noApps: 'You have connected no app yet. What you allow holds for those that you connect later.',
  yourApps: 'The apps that you have connected:',
  laterApps: 'What you allow holds for those that you connect later, too.',
  yourOrganization: 'Your organization',
  yourRole: (role: string) => `your role in it: ${role}`,
  theApp: 'The app',
  publishedBy: (host: string) => html`published by <bdi>${host}</bdi>`,
  unnamed: 'It registered itself without a name.',
  selfNamed: 'It gave itself this name; nobody has checked it.',
  leadsTo: 'Sends you back to',
  resource: 'For',
  change: 'change (in a new tab)',
  server: (name: string, tools: number) =>
    html`MCP server <bdi>${name}</bdi>, ${tools === 1 ? '1 tool' : `${tools} tools`}`,
  mayDo: 'What it may do',
  /** The meaning of each scope. */
  scopes: SCOPES,
  readOnlyTools:
    'Read things in the apps you connected yourself, through their tools, and change nothing there',
  organizationRead: (name: string) =>
    html`See the accounts, members and invitations of <bdi>${name}</bdi>, and use its accounts with tools that
      only read`,
  organizationWrite: (name: string) =>
    html`See and change the accounts of <bdi>${name}</bdi>, use them with every tool, and see, invite and
      remove its members`,
  didYouStart: 'Did you start this?',
  doNotAllow: (to: string) =>
    html`If not, or if you do not know who is behind <bdi>${to}</bdi>, do not allow it.`,
  administer: 'I want it to administer this whole Gatehouse.',
  allow: 'Allow',
  deny: 'Do not allow',
  footer:
    'What you allow ends when you sign the app out, when it is not used for 30 days, and after 180 days at the latest.',

  nothing: {
    title: 'There is nothing you can allow',
    heading: 'You cannot allow this',
    what: 'The app asks for something that only people who administer this Gatehouse, or the organization they are signed in to, can give.',
    back: 'Go back to the app',
  },
  notWaiting: {
    title: 'There is nothing to allow here',
    what: 'This was already answered, is too old, or was started in another browser.',
    next: 'To connect an app, start in that app, and stay in one browser with cookies allowed.',
  },

  thisComputer: 'a program on this computer',
  thisDevice: (protocol: string) => `an app on this device (${protocol})`,

  problem: 'This app cannot be connected',
  /** Texts by error code, if the person sees the page and the app is not told. */
  problems: PROBLEMS,
  otherProblem: {
    what: 'What the app that sent you here asked for is incomplete, too old, or was started in another browser. Nothing was allowed.',
    next: 'Go back to the app and start again, in this browser and with cookies allowed.',
  },
  /** Faults of a known app, by the error code sent to it. */
  faults: FAULTS,
  otherFault: 'What it asked for is incomplete, or not in the form that is accepted here.',
  nothingAllowed: 'Nothing was allowed.',
  uncheckedApp: 'Nobody has checked who is behind it.',
  theError: 'The error',
  closePage: (to: string) =>
    html`If not, or if you do not know who is behind <bdi>${to}</bdi>, close this page.`,
  wayBack: (href: string, to: string) =>
    html`Otherwise <a href="${href}" rel="nofollow noreferrer">go back to <bdi>${to}</bdi></a
      >, which is told what is wrong.`,
};
