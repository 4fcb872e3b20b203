/** English words of signing in, out and up. */
import { html } from 'hono/html';
import { breakable, type Text } from '../html.ts';

const VIOLATIONS: Readonly<Record<string, string>> = {
  email: 'Enter an e-mail address such as ada@example.test.',
  required: 'Fill in this field.',
  code: 'This is not the code. Check it again: each code can be tried five times.',
};

/** The purpose of a sign-in, as far as it is known. */
export interface SignInSubject {
  /** Name of the app. */
  app?: string | undefined;
  /** Host that publishes the app, if it gives no name. */
  host?: string | undefined;
  /** The provider's name for the account. */
  account?: string | undefined;
}

function claimed({ app, host }: SignInSubject): Text {
  if (host !== undefined) return html`An app of <bdi>${host}</bdi>`;
  return app === undefined ? 'An app' : html`An app that calls itself <bdi>${app}</bdi>`;
}

/** Words of `src/pages/sign-in`. */
export const signIn = {
  title: 'Sign in',
  at: (product: string, host: string) => html`to ${product} at <bdi>${host}</bdi>`,
  /** Texts by purpose of the sign-in. */
  purposes: {
    proof: (): Text =>
      'For this we have to be sure that it is you. Sign in once more: we know of no proof from the last ten minutes. If you had just sent a form, fill it in again afterwards: nothing of it was kept.',
    confirm: ({ app, account }: SignInSubject): Text =>
      html`One more step: sign in so that we know that
      ${account === undefined ? 'the account' : html`the account <bdi>${breakable(account)}</bdi>`}
      ${app === undefined ? '' : html`of <bdi>${app}</bdi>`} that you are connecting is yours.`,
    connect: ({ app }: SignInSubject): Text =>
      html`You are about to connect an account${app === undefined ? '' : html` of <bdi>${app}</bdi>`}. Sign in
      first, so that we know that it becomes yours.`,
    consent: (subject: SignInSubject): Text =>
      html`${claimed(subject)} wants to act for you. Sign in to decide.`,
    again: (subject: SignInSubject): Text =>
      html`${claimed(subject)} wants to administer everything here. Sign in once more before you decide: we
      know of no proof from the last ten minutes.`,
  },
  email: 'E-mail address',
  newHere: html`New here? <a href="/sign-up">Sign up</a>`,
  noPasswords:
    'There are no passwords here: you get a code by e-mail, or sign in where your organization does.',
  mailFails:
    'The mail server did not accept the last mail, so codes may not arrive. If yours does not, tell the operator of this Gatehouse.',
  optional: '(optional)',
  correctThis: 'Please correct this:',
  /** Texts of a violation by constraint; others are shown as they are. */
  violations: VIOLATIONS,

  codeTitle: 'Enter the code',
  code: 'Code',
  codeHint: (minutes: number) =>
    `Eight digits. The code works for ${minutes === 1 ? 'one more minute' : `${minutes} more minutes`}, in this browser only.`,
  resend: 'Send another code',
  codeSent: (email: string) => html`A code is on its way to <bdi>${breakable(email)}</bdi>.`,
  codeMaybeSent: (email: string) =>
    html`If somebody here has the address <bdi>${breakable(email)}</bdi>, a code is on its way to it.`,
  codeInLog: (isForAnybody: boolean) =>
    html`This Gatehouse runs on your own computer and has no mail server.
      ${isForAnybody ? 'The' : 'If somebody here has the address, the'} code is in its log, in the line
      <code>sign_in_code</code>. Look in the terminal where it was started. Operators also get in without a
      code, by a link that <code>gatehouse users sign-in-link</code> prints.`,
  codeLater: (minutes: number) =>
    `Many codes were requested for this address within an hour, so this one comes in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}. Keep this page open until then: a new request replaces it.`,
  noCode: (again: string) => html`No code? <a href="${again}">Start again</a> and check the address.`,
  noMail: (again: string) =>
    html`No code? Look in your spam folder, or <a href="${again}">start again</a> and check the address.`,
  codeOver: {
    title: 'This code no longer works',
    what: 'It was tried too often, was used, or is older than 10 minutes.',
    again: 'Start again with another address',
  },

  provider: {
    title: 'Sign in with your organization',
    what: (issuer: string, target: string) =>
      html`Your organization signs people in with
        <bdi>${issuer}</bdi>${target === issuer ? '' : html`, on a page at <bdi>${target}</bdi>`}. You come
        back here afterwards.`,
    goOn: (host: string): Text => html`Continue to <bdi>${host}</bdi>`,
    otherAddress: 'Use another address',
  },
  onwards: { title: 'Signed in', heading: 'You are signed in' },
  notSetUp: {
    title: 'Sign-in by e-mail is not set up',
    what: 'This Gatehouse has no mail server, so it cannot send codes. Nothing was changed.',
    next: html`Tell its operator: smtp is missing in the settings. Operators get in by a link that
      <code>gatehouse users sign-in-link</code> prints at the machine that runs this Gatehouse.`,
  },
  signedOut: {
    title: 'Signed out',
    heading: 'You are signed out',
    what: 'This browser is no longer signed in.',
    toInvitation: 'Back to the invitation',
    again: 'Sign in again',
  },

  operatorLink: {
    first: {
      title: 'Become the operator',
      lead: (environment: string) =>
        html`Nobody operates the environment <bdi>${environment}</bdi> of this Gatehouse yet. Its operator may
          see and change everything in it.`,
      button: 'Become the operator',
    },
    known: {
      title: 'Sign in as operator',
      lead: (email: string) => html`as <bdi>${breakable(email)}</bdi>`,
      button: 'Sign in',
    },
    once: 'This link works once. Opening this page does not use it up.',
    over: {
      title: 'This link no longer works',
      what: 'It was used, is older than 15 minutes, or was replaced by a newer one. Each start of this Gatehouse also ends it.',
      next: html`At the machine that runs this Gatehouse, <code>gatehouse users sign-in-link</code> prints a
        new one. Operators name their address with it.`,
    },
  },

  signUp: {
    title: 'Sign up',
    lead: (product: string, host: string) =>
      html`Create an organization in ${product} at <bdi>${host}</bdi>.`,
    mailFails: 'The mail server did not accept the last mail, so codes may not arrive.',
    repeated:
      'This form arrived before and is not carried out again. Look whether the organization is there before you send this one.',
    name: 'Name of the organization',
    email: 'Your e-mail address',
    emailHint: 'We send a code to it in the next step.',
    emailHintWithoutMail: 'This Gatehouse has no mail server: the code for the next step is in its log.',
    givenName: 'Given name',
    familyName: 'Family name',
    create: 'Create the organization',
    beenHere: html`Been here before? <a href="/sign-in">Sign in</a>`,
    owner: (email: string) => html`You are signed in as <bdi>${breakable(email)}</bdi> and will own it.`,
    closed: {
      title: 'Nobody can sign up here',
      what: 'The operator of this Gatehouse creates its organizations, or invites people to them.',
      next: html`Ask them for an invitation. If you have been here before, <a href="/sign-in">sign in</a>.`,
    },
  },
};
