/** The sign-in pages: for the address, the code, and the way to the organization's provider. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../core/errors.ts';
import { layout, ownName } from '../frame/layout.ts';
import type { Html } from '../words/html.ts';
import type { SignInSubject } from '../words/en/sign-in.ts';
import type { View } from '../words/words.ts';
import { messagePage } from '../frame/message-pages.ts';
import { againField, caution, formProblems, hidden, inputField } from './people-fields.ts';
import { signInPath, type SignInPurpose } from './sign-in-path.ts';

/** Longest valid e-mail address (RFC 5321 section 4.5.3.1). */
export const MAX_EMAIL_LENGTH = 254;

/** The way codes reach users; see EmailCodes. */
export interface CodeWay {
  way: 'mail' | 'log' | 'none';
  /** Whether the mail server failed a moment ago. */
  isFailing: boolean;
}

/** `/sign-in`: asks for an address. The same page for everyone. */
export function signInPage(
  view: View,
  page: {
    csrf: string;
    /** Host of this Gatehouse. */
    host: string;
    next: string;
    /** Whether a signed-in person has to prove their identity again. */
    isAgain: boolean;
    purpose: SignInPurpose;
    /** Purpose of the sign-in, as far as it is known. */
    subject: SignInSubject;
    email?: string;
    violations?: readonly FieldViolation[];
    /** Whether anyone may sign up. */
    isOpen: boolean;
    code: CodeWay;
  },
): Html {
  const words = view.words.signIn;
  const { violations = [] } = page;
  return layout(view, {
    title: words.title,
    hasProblems: violations.length > 0,
    content: html`
      <h1>${words.title}</h1>
      <p class="lead">${words.at(ownName(view), page.host)}</p>
      ${page.purpose === 'other' ? '' : html`<p>${words.purposes[page.purpose](page.subject)}</p>`}
      ${caution(page.code.isFailing ? words.mailFails : undefined)}
      ${formProblems(words, violations, { email: words.email })}
      <form method="post" action="/sign-in">
        ${hidden({ csrf: page.csrf, next: page.next, ...againField(page.isAgain) })}
        ${inputField(
          words,
          {
            name: 'email',
            label: words.email,
            type: 'email',
            autocomplete: 'email',
            value: page.email ?? '',
            maxLength: MAX_EMAIL_LENGTH,
            isFirst: true,
          },
          violations,
        )}
        <button type="submit">${view.words.frame.continue}</button>
      </form>
    `,
    footer: page.isOpen ? words.newHere : words.noPasswords,
  });
}

/** Asks for the code that was sent. The text is the same whether or not the address is known. */
export function codePage(
  view: View,
  page: {
    csrf: string;
    email: string;
    /** Target of the form. */
    action: string;
    /** Hidden values of the form. */
    values: Readonly<Record<string, string>>;
    /** Whether the entered code is wrong. */
    isWrong?: boolean;
    code: CodeWay;
    /** Path that requests another code, with the same hidden values. */
    resendTo: string;
    /** Minutes for which a sent code stays valid. */
    minutesLeft: number;
    /** Address of the page where the user starts again. */
    again: string;
    /** Whether every address gets a code. */
    isForAnybody: boolean;
    /** Minutes until the code is sent. Default: it has been sent. */
    delayMinutes?: number;
  },
): Html {
  const { isForAnybody, email, delayMinutes = 0, code } = page;
  const words = view.words.signIn;
  const violations = page.isWrong === true ? [{ field: 'code', description: '', constraint: 'code' }] : [];
  const byMail = isForAnybody ? words.codeSent : words.codeMaybeSent;
  return layout(view, {
    title: words.codeTitle,
    hasProblems: violations.length > 0,
    content: html`
      <h1>${words.codeTitle}</h1>
      ${caution(code.isFailing ? words.mailFails : undefined)}
      ${formProblems(words, violations, { code: words.code })}
      <p>${code.way === 'log' ? words.codeInLog(isForAnybody) : byMail(email)}</p>
      ${delayMinutes === 0 ? '' : html`<p>${words.codeLater(delayMinutes)}</p>`}
      <form method="post" action="${page.action}">
        ${hidden({ csrf: page.csrf, ...page.values })}
        ${inputField(
          words,
          {
            name: 'code',
            label: words.code,
            type: 'text',
            autocomplete: 'one-time-code',
            hint: words.codeHint(page.minutesLeft),
            maxLength: 20,
            isNumeric: true,
            isFirst: true,
          },
          violations,
        )}
        <button type="submit">${view.words.frame.continue}</button>
      </form>
      ${resendForm(view, page)}
    `,
    footer: code.way === 'log' ? words.noCode(page.again) : words.noMail(page.again),
  });
}

