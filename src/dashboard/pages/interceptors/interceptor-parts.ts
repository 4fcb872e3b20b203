/** Parts of the pages of interceptors: the test, the log, and the latest decisions. */
import { html } from 'hono/html';
import type {
  InterceptorLogPage,
  InterceptorLogView,
  RecentDecisions,
} from '../../../interceptors/interceptor-log.ts';
import type { InterceptorTestView } from '../../../interceptors/interceptor-test.ts';
import { badge } from '../../components/badge.ts';
import { card, empty } from '../../components/card.ts';
import { meter } from '../../components/chart.ts';
import { codeBlock } from '../../components/code.ts';
import { ownFields } from '../../components/form.ts';
import { count, duration, time } from '../../components/format.ts';
import { note } from '../../components/note.ts';
import { paging } from '../../components/table.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Html, Text } from '../../frame/html.ts';
import { interceptors as words } from '../../words/interceptors.ts';

/** Path of the list. */
export const INTERCEPTORS = '/dashboard/interceptors';

/** Longest text that is shown. An answer may have 64 kB, and a page has many of them. */
const MAX_SHOWN = 4_000;

/** Path of one interceptor. */
export function interceptorPath({ id }: { id: string }): string {
  return `${INTERCEPTORS}/${encodeURIComponent(id)}`;
}

/** The decisions of the last 24 hours, as a bar and in words. */
export function decisionsOf({ allowed, denied, failed, isAtLeast }: RecentDecisions): Text {
  if (allowed + denied + failed === 0) return words.quiet;
  const sentence = words.day(count(allowed), count(denied), count(failed));
  return html`${meter([allowed, denied, failed])}
    <small>${isAtLeast ? words.latest(sentence) : sentence}</small>`;
}

/** The card of the Test action, with the outcome below its button. The script replaces the whole card. */
export function testPart(c: DashboardContext, id: string, tested?: InterceptorTestView): Html {
  const action = `${interceptorPath({ id })}/test`;
  const { test } = words;
  return html`<div class="part" id="test-part">
    ${card({
      id: 'test',
      title: test.heading,
      action: html`<form
        class="inline"
        method="post"
        action="${action}"
        hx-post="${action}"
        hx-target="#test-part"
        hx-swap="outerHTML"
        hx-disable="find button"
      >
        ${ownFields(c)}<button class="btn small" type="submit">
          ${tested === undefined ? test.run : test.again}
        </button>
      </form>`,
      content: html`<p class="body">${test.lead}</p>
        ${tested === undefined ? '' : outcome(tested)}`,
    })}
  </div>`;
}

function outcome({ request, response, failure, would }: InterceptorTestView): Html {
  const { test } = words;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return html`<div class="outcome" role="status">
      ${badge(would === 'allow' ? 'ok' : 'bad', test.would[would])}
      <span>${response === null ? test.noAnswer : test.status(response.status)}</span>
    </div>
    ${failure === null ? '' : note(test.failed(failure), 'bad')}
    ${sides(
      html`<h3>${test.request}</h3>
        ${codeBlock(test.headers, headers.join('\n'))} ${codeBlock(test.body, pretty(request.body))}`,
      answerOf(response),
    )}`;
}

/** @param of the log entry that the answer belongs to; '' for a test */
function answerOf(response: InterceptorLogView['response'], of = ''): Html {
  const { test, log } = words;
  if (response === null)
    return html`<h3>${test.answer}</h3>
      <p>${test.noAnswer}</p>`;
  const { status, body } = response;
  const text = body.length > MAX_SHOWN ? `${body.slice(0, MAX_SHOWN)}\n${log.cut(count(MAX_SHOWN))}` : body;
  return html`<h3>${test.answer}</h3>
    ${codeBlock(`${test.answer}, ${test.status(status)} ${of}`, text === '' ? log.noBody : indented(text))}`;
}

function sides(left: Html, right: Html): Html {
  return html`<div class="sides">
    <div>${left}</div>
    <div>${right}</div>
  </div>`;
}

/** The log: requests and answers, newest first. */
export function logCard(id: string, query: URLSearchParams, { logs, ...links }: InterceptorLogPage): Html {
  return card({
    id: 'log',
    title: words.log.heading,
    content:
      logs.length === 0
        ? empty(words.log.none)
        : html`<ul class="entries">
            ${logs.map((entry) => logEntry(entry))}
          </ul>`,
    foot: paging(interceptorPath({ id }), query, links),
  });
}

function logEntry({
  id,
  at,
  decision,
  failure,
  request,
  response,
  duration_ms: ms,
}: InterceptorLogView): Html {
  const tone = failure !== null ? 'bad' : decision === 'ALLOW' ? 'ok' : 'wait';
  return html`<li>
    <details id="${id}">
      <summary>
        ${time(at)} ${badge(tone, decision)}
        <small>${response === null ? words.test.noAnswer : words.test.status(response.status)}</small>
        <small>${duration(ms)}</small>
      </summary>
      ${failure === null ? '' : note(words.test.failed(failure), 'bad')}
      ${sides(
        html`<h3>${words.test.request}</h3>
          ${codeBlock(`${words.test.request}, ${id}`, pretty(request))}`,
        answerOf(response, id),
      )}
    </details>
  </li>`;
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** JSON with line breaks; any other text unchanged. */
function indented(text: string): string {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}
