/** The page of a link: who asks for what, then a form or the link to the provider's consent page. */
import { html } from 'hono/html';
import type { LinkPage } from '../../links/links.ts';
import { consentRequest, hostName } from './consent-request.ts';
import { credentialForm, type RejectedForm } from './credential-form.ts';
import { layout, type Html } from '../frame/layout.ts';

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

/** The reason for asking now, by status; a new account needs no explanation. */
const REASONS: Readonly<Record<string, { form: string; consent: string }>> = {
  ACTIVE: {
    form: 'This account is connected already. What you enter replaces what is stored now.',
    consent: 'This account is connected already. What you allow now replaces what is stored.',
  },
  EXPIRED: {
    form: 'The credentials stored for this account no longer work. Enter new ones to go on.',
    consent: 'The connection of this account has expired. Allow access once more to go on.',
  },
  DISCONNECTED: {
    form: 'This account was disconnected. Enter the credentials to connect it again.',
    consent: 'This account was disconnected. Allow access to connect it again.',
  },
  PENDING_VERIFICATION: {
    form: 'Credentials for this account are waiting to be confirmed. What you enter replaces them.',
    consent: 'Access to this account waits to be confirmed. What you allow now replaces it.',
  },
};

/** The whole page. */
export function connectPage(page: LinkPage, options: ConnectPageOptions): Html {
  const { connectorTitle, consent } = page;
  const reason = REASONS[page.status]?.[consent === null ? 'form' : 'consent'];
  return layout({
    title: `Connect ${connectorTitle}`,
    content: html`
      <h1>Connect ${connectorTitle}</h1>
      <p class="lead">An AI agent wants to use ${connectorTitle} for you. ${promise(page)}</p>
      ${facts(page, options.host)} ${reason === undefined ? '' : html`<p>${reason}</p>`}
      ${
        consent === null
          ? credentialForm(page, options.rejected, `Connect ${connectorTitle}`)
          : consentRequest(page, consent, options.goPath, options.rejected)
      }
    `,
    footer: html`${stored(page)} ${onwards(page.submitOrigin)} This page works until
      <time datetime="${new Date(page.expiresAt).toISOString()}">${clockTime(page.expiresAt)}</time>
      (${timeLeft(page.expiresAt - options.now)}).`,
  });
}

/** Names what the agent never sees. */
function promise({ connectorTitle, consent }: LinkPage): Html | string {
  if (consent === null) return 'It sees the answers, never what you enter here.';
  return html`You allow it at ${hostName(connectorTitle, consent)}: your password stays there.`;
}

function facts({ environmentName, connector, connectorTitle, identifier, consent }: LinkPage, host: string) {
  return html`<dl>
    <div>
      <dt>Asked for by</dt>
      <dd>
        An agent of this Gatehouse<small>at ${host}, environment <bdi>${environmentName}</bdi></small>
      </dd>
    </div>
    <div>
      <dt>App</dt>
      <dd>
        ${connectorTitle}<small>connection <bdi>${connector}</bdi></small>
      </dd>
    </div>
    <div>
      <dt>Account</dt>
      <dd><bdi>${identifier}</bdi></dd>
    </div>
    ${
      consent === null || consent.providerHost === null
        ? ''
        : html`<div>
            <dt>Goes on to</dt>
            <dd>
              <bdi>${consent.providerHost}</bdi
              ><small>compare it with the address bar before you sign in</small>
            </dd>
          </div>`
    }
  </dl>`;
}

function stored({ connectorTitle, consent }: LinkPage): Html | string {
  return consent === null
    ? 'What you enter is stored encrypted.'
    : html`What ${connectorTitle} grants is stored encrypted; the agent never sees it.`;
}

function onwards(submitOrigin: string | null): Html | string {
  if (submitOrigin === null) return '';
  return html`Afterwards you are sent to <bdi>${new URL(submitOrigin).host}</bdi> to confirm that it is you.`;
}

/** `14:32 UTC`: the server does not know the reader's time zone. */
function clockTime(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(11, 16)} UTC`;
}

/** `58 minutes left`, rounded down, so that the page never promises a minute too many. */
function timeLeft(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return 'less than a minute left';
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left`;
  return `${Math.floor(minutes / 60)} hours left`;
}
