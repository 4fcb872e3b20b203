/**
 * The ten steps of a call, and how far it came. A record stores no step, so the steps are derived from the outcome,
 * the error code, the answer of the provider and the number of requests. If that leaves several steps possible, the
 * card says so.
 */
import { html } from 'hono/html';
import type { ExecutionDetails } from '../../../executor/execution-list.ts';
import { badge } from '../../components/badge.ts';
import { card } from '../../components/card.ts';
import { duration } from '../../components/format.ts';
import type { Html, Text } from '../../frame/html.ts';
import { calls } from '../../words/calls.ts';
import { isWaiting } from './outcome.ts';

const words = calls.one.steps;

/** Numbers of steps, from one, as in src/executor/executor.ts. */
const ACTIVE = 4;
const RATE = 5;
const CREDENTIAL = 6;
const REQUEST = 7;
const SEND = 8;
const SHAPE = 9;
const RECORD = 10;

type Ending = Pick<ExecutionDetails, 'status' | 'error_code' | 'provider_status' | 'attempts'>;

/** First and last of the steps in which a call may have ended early; `undefined` if it completed. */
export function endOf({
  status,
  error_code: code,
  provider_status: answer,
  attempts,
}: Ending): [number, number] | undefined {
  if (status === 'ok') return undefined;
  if (attempts === null) return [ACTIVE, SHAPE];
  const isRefused = answer !== null && answer >= 400;
  if (attempts > 0) return [SEND, isRefused || isWaiting(code) ? SEND : SHAPE];
  if (code === 'RATE_LIMITED') return [RATE, RATE];
  return [ACTIVE, isWaiting(code) ? CREDENTIAL : REQUEST];
}

/** The card with all ten steps. */
export function stepsCard(call: ExecutionDetails): Html {
  const end = endOf(call);
  return card({
    id: 'steps',
    title: words.title,
    content: html`<ol>
      ${words.names.map((name, index) => step(call, { number: index + 1, name, end }))}
    </ol>`,
  });
}

function step(
  call: ExecutionDetails,
  { number, name, end }: { number: number; name: string; end: [number, number] | undefined },
): Html {
  const [first, last] = end ?? [RECORD, RECORD];
  const isDone = number < first || number === RECORD;
  const isEnd = end !== undefined && !isDone && number <= last;
  return html`<li class="tick ${isDone ? 'done' : ''}">
    <span class="mark" aria-hidden="true">${isDone ? '✓' : String(number)}</span>
    <span><b>${name}</b></span>
    ${isEnd ? ending(call, first === last) : isDone ? noted(call, number) : html`<span class="soft">${words.notReached}</span>`}
  </li>`;
}

function ending({ error_code: code }: ExecutionDetails, isSure: boolean): Html {
  if (!isSure) return html`<span class="soft">${words.mayHaveEnded}</span>`;
  return badge(isWaiting(code) ? 'wait' : 'bad', words.ended);
}

/** The recorded detail of a completed step. */
function noted({ refreshed, provider_ms: provider }: ExecutionDetails, number: number): Text {
  if (number === CREDENTIAL && refreshed === true) return html`<span class="soft">${words.renewed}</span>`;
  return number === SEND && provider !== null
    ? html`<b class="num">${duration(provider)}</b>`
    : html`<span class="soft">${words.done}</span>`;
}
