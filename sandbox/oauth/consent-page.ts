/**
 * The pages of the stand-in's OAuth: the question to the person, the current grants, and invalid requests.
 */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';

type Html = ReturnType<typeof html>;

/** Content of the consent page. */
export interface ConsentQuestion {
  /** Title of the provider, at the top of the page. */
  title: string;
  /** Path that the answer is posted to. */
  action: string;
  /** The thing that the app asks to use, e.g. `CRM`. */
  thing: string;
  /** The place that access is granted to, e.g. the workspace Northlight Supply. */
  place: { kind: string; name: string };
  /** Number of the page, posted back with the answer. */
  number: string;
  appName: string;
  /** People who may be signed in; the first is preselected. */
  members: readonly { id: string; name: string; email: string }[];
  /** Permissions for the app, in words. */
  permissions: readonly string[];
  /** Host that the browser is redirected to afterwards. */
  returnHost: string;
}

const CSS = `
:root { color-scheme: light dark; --ink: #241a33; --soft: #5d5270; --ground: #f4f1fa; --card: #fff; --line: #d9d0e8; --accent: #5b2da3; }
@media (prefers-color-scheme: dark) { :root { --ink: #ece6f5; --soft: #b3a8c4; --ground: #17121f; --card: #221b2d; --line: #42364f; --accent: #b594ec; } }
* { box-sizing: border-box; }
body { margin: 0; padding: clamp(1rem, 6vh, 4rem) 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 32rem; margin: 0 auto 1rem; }
header { font-weight: 700; }
main { padding: 1.75rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--card); }
h1 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.25; }
fieldset { margin: 1.25rem 0; padding: 0.5rem 1rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; }
legend, h2 { font-size: 1rem; font-weight: 600; }
label { display: block; padding: 0.2rem 0 0.2rem 1.75rem; text-indent: -1.75rem; }
li { margin: 0.15rem 0; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
button { flex: 1 1 7rem; min-height: 2.9rem; border: 1px solid var(--accent); border-radius: 0.5rem; background: transparent; color: var(--accent); font: inherit; font-weight: 600; cursor: pointer; }
button.yes { background: var(--accent); color: var(--card); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
footer { font-size: 0.875rem; color: var(--soft); }
`;

const STYLE = raw(`<style>${CSS}</style>`);

/** Allows the style of these pages and no other, in a content security policy. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(CSS).digest('base64')}'`;

/** Allow or Deny. Works without scripts. */
export function consentPage(question: ConsentQuestion): Html {
  const { title, thing, place } = question;
  return page(
    title,
    `Allow ${question.appName}?`,
    html`<h1>${question.appName} wants to use your ${thing}</h1>
      <p>It asks for access to the ${place.kind} <strong>${place.name}</strong>, in your name.</p>
      <form method="post" action="${question.action}">
        <input type="hidden" name="number" value="${question.number}" />
        <fieldset>
          <legend>You are signed in as</legend>
          ${question.members.map(
            ({ id, name, email }, index) =>
              html`<label
                ><input type="radio" name="member" value="${id}" ${index === 0 ? 'checked' : ''} /> ${name}
                (${email})</label
              >`,
          )}
        </fieldset>
        <h2>It will be able to</h2>
        <ul>
          ${question.permissions.map((permission) => html`<li>${permission}</li>`)}
        </ul>
        <div class="buttons">
          <button name="answer" value="deny">Deny</button>
          <button name="answer" value="allow" class="yes">Allow</button>
        </div>
      </form>`,
    html`Afterwards you are sent back to <bdi>${question.returnHost}</bdi>.`,
  );
}

/** A current grant. */
export interface AllowedApp {
  /** Name of the provider, and number of the grant there. */
  provider: string;
  number: number;
  /** The thing that may be used. */
  thing: string;
  appName: string;
  memberName: string;
  /** Unix milliseconds. */
  grantedAt: number;
}

/**
 * The current grants, as a provider shows them in its settings; here a person can also expire tokens.
 *
 * @param grants newest first
 */
export function appsPage(grants: readonly AllowedApp[]): Html {
  return page(
    'Sandbox',
    'Apps',
    html`<h1>Apps that may use what is yours</h1>
      ${grants.length === 0 ? html`<p>None at the moment.</p>` : ''}
      ${grants.map(
        ({ provider, number, thing, appName, memberName, grantedAt }) =>
          html`<form method="post" action="/apps">
            <input type="hidden" name="provider" value="${provider}" />
            <input type="hidden" name="number" value="${number}" />
            <p>
              <strong>${appName}</strong> uses your ${thing}, allowed by ${memberName} on
              ${new Date(grantedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC
            </p>
            <div class="buttons">
              <button name="action" value="expire">Expire its access tokens</button>
              <button name="action" value="remove" class="yes">Remove access</button>
            </div>
          </form>`,
      )}`,
    'Access tokens that have expired can be renewed by the app; access that was removed cannot.',
  );
}

/** Page for a request that cannot be answered to the app, because it is not certain which app sent it. */
export function refusalPage(title: string, reason: string): Html {
  return page(
    title,
    'This cannot go on',
    html`<h1>This cannot go on</h1>
      <p>${reason}</p>
      <p>Nothing was allowed. Go back to the app and start again.</p>`,
    '',
  );
}

function page(header: string, title: string, content: Html, note: Html | string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · ${header}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        ${STYLE}
      </head>
      <body>
        <header>${header}</header>
        <main>${content}</main>
        <footer>${note} ${header} stands in for the real one. Everything in it is invented.</footer>
      </body>
    </html>`;
}
