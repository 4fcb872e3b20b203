/** English words of the pages of a link and of a provider's callback. `app` is the title of the app. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import { breakable, type Text } from '../html.ts';

/** Says that a failed attempt does not use up the link. `hasButton`: the page has a button that leads to it. */
const again = (hasButton: boolean): string =>
  hasButton
    ? 'choose “Try again”: your link works until it expires.'
    : 'open the link you were given again: it still works until it expires. If it has expired, ask the agent for a new one.';
const openAgain = (hasButton: boolean): string => capitalized(again(hasButton));
const TELL = 'If this happens again, tell the operator of this Gatehouse.';
const SETUP =
  'Tell the operator of this Gatehouse: the connection must be corrected before anyone can connect. Opening the link again before that does not help.';

function capitalized(app: string): string {
  return app.charAt(0).toUpperCase() + app.slice(1);
}

/** The name of a form's field, and the look of its values. */
export interface FieldNames {
  label: string;
  example?: string;
}

const FORM_REASONS: Readonly<Record<string, string>> = {
  ACTIVE: 'This account is already connected. What you enter replaces what is stored now.',
  EXPIRED: 'The credentials stored for this account no longer work. Enter new ones to continue.',
  DISCONNECTED: 'This account was disconnected. Enter the credentials to connect it again.',
  PENDING_VERIFICATION:
    'Credentials for this account are waiting to be confirmed. What you enter replaces them.',
};

const CONSENT_REASONS: Readonly<Record<string, string>> = {
  ACTIVE: 'This account is already connected. What you allow now replaces what is stored.',
  EXPIRED: 'The connection of this account has expired. Allow access again to continue.',
  DISCONNECTED: 'This account was disconnected. Allow access to connect it again.',
  PENDING_VERIFICATION: 'Access to this account is waiting to be confirmed. What you allow now replaces it.',
};

