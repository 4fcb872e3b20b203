/** The page of a link: who asks and for what, then a form or the link to the provider's consent page. */
import { html } from 'hono/html';
import type { LinkPage } from '../../links/links.ts';
import { consentRequest, hostName } from './consent-request.ts';
import { credentialForm, type RejectedForm } from './credential-form.ts';
import { layout, ownName } from '../frame/layout.ts';
import { initial } from '../frame/monogram.ts';
import { breakable, type Html, type Text } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';

/**
 * Query of the POST that declines. The form's address is relative, so that the page does not repeat the token of
 * its link.
 */
export const DECLINE = 'decline';

/** Query of the POST that redirects to the sign-in, which comes back here. */
export const SIGN_IN = 'sign_in';

/** Data of the page in addition to that of the link. */
export interface ConnectPageOptions {
  /** Public host of this Gatehouse, so that users see who stores their key or grant. */
  host: string;
  /** Unix milliseconds, to show the time left. */
  now: number;
  /** Path that redirects to the provider, if the page has no form. */
  goPath: string;
  /** The reader made the link themselves, so nobody else asks. */
  isOwn: boolean;
  /** The reader has to sign in before anything is asked. */
  signsInFirst: boolean;
  rejected?: RejectedForm;
}

/** The whole page. */
export function connectPage(view: View, page: LinkPage, options: ConnectPageOptions): Html {
  const { connectorTitle, consent, expiresAt } = page;
  const words = view.words.connect;
  const reason = (consent === null ? words.formReasons : words.consentReasons)[page.status];
  const instant = new Date(expiresAt).toISOString();
  const clock = view.words.frame.utc(clockTime(expiresAt));
  const until = html`<time datetime="${instant}">${clock}</time>`;
  return layout(view, {
    title: words.title(connectorTitle),
    hasProblems: options.rejected !== undefined,
    content: html`
      ${monograms(view, connectorTitle)}
      <h1>${words.title(connectorTitle)}</h1>
      <p class="lead">
        ${options.isOwn ? words.ownLead(connectorTitle) : words.lead(asking(words, page), connectorTitle)}
        ${promise(words, page, options.isOwn)}
      </p>
      ${options.isOwn ? '' : claim(words, page)}
      ${page.onlyBy === null ? '' : html`<p class="note">${words.onlyBy(page.onlyBy)}</p>`}
      ${facts(words, page)} ${reason === undefined ? '' : html`<p>${reason}</p>`}
      ${
        options.signsInFirst
          ? signInForm(words)
          : consent === null
            ? credentialForm(words, page, { ...options, submit: words.title(connectorTitle) })
            : consentRequest(words, page, consent, options)
      }
      <form class="decline" method="post" action="?${DECLINE}">
        <input type="hidden" name="csrf" value="${page.csrf}" />
        <button class="quiet" type="submit">${words.decline}</button>
      </form>
    `,
    footer: html`${stored(words, page, options.host)} ${confirmation(words, page.submitOrigin, options.host)}
    ${words.worksUntil(until, timeLeft(words, expiresAt - options.now))}`,
  });
}

/** The page if somebody is signed in who cannot confirm the account. @param email their address */
export function otherPersonPage(view: View, page: LinkPage, email: string): Html {
  const { title, what, next, signIn } = view.words.connect.otherPerson;
  const owner = page.onlyBy || page.ownerName || page.identifier;
  return layout(view, {
    title,
    content: html`
      <h1>${title}</h1>
      <p>${what(owner, page.connectorTitle, html`<bdi>${breakable(email)}</bdi>`)}</p>
      <p class="lead">${next}</p>
      <form method="post" action="?${SIGN_IN}"><button type="submit">${signIn}</button></form>
    `,
  });
}

/** Replaces the form if nobody is signed in and only the owner can confirm the account. */
function signInForm(words: Words['connect']): Html {
  return html`<p>${words.signInFirst}</p>
    <form method="post" action="?${SIGN_IN}">
      <button type="submit">${words.signIn}</button>
    </form>`;
}

/** The person or app that asks, as far as it is known here. */
function asking(words: Words['connect'], { requester, requestedBy }: LinkPage): Text {
  if (requestedBy !== null) return words.callsItself(requestedBy);
  return requester === null ? words.anAgent : words.named(requester);
}

/** Says what the requester never learns. */
function promise(words: Words['connect'], { connectorTitle, consent }: LinkPage, isOwn: boolean): Text {
  if (consent !== null) return words.consentPromise(hostName(connectorTitle, consent));
  return isOwn ? words.ownFormPromise : words.formPromise;
}

/** The known facts about a requester who chose their own name. */
function claim(words: Words['connect'], { requester, requestedBy }: LinkPage): Text {
  if (requestedBy === null) return '';
  return html`<p>${requester === null ? words.nobodyChecked : words.sentBy(requester)}</p>`;
}

/** Letters for the operator and the app, side by side. Their names follow below. */
function monograms(view: View, connectorTitle: string): Html {
  return html`<div class="join" aria-hidden="true">
    <span>${initial(ownName(view))}</span><i></i><span>${initial(connectorTitle)}</span>
  </div>`;
}

function facts(words: Words['connect'], { ownerName, identifier, consent }: LinkPage): Html {
  return html`<dl>
    <div>
      <dt>${words.owner}</dt>
      <dd>
        ${
          ownerName === '' || ownerName === identifier
            ? html`<bdi>${identifier}</bdi>`
            : html`<bdi>${ownerName}</bdi><small><bdi>${identifier}</bdi></small>`
        }
      </dd>
    </div>
    ${
      consent === null || consent.providerHost === null
        ? ''
        : html`<div>
            <dt>${words.leadsTo}</dt>
            <dd><bdi>${consent.providerHost}</bdi><small>${words.compareHost}</small></dd>
          </div>`
    }
  </dl>`;
}

/** Says where the user confirms, unless that is on this site. */
function confirmation(words: Words['connect'], submitOrigin: string | null, host: string): Text {
  const other = submitOrigin === null ? host : new URL(submitOrigin).host;
  return other === host ? '' : words.confirmElsewhere(other);
}

function stored(words: Words['connect'], { connectorTitle, consent, isTried }: LinkPage, host: string): Text {
  if (consent !== null) return words.grantStored(connectorTitle, host);
  return isTried ? words.triedAndStored(connectorTitle, host) : words.stored(host);
}

/** `14:32`: the server does not know the reader's time zone. */
function clockTime(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(11, 16);
}

/** Rounded down, so that the page never promises a minute too many. */
function timeLeft(words: Words['connect'], ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return words.lessThanAMinute;
  return minutes < 120 ? words.minutesLeft(minutes) : words.hoursLeft(Math.floor(minutes / 60));
}
