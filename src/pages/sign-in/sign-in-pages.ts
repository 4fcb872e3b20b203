/** The sign-in pages: for the address, the code, and the way to the organization's provider. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../core/errors.ts';
import { layout, type Html } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import { alert, hidden, inputField } from './people-fields.ts';
import { signInPath } from './sign-in-path.ts';

/** Longest valid e-mail address (RFC 5321 section 4.5.3.1). */
export const MAX_EMAIL_LENGTH = 254;

/** How codes reach users; see EmailCodes. */
export interface CodeWay {
  way: 'mail' | 'log' | 'none';
  /** Whether the mail server failed a moment ago. */
  isFailing: boolean;
}

/** `/sign-in`: asks for an address. The same page for everyone. */
export function signInPage(page: {
  csrf: string;
  /** Host of this Gatehouse. */
  host: string;
  next: string;
  email?: string;
  violations?: readonly FieldViolation[];
  /** Whether anyone may sign up. */
  isOpen: boolean;
  code: CodeWay;
}): Html {
  return layout({
    title: 'Sign in',
    content: html`
      <h1>Sign in</h1>
      <p class="lead">to Gatehouse at <bdi>${page.host}</bdi></p>
      ${alert(warningOf(page.code))}
      <form method="post" action="/sign-in">
        ${hidden({ csrf: page.csrf, next: page.next })}
        ${inputField(
          {
            name: 'email',
            label: 'E-mail address',
            type: 'email',
            autocomplete: 'email',
            value: page.email ?? '',
            maxLength: MAX_EMAIL_LENGTH,
          },
          page.violations,
        )}
        <button type="submit">Continue</button>
      </form>
    `,
    footer: page.isOpen
      ? html`New here? <a href="/sign-up">Sign up</a>`
      : 'There are no passwords here: you get a code by e-mail, or sign in where your organization does.',
  });
}

/** Asks for the code that was sent. The text is the same whether or not the address is known. */
export function codePage(page: {
  csrf: string;
  email: string;
  /** Target of the form. */
  action: string;
  /** Hidden values of the form. */
  values: Readonly<Record<string, string>>;
  problem?: string;
  code: CodeWay;
  /** Address of the page where the user starts again. */
  again: string;
  /** Whether every address gets a code. */
  isForAnybody: boolean;
}): Html {
  const { isForAnybody, email } = page;
  return layout({
    title: 'Enter the code',
    content: html`
      <h1>Enter the code</h1>
      ${alert(page.problem ?? warningOf(page.code))}
      ${page.code.way === 'log' ? inLog(isForAnybody) : byMail(isForAnybody, email)}
      <form method="post" action="${page.action}">
        ${hidden({ csrf: page.csrf, ...page.values })}
        ${inputField({
          name: 'code',
          label: 'Code',
          type: 'text',
          autocomplete: 'one-time-code',
          hint: 'Eight digits. The code works for 10 minutes, in this browser only.',
          maxLength: 20,
          isNumeric: true,
        })}
        <button type="submit">Continue</button>
      </form>
    `,
    footer:
      page.code.way === 'log'
        ? html`No code? <a href="${page.again}">Start again</a> and check the address.`
        : html`No code? Look among unwanted mail, or <a href="${page.again}">start again</a> and check the
            address.`,
  });
}

/** Says that another code is needed. @param again address of the page that sends one */
export function codeOverPage(again: string): Html {
  return layout({
    title: 'This code cannot be used any more',
    content: html`
      <h1>This code cannot be used any more</h1>
      <p>It was tried too often, was used, or is older than 10 minutes.</p>
      <p><a class="button" href="${again}">Start again to get another</a></p>
    `,
  });
}

/** Shown for an address that signs in at its organization's provider. */
export function providerPage(page: {
  /** The issuer's host, then the host of its sign-in page if different. */
  hosts: readonly string[];
  /** A link for browsers from our own pages, the fields of a form for others. */
  way: { href: string } | { fields: Readonly<Record<string, string>> };
}): Html {
  const [issuer = '', target = issuer] = page.hosts;
  const { way } = page;
  const label = html`Go on to <bdi>${target}</bdi>`;
  return layout({
    title: 'Sign in with your organization',
    content: html`
      <h1>Sign in with your organization</h1>
      <p>
        Your organization signs people in with
        <bdi>${issuer}</bdi>${target === issuer ? '' : html`, on a page at <bdi>${target}</bdi>`}. You come
        back here afterwards.
      </p>
      ${
        'href' in way
          ? html`<p><a class="button" href="${way.href}">${label}</a></p>`
          : html`<form method="post" action="/sign-in/provider">
              ${hidden(way.fields)}
              <button type="submit">${label}</button>
            </form>`
      }
      <p class="lead"><a href="/sign-in">Use another address</a></p>
    `,
  });
}

/** Leads from the previous page's form to the provider. Browsers apply the form policy of its page to a redirect. */
export function leavingPage(address: string): Html {
  const { host } = new URL(address);
  return layout({
    title: 'Sign in with your organization',
    goOnTo: address,
    content: html`
      <h1>Sign in with your organization</h1>
      <p>
        <a class="button" href="${address}">Go on to <bdi>${host}</bdi></a>
      </p>
    `,
  });
}

/**
 * Shown between sign-in and a page that redirects to another site: browsers apply the policy of the form's page to
 * every redirect after a form, and this page ends that chain.
 */
export function onwardsPage(next: string): Html {
  return layout({
    title: 'Signed in',
    goOnTo: next,
    content: html`
      <h1>You are signed in</h1>
      <p><a class="button" href="${next}">Continue</a></p>
    `,
  });
}

/** Shown if this installation cannot send codes. */
export function notSetUpPage(): Html {
  return messagePage({
    title: 'Sign-in by e-mail is not set up',
    what: 'This Gatehouse has no mail server, so it cannot send codes. Nothing was changed.',
    next: 'Tell whoever runs it: smtp is missing in the settings.',
  });
}

/** The page after `POST /sign-out`. */
export function signedOutPage(next: string): Html {
  // An invitation proves an address itself, also for new users.
  const isInvitation = next.startsWith('/invitations/');
  return layout({
    title: 'Signed out',
    content: html`
      <h1>You are signed out</h1>
      <p>This browser is not signed in any more.</p>
      <p>
        <a class="button" href="${isInvitation ? next : signInPath(next)}"
          >${isInvitation ? 'Back to the invitation' : 'Sign in again'}</a
        >
      </p>
    `,
  });
}

function warningOf({ isFailing }: CodeWay): string | undefined {
  return isFailing
    ? 'The mail server did not take the last mail, so codes may not arrive. If yours does not, tell whoever runs this Gatehouse.'
    : undefined;
}

function byMail(isForAnybody: boolean, email: string): Html {
  return isForAnybody
    ? html`<p>A code is on its way to <bdi>${email}</bdi>.</p>`
    : html`<p>If somebody here has the address <bdi>${email}</bdi>, a code is on its way to it.</p>`;
}

function inLog(isForAnybody: boolean): Html {
  return html`<p>
    This Gatehouse runs on your own computer and has no mail server:
    ${isForAnybody ? '' : 'if somebody here has the address, '}the code is in its log, in the line
    <code>sign_in_code</code>.
  </p>`;
}