/** Words of `src/pages/connect`. */
export const connect = {
  title: (app: string) => `Connect ${app}`,
  lead: (who: Text, app: string) => html`${who} wants to use ${app} for you.`,
  /** For a link that the reader made. */
  ownLead: (app: string) => `Your agents will be able to use ${app} for you.`,
  ownFormPromise: 'They see the answers, never what you enter here.',
  ownMayDo: 'What they may do',
  anAgent: 'An AI agent',
  named: (name: string) => html`<bdi>${name}</bdi>`,
  callsItself: (name: string) => html`An AI agent that calls itself <bdi>${name}</bdi>`,
  sentBy: (name: string) =>
    html`The request comes from <bdi>${name}</bdi>; nobody has checked the other name.`,
  nobodyChecked: 'Nobody has checked this name.',
  onlyBy: (name: string) =>
    html`Only
    ${name === '' ? 'the person who made this link' : html`<bdi>${breakable(name)}</bdi>, who made this link,`}
    can complete it: they sign in for it. Anybody else needs a link of their own.`,
  /** Marks the language of a text of the catalog, which is always English, on pages in another language. */
  fromCatalog: (text: Text | readonly Text[]) => html`${text}`,
  signInFirst: 'Sign in first, so that we know that the account you connect becomes yours.',
  signIn: 'Sign in to continue',
  /** Texts for a signed-in person, about a link whose account only `owner` can confirm. */
  otherPerson: {
    title: 'This link is for somebody else',
    what: (owner: string, app: string, you: Text) =>
      html`Only <bdi>${breakable(owner)}</bdi> can connect ${app} with it, and you are signed in as ${you}.`,
    next: 'If that is you under another address, sign in with it. If somebody sent you the link, close this page: what you connect here would be theirs.',
    signIn: 'Sign in with another address',
  },
  formPromise: 'It sees the answers, never what you enter here.',
  consentPromise: (host: Text) => html`You allow this at ${host}: your password stays there.`,
  app: 'App',
  owner: 'For',
  leadsTo: 'Continues at',
  compareHost: 'compare it with the address bar before you sign in',
  /** Reason why the app asks now, by status of the account. A new account needs no explanation. */
  formReasons: FORM_REASONS,
  consentReasons: CONSENT_REASONS,
  stored: (host: string) => html`What you enter is stored encrypted at <bdi>${host}</bdi>.`,
  triedAndStored: (app: string, host: string) =>
    html`What you enter is tried at ${app}, then stored encrypted at <bdi>${host}</bdi>.`,
  grantStored: (app: string, host: string) =>
    html`What ${app} grants is stored encrypted at <bdi>${host}</bdi>. The agent never sees it.`,
  confirmElsewhere: (host: string) =>
    html`After that you go to <bdi>${host}</bdi> to confirm that it is you.`,
  worksUntil: (time: Text, left: string) => html`This page works until ${time} (${left}).`,
  lessThanAMinute: 'less than a minute left',
  minutesLeft: (count: number) => `${count} ${count === 1 ? 'minute' : 'minutes'} left`,
  hoursLeft: (count: number) => `${count} hours left`,

  mayDo: 'What it may do',
  /** Headings by the most that scopes allow. */
  powers: { read: 'Read', change: 'Add and change', delete: 'Delete', other: 'Also' },
  moreBelow: (count: number) => `And ${count} more, listed below.`,
  allPermissions: (count: number) =>
    count === 1
      ? 'The permission, by name'
      : count === 2
        ? 'Both permissions, by name'
        : `All ${count} permissions, by name`,
  decline: 'Do not connect',
  tryAgain: 'Try again',
  continueTo: (host: Text) => html`Continue to ${host}`,
  tickedScopes: (app: string, host: Text) =>
    html`The permissions are those ticked in the app registered with ${app}. Read what ${host} shows before
    you agree.`,
  noScopes: (host: Text) =>
    html`No particular permissions are requested. Read what ${host} shows before you agree.`,
  scopesNamedThere: (host: Text) => html`${host} names the permissions. Read what it shows before you agree.`,
  requestedScopes: (host: Text) => html`${host} will ask you for exactly these permissions.`,
  neededScopes: (app: string, host: Text) =>
    html`${host} may show more or fewer: what counts is what is ticked in the app registered with ${app}.`,

  optional: '(optional)',
  choose: 'Choose one',
  show: 'Show',
  hide: 'Hide',
  didYouAsk: 'Did you ask for this?',
  warning: (what: string) =>
    `If you did not expect this link, close this page: ${what} would serve somebody else's agent.`,
  whatYouEnter: 'what you enter',
  whatYouAllow: 'what you allow',
  whatYouConnect: 'what you connect',
  correctThis: 'Nothing was stored. Please correct this:',
  repeated: 'Each field must be sent once.',
  fieldProblem: ({ description }: FieldViolation, _field: FieldNames, _app: string): string => description,

  moment: 'One moment',
  takesOver: (app: string) => `Gatehouse is reading the answer of ${app}.`,
  oneMoreStep: 'One more step',
  pasteToken: (app: string) =>
    `${app} has sent you back, but your browser could not hand over its token. Please do it by hand.`,
  copyToken: (app: string) =>
    html`Copy the token and paste it below. It is at the end of the address of this page, after
      <code>#token=</code>, or on the page of ${app} that you came from.`,
  token: 'Token',
  tokenHint: 'It is stored encrypted. The agent never sees it.',

  tooLarge: {
    title: 'This is too much text',
    what: (kilobytes: number) => `A form can hold ${kilobytes} kB. Nothing was stored.`,
    next: 'Go back and enter only the credential, without anything around it.',
  },
  foreignForm: {
    title: 'This form came from another site',
    what: 'Another site sent it. Nothing was stored.',
    next: 'Open the link itself and fill in the form there.',
  },
  notAForm: {
    title: 'This is not a form',
    what: 'This address accepts application/x-www-form-urlencoded only. Nothing was stored.',
    next: 'Open the link in a browser and fill in the form there.',
  },
  noCookies: {
    title: 'This browser does not keep cookies',
    what: 'Without a cookie, Gatehouse cannot tell that it is you who comes back from the provider. Nothing was started.',
    next: 'Allow cookies for this site, or open the link in another browser.',
  },

  /** Used if the title of the app is unknown. */
  theProvider: 'the provider',
  inTheWordsOf: (app: string) => `In the words of ${app}, not of Gatehouse:`,
  /** Texts by kind of failed callback. */
  callbackFailures: {
    state: {
      title: () => 'We did not expect this answer',
      what: () =>
        'Each answer of a provider is accepted once. This one was accepted before, or does not belong to anything that was started here. Nothing was changed.',
      next: (hasButton: boolean) =>
        `If you only reloaded the page, go back to your agent: the account may already be connected. If it is not, ${again(hasButton)}`,
    },
    expired: {
      title: () => 'That took too long',
      what: (app: string) =>
        `For safety, you have only a short time to go to ${app} and come back, and that time is over. Nothing was stored.`,
      next: openAgain,
    },
    connection: {
      title: () => 'This answer came back to the wrong place',
      what: () =>
        'It was meant for another app than the one you started with. Somebody may have tried to mix up the two. Nothing was stored.',
      next: (hasButton: boolean) =>
        `Do not repeat what you did from another page. ${openAgain(hasButton)} ${TELL}`,
    },
    browser: {
      title: () => 'This did not start in this browser',
      what: (app: string) =>
        `You came back from ${app} to another browser than the one you started in, or this browser does not accept cookies. Nothing was stored.`,
      next: () =>
        'If somebody sent you here, close this page. If you opened the link yourself, open it again and stay in one browser, with cookies allowed.',
    },
    malformed: {
      title: () => 'We cannot read this answer',
      what: (app: string) => `What ${app} sent back is incomplete or contradicts itself. Nothing was stored.`,
      next: (hasButton: boolean) => `${openAgain(hasButton)} ${TELL}`,
    },
    issuer: {
      title: () => 'This answer comes from somebody else',
      what: (app: string) =>
        `You started with ${app}, and the answer says that another provider gave it. It was not used, and nothing was stored.`,
      next: (hasButton: boolean) => `${openAgain(hasButton)} ${TELL}`,
    },
    denied: {
      title: () => 'Access was not allowed',
      what: (app: string) => `${capitalized(app)} says that access was refused. Nothing was stored.`,
      next: (hasButton: boolean) =>
        `If that was your decision, you can close this page. If you had no choice, ask the administrator of your account there. To allow access after all, ${again(hasButton)}`,
    },
    provider_error: {
      title: (app: string) => `${capitalized(app)} could not continue`,
      what: (app: string) =>
        `${capitalized(app)} ended with an error before it asked you. Nothing was stored.`,
      next: (hasButton: boolean) =>
        `${openAgain(hasButton)} If this happens again, tell the operator of this Gatehouse what this page says.`,
    },
    code_refused: {
      title: () => 'The last step failed',
      what: (app: string) =>
        `You allowed access, but ${app} no longer accepted its own answer when Gatehouse handed it in. Nothing was stored.`,
      next: (hasButton: boolean) => `${openAgain(hasButton)} ${TELL}`,
    },
    client_refused: {
      title: (app: string) => `${capitalized(app)} does not know this Gatehouse`,
      what: (app: string) =>
        `You allowed access, but ${app} refuses the client id or secret that Gatehouse is registered with. Nothing was stored, and you did nothing wrong.`,
      next: () => SETUP,
    },
    unreachable: {
      title: (app: string) => `${capitalized(app)} does not answer`,
      what: (app: string) =>
        `You allowed access, but ${app} could not be reached for the last step. Nothing was stored.`,
      next: (hasButton: boolean) => `Wait a minute. ${openAgain(hasButton)}`,
    },
    bad_answer: {
      title: () => 'The last step failed',
      what: (app: string) =>
        `You allowed access, but ${app} answered with something that Gatehouse cannot use. Nothing was stored.`,
      next: (hasButton: boolean) => `${openAgain(hasButton)} ${TELL}`,
    },
    no_metadata: {
      title: () => 'The last step failed',
      what: (app: string) =>
        `You allowed access, but ${app} did not say which account of yours is meant. Nothing was stored.`,
      next: (hasButton: boolean) =>
        `Check that you have an account there that can be used. ${openAgain(hasButton)} ${TELL}`,
    },
    several_accounts: {
      title: () => 'Which account is meant?',
      what: (app: string) =>
        `You allowed access to several accounts of ${app} at once, and only one can be connected. Nothing was stored.`,
      next: (hasButton: boolean) =>
        `Allow access to one of them only. ${openAgain(hasButton)} If you cannot choose there, tell the operator of this Gatehouse which one you mean.`,
    },
    start_failed: {
      title: (app: string) => `${capitalized(app)} does not let you in`,
      what: (app: string) =>
        `Gatehouse asked ${app} for the address of its consent page and got no usable answer. Nothing was started, and nothing was stored.`,
      next: (hasButton: boolean) => `Wait a minute. ${openAgain(hasButton)} ${TELL}`,
    },
    start_refused: {
      title: (app: string) => `${capitalized(app)} does not know this Gatehouse`,
      what: (app: string) =>
        `Before you could be asked, ${app} refused the key or secret that Gatehouse is registered with. Nothing was stored, and you did nothing wrong.`,
      next: () => SETUP,
    },
  },

  confirmTitle: (app: string) => `Confirm ${app}`,
  confirmQuestion: (app: string) => `Connect ${app}?`,
  confirmWhat: (app: string) =>
    `Access to ${app} was just given in this browser. It is used only if you agree.`,
  /** Word before the name of the account at the app. */
  connectedAs: 'as',
  usedBy: 'Used by',
  yourAgents: 'your agents',
  agentsOf: (organization: string) => `agents of ${organization}`,
  notOnlyYours: 'not only your own',
  ifYouDoNothing: 'If you do nothing, Gatehouse deletes this access.',
  otherBrowser: {
    title: 'You cannot confirm this in this browser',
    what: (app: string, email: string) =>
      html`Access to ${app} was given in another browser, for an account that belongs to you
      (<bdi>${email}</bdi>). Nothing is connected: only the browser in which access was given can confirm it.`,
    next: (app: string) =>
      `If that was not you, somebody may be trying to connect their own ${app} account as yours. Close this page, and tell the operator of this Gatehouse. If it was you, go back to that browser, or ask your agent for a new link.`,
    footer: 'If nobody confirms, Gatehouse deletes this access.',
  },
  notYours: {
    title: 'This connection is not yours',
    what: (email: string) =>
      html`You are signed in as <bdi>${email}</bdi>, and the connection was started for somebody else. What
        was given waits for that person: only they can confirm it, and nobody uses it before that.`,
    next: 'If somebody sent you the link, do not answer them. Open the settings of the app and remove the access that you gave. If the link was for another address of yours, sign in with that one.',
    signOut: 'Sign out and use another address',
  },
  nothingToConfirm: {
    title: 'There is nothing to confirm',
    what: 'This was already confirmed, took too long, or somebody else tried it too often.',
    next: 'If the account is not connected, go back to your agent and ask it to try again: it will give you a new link.',
  },
};
