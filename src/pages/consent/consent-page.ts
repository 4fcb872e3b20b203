/** The question whether an app may act for the user here. */
import { html } from 'hono/html';
import type { ConsentQuestion } from '../../authorization-server/library/client-consents.ts';
import { layout, ownName } from '../frame/layout.ts';
import { initial } from '../frame/monogram.ts';
import { breakable, type Html, type Text } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';
import { hidden } from '../sign-in/people-fields.ts';
import { LOOPBACK_HOSTS } from '../frame/browser-request.ts';

/** The scope that gives an app everything. */
export const ADMIN = 'admin';

/** The field that is ticked to let an app administer everything. */
export const ADMINISTER = 'administer';

/** All scopes, the most powerful first. */
const POWER = [
  ADMIN,
  'organization:write',
  'accounts:write',
  'tools:execute',
  'organization:read',
  'accounts:read',
];

/** The consent page. */
export function consentPage(
  view: View,
  page: {
    question: ConsentQuestion;
    /** Address of the user who is asked. */
    email: string;
    /** Organization of the session; '' without one. */
    organizationName: string;
    /** The user has other organizations, too. */
    canSwitch: boolean;
    /** Number of tools of the virtual server, if the resource is one. */
    serverTools: number;
    /** Titles of the apps that the user has connected. */
    apps: readonly string[];
    /** Public host of this Gatehouse. */
    host: string;
    action: string;
    /** Hidden values of the form. */
    values: Readonly<Record<string, string>>;
  },
): Html {
  const { question, email, host } = page;
  const words = view.words.consent;
  const name = question.clientName ?? question.clientHost ?? words.namelessApp;
  const to = destination(view, question.redirectUri);
  const isAdmin = question.scopes.includes(ADMIN);
  // Opens another tab. This page asks again if another organization was chosen there.
  const change = page.canSwitch
    ? html` <a href="/organizations" target="_blank" rel="noopener">${words.change}</a>`
    : '';
  return layout(view, {
    title: words.title,
    content: html`
      <h1>${isNameless(question) ? words.namelessQuestion : words.question(name)}</h1>
      <p class="lead">${words.lead(ownName(view), host)}</p>
      <dl>
        <div>
          <dt>${words.you}</dt>
          <dd><bdi>${email}</bdi></dd>
        </div>
        ${
          question.organization &&
          html`
            <div>
              <dt>${words.yourOrganization}</dt>
              <dd>
                <bdi>${question.organization.name}</bdi>${change}<small
                  >${words.yourRole(view.words.people.roles[question.organization.role])}</small
                >
              </dd>
            </div>
          `
        }
        ${
          question.organization === undefined && page.organizationName !== ''
            ? html`<div>
                <dt>${words.within}</dt>
                <dd><bdi>${page.organizationName}</bdi>${change}</dd>
              </div>`
            : ''
        }
        <div>
          <dt>${words.theApp}</dt>
          <dd><bdi>${name}</bdi><small>${vouched(words, question)}</small></dd>
        </div>
        <div>
          <dt>${words.leadsTo}</dt>
          <dd><bdi>${to}</bdi></dd>
        </div>
        <div>
          <dt>${words.resource}</dt>
          <dd>
            ${
              question.serverName === undefined
                ? html`<code>${breakable(question.resource)}</code>`
                : html`${words.server(question.serverName, page.serverTools)}<small
                      ><code>${breakable(question.resource)}</code></small
                    >`
            }
          </dd>
        </div>
      </dl>
      <h2>${words.mayDo}</h2>
      <ul class="scopes">
        ${byPower(question.scopes).map((scope) => scopeItem(words, scope, question))}
      </ul>
      ${page.apps.length === 0 ? html`<p class="hint">${words.noApps}</p>` : appList(words, page.apps)}
      <div class="note">
        <p><strong>${words.didYouStart}</strong></p>
        <p>${words.doNotAllow(to)}</p>
      </div>
      <form method="post" action="${page.action}">
        ${hidden(page.values)} ${isAdmin ? administerBox(words) : ''}
        <div class="actions">
          <button type="submit" name="answer" value="allow">${words.allow}</button>
          <button class="quiet" type="submit" name="answer" value="deny" formnovalidate>${words.deny}</button>
        </div>
      </form>
    `,
    footer: words.footer,
  });
}

/** The page for a user who cannot grant any of the scopes the app requested. */
export function nothingToAllowPage(
  view: View,
  page: { action: string; values: Readonly<Record<string, string>> },
): Html {
  const words = view.words.consent.nothing;
  return layout(view, {
    title: words.title,
    content: html`
      <h1>${words.heading}</h1>
      <p>${words.what}</p>
      <form method="post" action="${page.action}">
        ${hidden(page.values)}
        <button type="submit" name="answer" value="deny">${words.back}</button>
      </form>
    `,
  });
}

/** The apps that the client would be able to use, each with a letter instead of its logo. */
function appList(words: Words['consent'], apps: readonly string[]): Html {
  return html`<p class="hint">${words.yourApps}</p>
    <ul class="apps">
      ${apps.map((app) => html`<li><i aria-hidden="true">${initial(app)}</i><bdi>${app}</bdi></li>`)}
    </ul>
    <p class="hint">${words.laterApps}</p>`;
}

/** The scopes with the most powerful first. */
function byPower(scopes: readonly string[]): readonly string[] {
  return scopes.toSorted((a, b) => POWER.indexOf(a) - POWER.indexOf(b));
}

function scopeItem(words: Words['consent'], scope: string, question: ConsentQuestion): Html {
  return html`<li ${scope === ADMIN ? html`class="danger"` : ''}>
    <span>${meaningOf(words, scope, question)}</span> <code>${scope}</code>
  </li>`;
}

/** Tick box: allowing an app to administer everything takes a separate decision. */
function administerBox(words: Words['consent']): Html {
  return html`<label class="box"
    ><input type="checkbox" name="${ADMINISTER}" value="yes" required /> ${words.administer}</label
  >`;
}

function meaningOf(
  words: Words['consent'],
  scope: string,
  { isReadOnly, organization }: ConsentQuestion,
): Text {
  if (scope === 'organization:read') return words.organizationRead(organization?.name ?? '');
  if (scope === 'organization:write') return words.organizationWrite(organization?.name ?? '');
  return scope === 'tools:execute' && isReadOnly ? words.readOnlyTools : (words.scopes[scope] ?? '');
}

/** The destination of a redirect URI, as far as users can judge it: a host, this computer, or an app on it. */
export function destination({ words }: View, redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (LOOPBACK_HOSTS.has(hostname)) return words.consent.thisComputer;
  return protocol === 'https:' ? host : words.consent.thisDevice(protocol.slice(0, -1));
}

/** Whether the client has neither a name nor a document that says where it comes from. */
function isNameless({ clientName, clientHost }: ConsentQuestion): boolean {
  return clientName === undefined && clientHost === undefined;
}

function vouched(words: Words['consent'], { clientHost, clientName }: ConsentQuestion): Text {
  if (clientHost !== undefined) return words.publishedBy(clientHost);
  return clientName === undefined ? words.unnamed : words.selfNamed;
}
