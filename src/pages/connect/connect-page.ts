/** The page of a link: who asks for what, then a form or the link to the provider's consent page. */
import { html } from 'hono/html';
import type { LinkPage } from '../../links/links.ts';
import { consentRequest, hostName } from './consent-request.ts';
import { credentialForm, type RejectedForm } from './credential-form.ts';
import { layout } from '../frame/layout.ts';
import type { Html, Text } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';

/** Data of the page in addition to that of the link. */
export interface ConnectPageOptions {
  /** Public host of this Gatehouse, so that users see who stores their key or grant. */
  host: string;
  /** Unix milliseconds, to show the time left. */
  now: number;
  /** Path that redirects to the provider, if the page has no form. */
  goPath: string;
  rejected?: RejectedForm;
}

/** The environment whose name people need not see. */
const PRODUCTION = 'production';

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
      <h1>${words.title(connectorTitle)}</h1>
      <p class="lead">
        ${words.lead(connectorTitle)}
        ${consent === null ? words.formPromise : words.consentPromise(hostName(connectorTitle, consent))}
      </p>
      ${facts(words, page, options.host)} ${reason === undefined ? '' : html`<p>${reason}</p>`}
      ${
        consent === null
          ? credentialForm(words, page, options.rejected, words.title(connectorTitle))
          : consentRequest(words, page, consent, options)
      }
    `,
    footer: html`${stored(words, page)} ${confirmation(words, page.submitOrigin, options.host)}
    ${words.worksUntil(until, timeLeft(words, expiresAt - options.now))}`,
  });
}

function facts(words: Words['connect'], page: LinkPage, host: string): Html {
  const { environmentName, identifier, consent } = page;
  const place = environmentName === PRODUCTION ? words.at(host) : words.atEnvironment(host, environmentName);
  return html`<dl>
    <div>
      <dt>${words.askedBy}</dt>
      <dd>${words.agentOfThis}<small>${place}</small></dd>
    </div>
    <div>
      <dt>${words.owner}</dt>
      <dd><bdi>${identifier}</bdi></dd>
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

/** Says where the user confirms, unless it is here. */
function confirmation(words: Words['connect'], submitOrigin: string | null, host: string): Text {
  const other = submitOrigin === null ? host : new URL(submitOrigin).host;
  return other === host ? '' : words.confirmElsewhere(other);
}

function stored(words: Words['connect'], { connectorTitle, consent, isTried }: LinkPage): string {
  if (consent !== null) return words.grantStored(connectorTitle);
  return isTried ? words.triedAndStored(connectorTitle) : words.stored;
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
