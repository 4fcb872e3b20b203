/** Forms of tools that wait for a person: their differences from the approved form, and suspicious texts. */
import { html } from 'hono/html';
import type { FieldChange, ToolDiff } from '../../../upstream/operators/tool-forms.ts';
import { spelled } from '../../../upstream/definitions/plain-text.ts';
import { badge } from '../../components/badge.ts';
import { count, isolated } from '../../components/format.ts';
import { note, warnings } from '../../components/note.ts';
import type { Html, Text } from '../../frame/html.ts';
import { upstreams } from '../../words/upstreams.ts';
import { changedTexts, foreignText, seen, sizeOnPage } from './foreign-text.ts';

const words = upstreams.waiting;

/** Most fields that are shown. No form that can be published has more, because of the limits of schemas. */
const MAX_FIELDS = 2_500;

/** Size of one field in addition to its texts, in characters. */
const FIELD_SIZE = 200;

/** Puts forms that would replace an approved one first, because a working tool is held back. */
export function heldFirst(all: readonly ToolDiff[]): ToolDiff[] {
  return all.toSorted((one, other) => Number(other.state === 'held') - Number(one.state === 'held'));
}

/** Approximate number of characters that a form takes on a page. */
export function sizeOf({ changes }: ToolDiff): number {
  return changes
    .slice(0, MAX_FIELDS)
    .reduce((sum, { before, after }) => sum + FIELD_SIZE + sizeOnPage(before) + sizeOnPage(after), 0);
}

/**
 * The forms, each in a fold. Changed ones are open.
 *
 * @param above markup above a form, such as the inputs for the decision
 */
export function waitingForms(forms: readonly ToolDiff[], above: (form: ToolDiff) => Text = () => ''): Html {
  return html`<ul class="entries">
    ${forms.map(
      (form) =>
        html`<li>
          ${above(form)}
          <details ${form.state === 'held' ? 'open' : ''}>
            <summary>${summaryOf(form)}</summary>
            ${bodyOf(form)}
          </details>
        </li>`,
    )}
  </ul>`;
}

/** The name under which the tool would be published, or otherwise its name at the server. */
export function titleOf({ name, tool }: Pick<ToolDiff, 'name' | 'tool'>): Html {
  return isolated(name ?? spelled(tool));
}

function summaryOf({
  state,
  name,
  tool,
  effect,
  approved_effect: before,
  obstacle,
  findings,
}: ToolDiff): Html {
  return html`${badge(state === 'held' ? 'wait' : 'info', words.states[state])}
    <b>${titleOf({ name, tool })}</b>
    <small
      >${before === null || before === effect ? words.effect(effect) : words.otherEffect(before, effect)}</small
    >
    ${obstacle === null ? '' : badge('bad', words.blocked)}
    ${findings.length === 0 ? '' : badge('wait', words.striking(count(findings.length)))}`;
}

function bodyOf({ name, tool, obstacle, findings, changes, approved_hash: approved }: ToolDiff): Html {
  const isNew = approved === null;
  const more = changes.length - MAX_FIELDS;
  return html`${obstacle === null ? '' : note(words.obstacle(obstacle), 'bad')}
    ${name === null ? '' : html`<p class="under">${words.original(spelled(tool))}</p>`}
    ${
      findings.length === 0
        ? ''
        : html`<p class="under">${words.findings}</p>
            ${warnings(
              findings.map(
                ({ kind, field, shown }) =>
                  html`${words.finding(words.kinds[kind], seen(field))}: ${foreignText(shown)}`,
              ),
            )}`
    }
    ${changes.length === 0 ? html`<p class="under">${words.unchanged}</p>` : ''}
    <ul class="diff">
      ${changes.slice(0, MAX_FIELDS).map((change) => changeOf(change, isNew))}
    </ul>
    ${more > 0 ? html`<p class="under">${words.more(count(more))}</p>` : ''}`;
}

function changeOf({ field, before, after }: FieldChange, isNew: boolean): Html {
  const texts =
    before !== null && after !== null
      ? changedTexts(before, after)
      : { before: textOr(before), after: textOr(after) };
  return html`<li>
    <code class="foreign">${seen(field)}</code>
    ${isNew ? '' : html`<div><small>${words.approved}</small><del>${texts.before}</del></div>`}
    <div>${isNew ? '' : html`<small>${words.now}</small>`}<ins>${texts.after}</ins></div>
  </li>`;
}

function textOr(text: string | null): Text {
  return text === null ? words.nothing : foreignText(text);
}
