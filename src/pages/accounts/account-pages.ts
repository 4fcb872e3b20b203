/** `/accounts` and the question before an account is disconnected. */
import { html } from 'hono/html';
import type { OwnSession } from '../../people/own-sessions.ts';
import type { SignedInPerson } from '../../people/sign-in/people-sign-in.ts';
import { layout } from '../frame/layout.ts';
import { menu } from '../frame/menu.ts';
import { timeAgo } from '../frame/times.ts';
import { hidden } from '../sign-in/people-fields.ts';
import { breakable, type Html, type Text } from '../words/html.ts';
import type { View, Words } from '../words/words.ts';

/** An account of the signed-in person. Times are Unix milliseconds. */
export interface ShownAccount {
  id: string;
  /** Of its app. */
  title: string;
  identifier: string;
  /** The app's name for the account; '' if it is unknown or adds nothing. */
  saidName: string;
  status: string;
  since: number;
  /** Absent if it was never used. */
  lastUsed?: {
    at: number;
    /** Interface through which the tool was called; '' if unknown. */
    source: string;
    /** Name of the app or credential that called; '' if unknown. */
    client: string;
  };
}

type Status = keyof Words['accounts']['statuses'];

/** Class of a status, in addition to its word. */
const LOOKS: Readonly<Record<Status, string>> = {
  ACTIVE: 'works',
  EXPIRED: 'broken',
  PENDING_AUTH: 'waits',
  PENDING_VERIFICATION: 'waits',
  DISCONNECTED: 'ended',
};

interface Asked {
  csrf: string;
  person: SignedInPerson;
}

/** The person's accounts, and the apps that may act for them. */
export function accountsPage(
  view: View,
  page: Asked & {
    accounts: readonly ShownAccount[];
    /** Token of the next page; '' for none. */
    next: string;
    /** Sessions of apps and applications. */
    sessions: readonly OwnSession[];
    /** Sentence about the last change. */
    flash: Text;
    now: number;
  },
): Html {
  const { frame, accounts: words } = view.words;
  const { accounts, sessions, csrf, now } = page;
  return layout(view, {
    title: words.title,
    menu: menu(view, { csrf, current: 'accounts' }),
    content: html`
      <h1>${words.title}</h1>
      ${page.flash}
      <p class="lead">${accounts.length === 0 ? words.none : words.lead}</p>
      ${
        accounts.length === 0
          ? ''
          : html`<form method="post" action="/accounts">
              ${hidden({ csrf })}
              <ul class="sessions">
                ${accounts.map((account) => accountItem(view, account, now))}
              </ul>
            </form>`
      }
      ${page.next === '' ? '' : html`<p><a href="/accounts?page_token=${encodeURIComponent(page.next)}">${frame.more}</a></p>`}
      <p><a class="button" href="/accounts/connect">${words.connectApp}</a></p>
      <h2>${words.clients}</h2>
      ${
        sessions.length === 0
          ? html`<p>${words.noClients}</p>`
          : html`<p class="lead">${words.clientsLead}</p>
              <form method="post" action="/accounts">
                ${hidden({ csrf })}
                <ul class="sessions">
                  ${[...Map.groupBy(sessions, ({ clientId }) => clientId).values()].map((held) =>
                    clientItem(view, held, now),
                  )}
                </ul>
              </form>`
      }
    `,
    footer: frame.signedInAs(page.person.email),
  });
}

