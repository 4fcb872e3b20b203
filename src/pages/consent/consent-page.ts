/** The question whether an app may act for the user here. */
import { html } from 'hono/html';
import type { ConsentQuestion } from '../../authorization-server/library/client-consents.ts';
import { layout, type Html } from '../frame/layout.ts';
import { hidden } from '../sign-in/people-fields.ts';
import { LOOPBACK_HOSTS } from '../frame/browser-request.ts';

/** Explanation of each scope for the user. */
const MEANINGS: Readonly<Record<string, string>> = {
  'tools:execute': 'Read and change things in the apps you have connected, through their tools',
  'accounts:read': 'See which accounts you have connected',
  'accounts:write': 'Connect, change and disconnect accounts of yours',
  admin: 'Administer this whole Gatehouse: all its organizations, people, credentials and accounts',
};

/** The same at a virtual server that is read-only. */
const READ_ONLY = 'Read things in the apps you have connected, through their tools, and change nothing there';

/** The consent page. */
export function consentPage(page: {
  question: ConsentQuestion;
  /** Address of the user who is asked. */
  email: string;
  /** Host of this Gatehouse. */
  host: string;
  action: string;
  /** Values that the form sends along. */
  values: Readonly<Record<string, string>>;
}): Html {
  const { question, email, host } = page;
  const name = question.clientName ?? question.clientHost ?? 'An app that gives no name';
  const to = destination(question.redirectUri);
  return layout({
    title: 'Allow access',
    content: html`
      <h1>Allow <bdi>${name}</bdi>?</h1>
      <p class="lead">It wants to act for you at Gatehouse, <bdi>${host}</bdi>.</p>
      <dl>
        <div>
          <dt>You</dt>
          <dd><bdi>${email}</bdi></dd>
        </div>
        <div>
          <dt>The app</dt>
          <dd><bdi>${name}</bdi><small>${vouched(question)}</small></dd>
        </div>
        <div>
          <dt>It goes on at</dt>
          <dd><bdi>${to}</bdi></dd>
        </div>
        <div>
          <dt>For</dt>
          <dd><code>${question.resource}</code></dd>
        </div>
      </dl>
      <h2>What it may do</h2>
      <ul class="scopes">
        ${question.scopes.map(
          (scope) => html`<li><span>${meaningOf(scope, question)}</span> <code>${scope}</code></li>`,
        )}
      </ul>
      <div class="note">
        <p><strong>Did you start this?</strong></p>
        <p>If not, or if you do not know who is behind <bdi>${to}</bdi>, do not allow it.</p>
      </div>
      <form method="post" action="${page.action}">
        ${hidden(page.values)}
        <div class="actions">
          <button type="submit" name="answer" value="allow">Allow</button>
          <button class="quiet" type="submit" name="answer" value="deny">Do not allow</button>
        </div>
      </form>
    `,
    footer:
      'What you allow ends when you sign the app out, when it has not been used for 30 days, and after 180 days at the latest.',
  });
}

/** The page for a user who cannot grant any of the scopes the app requested. */
export function nothingToAllowPage(page: { action: string; values: Readonly<Record<string, string>> }): Html {
  return layout({
    title: 'Nothing to allow',
    content: html`
      <h1>You cannot allow this</h1>
      <p>The app asks for something that only people who administer this Gatehouse can give.</p>
      <form method="post" action="${page.action}">
        ${hidden(page.values)}
        <button type="submit" name="answer" value="deny">Go back to the app</button>
      </form>
    `,
  });
}

function meaningOf(scope: string, { isReadOnly }: ConsentQuestion): string {
  return scope === 'tools:execute' && isReadOnly ? READ_ONLY : (MEANINGS[scope] ?? '');
}

/** The destination of a redirect URI, as far as users can judge it: a host, this computer, or an app on it. */
export function destination(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (LOOPBACK_HOSTS.has(hostname)) return 'a program on this computer';
  return protocol === 'https:' ? host : `an app on this device (${protocol})`;
}

function vouched({ clientHost, clientName }: ConsentQuestion): Html | string {
  if (clientHost !== undefined) return html`published by <bdi>${clientHost}</bdi>`;
  return clientName === undefined
    ? 'It registered itself without a name.'
    : 'This is what it calls itself; nobody has checked it.';
}