/** The form for another code. A new code replaces the previous one. */
function resendForm(
  view: View,
  page: { csrf: string; values: Readonly<Record<string, string>>; resendTo: string },
): Html {
  return html`<form method="post" action="${page.resendTo}">
    ${hidden({ csrf: page.csrf, ...page.values })}
    <button class="quiet" type="submit">${view.words.signIn.resend}</button>
  </form>`;
}

/**
 * Says that another code is needed, and offers to send one. @param page.again address of the page where the user
 * starts again
 */
export function codeOverPage(
  view: View,
  page: { csrf: string; values: Readonly<Record<string, string>>; resendTo: string; again: string },
): Html {
  const words = view.words.signIn.codeOver;
  return layout(view, {
    title: words.title,
    content: html`
      <h1>${words.title}</h1>
      <p>${words.what}</p>
      ${resendForm(view, page)}
      <p><a href="${page.again}">${words.again}</a></p>
    `,
  });
}

/** Shown for an address that signs in at its organization's provider. */
export function providerPage(
  view: View,
  page: {
    /** The issuer's host, then the host of its sign-in page if different. */
    hosts: readonly string[];
    /** A link for browsers from our own pages, the fields of a form for others. */
    way: { href: string } | { fields: Readonly<Record<string, string>> };
  },
): Html {
  const [issuer = '', target = issuer] = page.hosts;
  const { way } = page;
  const words = view.words.signIn.provider;
  const label = words.goOn(target);
  return layout(view, {
    title: words.title,
    content: html`
      <h1>${words.title}</h1>
      <p>${words.what(issuer, target)}</p>
      ${
        'href' in way
          ? html`<p><a class="button" href="${way.href}">${label}</a></p>`
          : html`<form method="post" action="/sign-in/provider">
              ${hidden(way.fields)}
              <button type="submit">${label}</button>
            </form>`
      }
      <p class="lead"><a href="/sign-in">${words.otherAddress}</a></p>
    `,
  });
}

/**
 * The page that leads from the previous page's form to the provider, because browsers apply the policy of the
 * form's page to a redirect.
 */
export function leavingPage(view: View, address: string): Html {
  const { host } = new URL(address);
  const words = view.words.signIn.provider;
  return layout(view, {
    title: words.title,
    goOnTo: address,
    content: html`
      <h1>${words.title}</h1>
      <p><a class="button" href="${address}">${words.goOn(host)}</a></p>
    `,
  });
}

/**
 * Shown between sign-in and a page that redirects to another site: browsers apply the policy of the form's page to
 * every redirect after a form, and this page ends that chain.
 */
export function onwardsPage(view: View, next: string): Html {
  const words = view.words.signIn.onwards;
  return layout(view, {
    title: words.title,
    goOnTo: next,
    content: html`
      <h1>${words.heading}</h1>
      <p><a class="button" href="${next}">${view.words.frame.continue}</a></p>
    `,
  });
}

/** Shown if this installation cannot send codes. */
export function notSetUpPage(view: View): Html {
  return messagePage(view, view.words.signIn.notSetUp);
}

/** The page after `POST /sign-out`. */
export function signedOutPage(view: View, next: string): Html {
  // An invitation proves an address itself, also for new users.
  const isInvitation = next.startsWith('/invitations/');
  const words = view.words.signIn.signedOut;
  return layout(view, {
    title: words.title,
    content: html`
      <h1>${words.heading}</h1>
      <p>${words.what}</p>
      <p>
        <a class="button" href="${isInvitation ? next : signInPath(next)}"
          >${isInvitation ? words.toInvitation : words.again}</a
        >
      </p>
    `,
  });
}