/** Asks before the credentials are erased, and says what stays. */
export function disconnectPage(
  view: View,
  { csrf, person, account }: Asked & { account: Omit<ShownAccount, 'since'> },
): Html {
  const { frame, accounts: words } = view.words;
  const { id, title, identifier, saidName } = account;
  return layout(view, {
    title: words.disconnecting.title(title),
    menu: menu(view, { csrf, current: 'accounts' }),
    content: html`
      <h1>${words.disconnecting.title(title)}</h1>
      <p>
        <bdi>${breakable(identifier)}</bdi
        >${saidName === '' ? '' : html`, ${view.words.connect.connectedAs} <bdi>${breakable(saidName)}</bdi>`}
      </p>
      <p>${words.disconnecting.what(title)}</p>
      <p class="lead">${words.disconnecting.stays}</p>
      <form method="post" action="/accounts/disconnect">
        ${hidden({ csrf, account_id: id })}
        <button class="quiet danger" type="submit">${words.disconnectOne(title)}</button>
      </form>
      <p><a href="/accounts">${frame.cancel}</a></p>
    `,
    footer: frame.signedInAs(person.email),
  });
}

function accountItem(view: View, account: ShownAccount, now: number): Html {
  const words = view.words.accounts;
  const { id, title, identifier, saidName, status, since, lastUsed } = account;
  const isConnected = status !== 'PENDING_AUTH' && status !== 'DISCONNECTED';
  return html`<li>
    <span id="${id}"
      ><strong>${title}</strong><small><bdi>${breakable(identifier)}</bdi></small
      >${
        saidName === ''
          ? ''
          : html`<small>${view.words.connect.connectedAs} <bdi>${breakable(saidName)}</bdi></small>`
      }${statusLine(words, status)}<small>${words.since(timeAgo(view, since, now))}</small
      ><small
        >${
          lastUsed === undefined
            ? words.neverUsed
            : words.lastUsed(timeAgo(view, lastUsed.at, now), usedBy(words, lastUsed))
        }</small
      ></span
    >
    <span class="row">
      <button
        class="quiet"
        type="submit"
        name="account_id"
        value="${id}"
        aria-label="${isConnected ? words.reconnectOne(title) : `${words.connect} ${title}`}"
        aria-describedby="${id}"
      >
        ${isConnected ? words.reconnect : words.connect}
      </button>
      ${
        isConnected
          ? html`<a
              class="button quiet danger"
              href="/accounts/disconnect?id=${id}"
              aria-label="${words.disconnectOne(title)}"
              aria-describedby="${id}"
              >${words.disconnect}</a
            >`
          : ''
      }
    </span>
  </li>`;
}

/** The operator counts as the user of a tool, not the program that they used. */
function usedBy(words: Words['accounts'], { source, client }: NonNullable<ShownAccount['lastUsed']>): Text {
  const isByOperator = words.usedBy[source] === words.usedBy['cli'];
  return client === '' || isByOperator ? (words.usedBy[source] ?? '') : words.by(client);
}

function statusLine({ statuses }: Words['accounts'], status: string): Text {
  return isStatus(status) ? html`<small class="status ${LOOKS[status]}">${statuses[status]}</small>` : '';
}

function isStatus(status: string): status is Status {
  return Object.hasOwn(LOOKS, status);
}

/** One entry for all sessions of an app or application: ending it ends all of them. */
function clientItem(view: View, held: readonly OwnSession[], now: number): Html {
  const words = view.words.accounts;
  const [{ clientId, holder, id } = { clientId: '', holder: '', id: '' }] = held;
  const used = held.flatMap(({ lastUsedAt }) => lastUsedAt ?? []);
  const began = Math.min(...held.map(({ createdAt }) => createdAt));
  return html`<li>
    <span id="${id}"
      ><strong><bdi>${breakable(holder)}</bdi></strong
      ><small>${words.signIns(held.length)}</small>${
        used.length === 0
          ? ''
          : html`<small>${words.lastUsed(timeAgo(view, Math.max(...used), now), '')}</small>`
      }<small>${words.clientSince(timeAgo(view, began, now))}</small></span
    >
    <button
      class="quiet danger"
      type="submit"
      name="client_id"
      value="${clientId}"
      aria-label="${words.endOne(holder)}"
      aria-describedby="${id}"
    >
      ${words.end}
    </button>
  </li>`;
}
