/** The part of a connect page before a provider's own consent page: its host, and what it will ask for. */
import { html } from 'hono/html';
import type { LinkPage } from '../../links/links.ts';
import type { ConsentRequest } from '../../links/asked-scopes.ts';
import { credentialForm, warning, type RejectedForm } from './credential-form.ts';
import type { Html } from '../frame/layout.ts';

/**
 * The permissions, the warning, and a plain link to the provider: no script, so that nothing is sent there
 * before the user goes there. If its address is not known yet, a form that asks for it replaces the link.
 *
 * @param goPath our own path that redirects to the provider
 */
export function consentRequest(
  page: LinkPage,
  consent: ConsentRequest,
  goPath: string,
  rejected: RejectedForm | undefined,
): Html {
  const { scopes } = consent;
  const onwards = html`Continue to ${hostName(page.connectorTitle, consent)}`;
  return html`<h2>What it may do</h2>
    <p class="hint">${explanation(page.connectorTitle, consent)}</p>
    ${
      scopes.length === 0
        ? ''
        : html`<ul class="scopes">
            ${scopes.map(({ name, meaning }) => scopeItem(name, meaning))}
          </ul>`
    }
    ${
      page.fields.length > 0
        ? credentialForm(page, rejected, onwards)
        : html`${warning('what you allow')}
            <a class="button" href="${goPath}" rel="nofollow noreferrer">${onwards}</a>`
    }`;
}

/** Host of the provider's consent page, as far as known. */
export function hostName(title: string, { providerHost }: ConsentRequest): Html | string {
  return providerHost === null ? title : html`<bdi>${providerHost}</bdi>`;
}

/** Explains the list. If the provider decides by the registered app, the list is what the tools need, not a promise. */
function explanation(title: string, consent: ConsentRequest): Html | string {
  const { isChosenByApp, scopes } = consent;
  const host = hostName(title, consent);
  if (scopes.length === 0) {
    const source = isChosenByApp
      ? html`The permissions are those ticked in the app registered with ${title}.`
      : 'No particular permissions are asked for.';
    return html`${source} Read what ${host} shows before you agree.`;
  }
  if (!isChosenByApp) return html`${host} will be asked for these permissions:`;
  return html`The permissions are those ticked in the app registered with ${title}. They may be more or fewer
  than these, which the agent needs: read what ${host} shows before you agree.`;
}

function scopeItem(name: string, meaning: string): Html {
  return html`<li>
    ${meaning === '' ? '' : html`<span>${meaning}</span> `}<code><bdi>${name}</bdi></code>
  </li>`;
}
