/** The page before something is deleted or ended: what is removed, what stays, and a name to type for deletions. */
import { html } from 'hono/html';
import { violation, type FieldViolation } from '../../core/errors.ts';
import type { DashboardContext } from '../frame/dashboard-context.ts';
import type { Html, Text } from '../frame/html.ts';
import type { Page } from '../frame/layout.ts';
import { frame as words } from '../words/frame.ts';
import { card } from './card.ts';
import { buttons, field, form, hidden, problems, type Typed } from './form.ts';

/** Field with the typed name. */
const TYPED = 'typed_name';

/** A question before a change that cannot be undone. */
export interface Confirmation {
  title: string;
  crumbs?: Page['crumbs'];
  lead?: Text;
  goes: readonly Text[];
  stays?: readonly Text[];
  /** Name to type; absent if a click is enough. */
  name?: string;
  button: string;
  /** Path of the POST. */
  action: string;
  cancel: string;
  values?: Typed;
}

/** The page. @param violations of `wrongName` */
export function confirmPage(
  c: DashboardContext,
  asked: Confirmation,
  violations: readonly FieldViolation[] = [],
): Page {
  const { title, crumbs, lead, goes, stays = [], name, button, action, cancel } = asked;
  const label = words.confirm.typeName(name ?? '');
  return {
    title,
    ...(crumbs !== undefined && { crumbs }),
    ...(lead !== undefined && { lead }),
    hasProblems: violations.length > 0,
    content: html`${problems(violations, { [TYPED]: label })}
    ${card({
      id: 'confirm',
      kind: 'narrow',
      title: words.confirm.goes,
      content: form(
        c,
        action,
        html`${hidden(asked.values ?? {})}
          <div class="body">${list(goes)}</div>
          ${
            stays.length === 0
              ? ''
              : html`<div class="body">
                  <h3>${words.confirm.stays}</h3>
                  ${list(stays)}
                </div>`
          }
          ${name === undefined ? '' : field({ name: TYPED, label, input: { kind: 'text', maxLength: 300 } }, violations)}
          ${buttons(button, { kind: 'danger-solid', cancel: { href: cancel, label: words.confirm.cancel } })}`,
      ),
    })}`,
  };
}

/** Violations of the typed name; empty if it is right. */
export function wrongName(typed: Typed, name: string): readonly FieldViolation[] {
  if ((typed[TYPED] ?? '').trim() === name) return [];
  return [violation(TYPED, words.confirm.wrongName(name), 'mismatch')];
}

function list(sentences: readonly Text[]): Html {
  return html`<ul class="plain-list">
    ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
  </ul>`;
}
