/**
 * The pages of a refused authorization request. One is for refusals that cannot be sent to the client at all (unknown
 * client, foreign redirect URI, no cookie). From the other the user can go back to the client (held-refusals.ts).
 */
import type { ServerResponse } from 'node:http';
import { html } from 'hono/html';
import { destination } from './consent-page.ts';
import { layout } from '../frame/layout.ts';
import { messagePage } from '../frame/message-pages.ts';
import { pageHeaders } from '../frame/page-response.ts';
import type { Html } from '../words/html.ts';
import { viewFor, type ShownEnvironment, type View } from '../words/words.ts';

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
  environment: ShownEnvironment,
): Promise<string> {
  for (const [name, value] of Object.entries(pageHeaders(environment.brand))) res.setHeader(name, value);
  const view = viewFor(res.req.headers['accept-language'], environment);
  const words = view.words.consent;
  const message = words.problems[problem.error] ?? words.otherProblem;
  const page =
    wayBack === undefined
      ? messagePage(view, { title: words.problem, ...message })
      : pageWithWayBack(view, { ...problem, wayBack });
  return (await page).toString();
}

/**
 * The page with a link back to the client: the redirect that the client would have got. It is a plain link, not a
 * button, because the user should decide whether to follow it.
 */
function pageWithWayBack(view: View, { error, description, wayBack }: Required<Problem>): Html {
  const words = view.words.consent;
  const to = destination(view, wayBack);
  return layout(view, {
    title: words.problem,
    content: html`
      <h1>${words.problem}</h1>
      <p>${words.faults[error] ?? words.otherFault} ${words.nothingAllowed}</p>
      <dl>
        <div>
          <dt>${words.theApp}</dt>
          <dd><bdi>${to}</bdi><small>${words.uncheckedApp}</small></dd>
        </div>
        <div>
          <dt>${words.theError}</dt>
          <dd>
            <code>${error}</code>${description === '' ? '' : html`<small><bdi>${description}</bdi></small>`}
          </dd>
        </div>
      </dl>
      <div class="note">
        <p><strong>${words.didYouStart}</strong></p>
        <p>${words.closePage(to)}</p>
      </div>
      <p>${words.wayBack(wayBack, to)}</p>
    `,
  });
}
