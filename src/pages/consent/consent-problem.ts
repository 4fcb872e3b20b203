/**
 * The pages of a refused authorization request. One is for refusals that cannot be sent to the client at all (unknown
 * client, foreign redirect URI, no cookie). From the other the user can go back to the client (held-refusals.ts).
 */
import type { ServerResponse } from 'node:http';
import { html } from 'hono/html';
import { destination } from './consent-page.ts';
import { layout, type Html } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import { pageHeaders } from '../frame/page-response.ts';

const TITLE = 'This app cannot be connected';

/** Messages for error codes of the library that users see; every other code is the client's fault. */
const WORDS: Readonly<Record<string, { what: string; next: string }>> = {
  invalid_client: {
    what: 'The app that sent you here is not known to this Gatehouse, or what it says about itself cannot be read.',
    next: 'Go back to the app and connect it again: it then registers anew.',
  },
  invalid_redirect_uri: {
    what: 'The app that sent you here wants you to be sent back to an address that it has not registered. Nothing was allowed.',
    next: 'Do not go on unless you know the app. If you do, tell whoever makes it.',
  },
  server_error: {
    what: 'Something went wrong here. Nothing was allowed.',
    next: 'Go back to the app and try again in a moment.',
  },
};

const OTHERWISE = {
  what: 'What the app that sent you here asked for is incomplete, or too old, or was begun in another browser. Nothing was allowed.',
  next: 'Go back to the app and start again, in this browser and with cookies allowed.',
};

/** Faults of a known app, by the error code sent to it. */
const FAULTS: Readonly<Record<string, string>> = {
  consent_required: 'It wanted access without anything being shown to you, which no app gets here.',
  invalid_scope: 'It asked for permissions that do not exist here.',
  invalid_target: 'It asked for access to an address that is none of this Gatehouse.',
  server_error: 'Something went wrong here, not in the app.',
};

const OTHER_FAULT = 'What it asked for is incomplete, or not in the form that is taken here.';

/** The library's data about a refusal. */
interface Problem {
  error: string;
  description: string;
  /** The client's registered redirect URI with the refusal; absent if nobody may be redirected there. */
  wayBack?: string;
}

/** @returns HTML; the headers are set, the status is the library's */
export async function consentProblemPage(
  res: ServerResponse,
  { wayBack, ...problem }: Problem,
): Promise<string> {
  for (const [name, value] of Object.entries(pageHeaders())) res.setHeader(name, value);
  const words = WORDS[problem.error] ?? OTHERWISE;
  const page =
    wayBack === undefined
      ? messagePage({ title: TITLE, ...words })
      : pageWithWayBack({ ...problem, wayBack });
  return (await page).toString();
}

/** The link is the redirect that the app would have got. Following it is the user's choice, so it is no button. */
function pageWithWayBack({ error, description, wayBack }: Required<Problem>): Html {
  const to = destination(wayBack);
  return layout({
    title: TITLE,
    content: html`
      <h1>${TITLE}</h1>
      <p>${FAULTS[error] ?? OTHER_FAULT} Nothing was allowed.</p>
      <dl>
        <div>
          <dt>The app</dt>
          <dd><bdi>${to}</bdi><small>Nobody has checked who is behind it.</small></dd>
        </div>
        <div>
          <dt>The error</dt>
          <dd>
            <code>${error}</code>${description === '' ? '' : html`<small><bdi>${description}</bdi></small>`}
          </dd>
        </div>
      </dl>
      <div class="note">
        <p><strong>Did you start this?</strong></p>
        <p>If not, or if you do not know who is behind <bdi>${to}</bdi>, close this page.</p>
      </div>
      <p>
        Otherwise <a href="${wayBack}" rel="nofollow noreferrer">go back to <bdi>${to}</bdi></a
        >, which is told what is wrong.
      </p>
    `,
  });
}
