/** The card with the answer of a trial: its outcome, times and costs, and four views of it. */
import { html } from 'hono/html';
import { keysOf } from '../../../core/json.ts';
import type { ShownRequest } from '../../../executor/call/dry-run.ts';
import { badge } from '../../components/badge.ts';
import { facts } from '../../components/card.ts';
import { codeBlock, copyable } from '../../components/code.ts';
import { count, duration } from '../../components/format.ts';
import { note } from '../../components/note.ts';
import { table } from '../../components/table.ts';
import type { Html, Text } from '../../frame/html.ts';
import { tools as words } from '../../words/tools.ts';
import type { TrialOutcome } from './outcome.ts';
import { factsOf, recordsOf } from './records.ts';
import { tokensOf } from './tool-cost.ts';

/** Longest code that a page shows, in characters. */
const MAX_CODE = 200_000;

type Answered = Extract<TrialOutcome, { kind: 'answered' }>;

type Views = Partial<Record<'table' | 'error' | 'json' | 'request' | 'agent', Html>>;

/** The card. A call that has to be confirmed shows `confirmation` in it. */
export function resultCard(outcome: TrialOutcome, confirmation?: Html): Html {
  const views = viewsOf(outcome);
  return html`<section class="card trial" id="result" aria-labelledby="out" aria-live="polite">
    <header>
      <h2 id="out">${words.result.title}</h2>
      ${Object.keys(views).length > 1 ? choice(views) : ''}
    </header>
    ${confirmation ?? html`${outcomeLine(outcome)} ${panes(views)}`}
  </section>`;
}

function viewsOf(outcome: TrialOutcome): Views {
  switch (outcome.kind) {
    case 'none':
      return {};
    case 'dry':
      return { request: requestView(outcome.request) };
    case 'answered':
      return {
        table: tableView(outcome.data),
        json: code(words.result.views.json, JSON.stringify(outcome.data, null, 2)),
        request: requestView(outcome.request ?? null),
        agent: agentView(outcome.agent),
      };
    case 'refused':
  }
  return {
    error: refusalView(outcome),
    ...(outcome.request !== undefined && { request: requestView(outcome.request) }),
    ...(outcome.agent.length > 0 && { agent: agentView(outcome.agent) }),
  };
}

function choice(views: Views): Html {
  const names = keysOf(views);
  return html`<div class="seg" role="radiogroup" aria-label="${words.result.as}">
    ${names.map(
      (name, index) =>
        html`<label
          ><input
            type="radio"
            name="view"
            id="v-${name}"
            ${index === 0 ? 'checked' : ''}
          />${words.result.views[name]}</label
        >`,
    )}
  </div>`;
}

/** A single view is always visible; of several only the chosen one. */
function panes(views: Views): Html {
  const all = Object.entries(views);
  return html`${all.map(([name, view]) => html`<div class="pane p-${name} ${all.length === 1 ? 'alone' : ''}">${view}</div>`)}`;
}

function outcomeLine(outcome: TrialOutcome): Text {
  switch (outcome.kind) {
    case 'none':
      return html`<p class="empty">${words.result.none}</p>`;
    case 'dry':
      return html`<div class="outcome">${badge('info', words.result.dry)}<span>${outcome.note}</span></div>`;
    case 'refused':
      return html`<div class="outcome">
        ${badge('bad', words.result.refused)}<code>${outcome.error.code}</code>
      </div>`;
    case 'answered':
  }
  const { data, executionId, times, warnings } = outcome;
  const text = JSON.stringify(data);
  const taken = times === undefined ? '' : html`<span>${timesText(times)}</span>`;
  return html`<div class="outcome">
      ${badge('ok', words.result.answered)}${taken}<span
        >${words.result.bytes(count(Buffer.byteLength(text)))}</span
      ><span title="${words.result.tokensTitle}"><b>${count(tokensOf(text))}</b> ${words.result.tokens}</span
      ><a class="link" href="/dashboard/calls/${executionId}">${words.result.execution}</a>
    </div>
    ${warnings.map((warning) => note(warning, 'wait'))}`;
}

function timesText({ wholeMs, providerMs }: NonNullable<Answered['times']>): string {
  const whole = words.result.times(duration(wholeMs));
  return providerMs === null ? whole : `${whole}, ${words.result.provider(duration(providerMs))}`;
}

function tableView(data: unknown): Html {
  if (data === null) return html`<p class="empty">${words.result.empty}</p>`;
  const found = recordsOf(data);
  if (found === undefined) return factsView(data);
  const columns = found.fields.map((label, index) => ({
    label,
    cell: (row: readonly string[]) => row[index] ?? '',
    ...(index > 1 && { leftOutOn: 'phone' as const }),
  }));
  const isCut = found.rows.length < found.records;
  return html`${table(words.result.records, columns, found.rows)}
    <div class="foot">
      <span
        >${words.result.shown(found.records, found.fields.length, found.allFields)}${isCut ? `. ${words.result.cut(found.rows.length)}` : ''}</span
      >
    </div>`;
}

function factsView(data: unknown): Html {
  const named = factsOf(data);
  if (named === undefined || named.length === 0) return html`<p class="empty">${words.result.noTable}</p>`;
  return facts(named.map(([label, value]) => ({ label, value })));
}

function refusalView({ error }: Extract<TrialOutcome, { kind: 'refused' }>): Html {
  const { authorization_link: link, tool_error: said } = error.details;
  return facts([
    { label: words.result.code, value: html`<code>${error.code}</code>` },
    { label: words.result.message, value: error.message },
    ...(said === undefined
      ? []
      : [{ label: words.result.said, value: code(words.result.said, JSON.stringify(said, null, 2)) }]),
    ...(typeof link === 'string'
      ? [{ label: words.result.link, value: copyable(link, words.result.link), hint: words.result.linkHint }]
      : []),
  ]);
}

function requestView(request: ShownRequest | null): Html {
  if (request === null) return html`<p class="empty">${words.result.noRequest}</p>`;
  const { method, url, headers, body } = request;
  const lines = [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', typeof body === 'string' ? body : JSON.stringify(body, null, 2)]),
  ];
  return code(words.result.views.request, lines.join('\n'));
}

function agentView(texts: readonly string[]): Html {
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
  return html`${note(words.result.agentNote(count(tokens)))}
  ${texts.map((text, index) => code(words.result.agentText(index + 1), text))}`;
}

function code(label: string, text: string): Html {
  if (text.length <= MAX_CODE) return codeBlock(label, text);
  return html`${codeBlock(label, text.slice(0, MAX_CODE))}
    <p class="foot">${words.result.tooLong}</p>`;
}
