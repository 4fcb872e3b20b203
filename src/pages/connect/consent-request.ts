/** The part of a connect page before a provider's own consent page: its host, and what it will ask for. */
import { html } from 'hono/html';
import type { LinkPage } from '../../links/links.ts';
import type { AskedScope, ConsentRequest } from '../../links/asked-scopes.ts';
import { credentialForm, warning, type RejectedForm } from './credential-form.ts';
import type { Html, Text } from '../words/html.ts';
import type { Words } from '../words/words.ts';

/**
 * The permissions, the warning, and a plain link to the provider: no script, so that nothing is sent there
 * before the user goes there. If its address is not known yet, a form that asks for it replaces the link.
 *
 * @param options.goPath our own path that redirects to the provider
 * @param options.isOwn the reader made the link themselves
 */
export function consentRequest(
  words: Words['connect'],
  page: LinkPage,
  consent: ConsentRequest,
  { goPath, isOwn, rejected }: { goPath: string; isOwn: boolean; rejected?: RejectedForm },
): Html {
  const { scopes } = consent;
  const explained = html`<p class="hint">${explanation(words, page.connectorTitle, consent)}</p>`;
  // If the provider asks for exactly these permissions, its own page says so too, and the explanation is folded
  // away.
  const isExact = scopes.length > 0 && !consent.isChosenByApp && consent.isNamedThere !== true;
  const onwards = words.continueTo(hostName(page.connectorTitle, consent));
  return html`<h2>${isOwn ? words.ownMayDo : words.mayDo}</h2>
    ${scopes.length === 0 ? '' : grouped(words, scopes, isExact ? explained : '')} ${isExact ? '' : explained}
    ${
      page.fields.length > 0
        ? credentialForm(words, page, { rejected, isOwn, submit: onwards })
        : html`${isOwn ? '' : warning(words, words.whatYouAllow)}
            <a class="button" href="${goPath}" rel="nofollow noreferrer">${onwards}</a>`
    }`;
}

/** Kinds of permission in their order on the page. The most serious is last and marked. */
const POWERS = ['read', 'change', 'delete', 'other'] as const;

/**
 * Meanings of one kind that are shown. One more is shown instead of "and 1 more". On a phone each takes two lines.
 */
const SHOWN_MEANINGS = 2;

/**
 * Permissions that the scopes give, by kind, without those that others include. The names of all scopes and their
 * explanation are in a fold.
 */
function grouped(words: Words['connect'], scopes: readonly AskedScope[], explained: Text): Html {
  const shown = scopes.filter(({ isIncluded }) => !isIncluded);
  const groups = POWERS.map((power) => ({ power, of: shown.filter((scope) => scope.power === power) }));
  return html`<ul class="powers">
      ${groups.map(({ power, of }) =>
        of.length === 0
          ? ''
          : html`<li ${power === 'delete' ? html`class="danger"` : ''}>
              <b>${words.powers[power]}</b>
              <span>${meanings(words, of)}</span>
            </li>`,
      )}
    </ul>
    <details>
      <summary>${words.allPermissions(scopes.length)}</summary>
      <ul class="scopes">
        ${scopes.map((scope) => scopeItem(words, scope))}
      </ul>
      ${explained}
    </details>`;
}

/** Permissions of one kind: the first ones, and the number of the others. */
function meanings(words: Words['connect'], of: readonly AskedScope[]): Html {
  const first = of.length > SHOWN_MEANINGS + 1 ? of.slice(0, SHOWN_MEANINGS) : of;
  const more = of.length - first.length;
  return html`${first.map((scope) => meaningOf(words, scope))}${
    more === 0 ? '' : html`<small>${words.moreBelow(more)}</small>`
  }`;
}

function meaningOf(words: Words['connect'], { name, meaning }: AskedScope): Html {
  return meaning === '' ? html`<code><bdi>${name}</bdi></code> ` : html`${words.fromCatalog(meaning)} `;
}

/** Host of the provider's consent page, as far as known. */
export function hostName(title: string, { providerHost }: ConsentRequest): Text {
  return providerHost === null ? title : html`<bdi>${providerHost}</bdi>`;
}

/**
 * Explains the list. If the provider decides by the registered app, or names more later, the list shows what the tools
 * need and promises nothing.
 */
function explanation(words: Words['connect'], title: string, consent: ConsentRequest): Html {
  const { isChosenByApp, isNamedThere, scopes } = consent;
  const host = hostName(title, consent);
  if (isNamedThere === true) return words.scopesNamedThere(host);
  if (scopes.length === 0) return isChosenByApp ? words.tickedScopes(title, host) : words.noScopes(host);
  return isChosenByApp ? words.neededScopes(title, host) : words.requestedScopes(host);
}

function scopeItem(words: Words['connect'], { name, meaning }: AskedScope): Html {
  return html`<li>
    ${meaning === '' ? '' : html`<span>${words.fromCatalog(meaning)}</span> `}<code><bdi>${name}</bdi></code>
  </li>`;
}
