/** The form of a connect page: exactly the fields the connector declares, and the faults found in them. */
import { html } from 'hono/html';
import type { LinkPage } from '../../links/links.ts';
import type { CredentialField } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import { problemSummary, type Problem } from '../frame/problem-summary.ts';
import type { Html, Text } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { SHOW_SCRIPT, withShow } from './shown-secrets.ts';

/** A form that is shown again because of invalid fields. */
export interface RejectedForm {
  violations: readonly FieldViolation[];
  /** As entered; secret fields among them are never shown again. */
  entered: Readonly<Record<string, string>>;
}

/**
 * The problems, if any, and the form.
 *
 * @param options.isOwn the reader made the link themselves, and needs no warning of others
 * @param options.submit label of the button
 */
export function credentialForm(
  words: Words['connect'],
  { csrf, connectorTitle, fields }: LinkPage,
  { rejected, isOwn, submit }: { rejected?: RejectedForm | undefined; isOwn: boolean; submit: Text },
): Html {
  const translated = rejected && {
    ...rejected,
    violations: rejected.violations.map((violation) => {
      const field = fields.find(({ name }) => name === violation.field);
      return field === undefined
        ? violation
        : { ...violation, description: words.fieldProblem(violation, field, connectorTitle) };
    }),
  };
  return html`${problemSummary(words.correctThis, problemsOf(fields, translated))}
    <form method="post">
      <input type="hidden" name="csrf" value="${csrf}" />
      ${fields.map((field, index) => formField(words, field, index, translated))}
      ${hasMasked(fields) ? SHOW_SCRIPT.tag : ''} ${isOwn ? '' : warning(words, words.whatYouEnter)}
      <button type="submit">${submit}</button>
    </form>`;
}

/** The warning about links from others. @param what subject of the sentence about somebody else's agent */
export function warning(words: Words['connect'], what: string): Html {
  return html`<div class="note">
    <p><strong>${words.didYouAsk}</strong></p>
    <p>${words.warning(what)}</p>
  </div>`;
}

/** Ids of the inputs: from their position, because names are not ours to choose. */
function inputId(index: number): string {
  return `field-${index}`;
}

function formField(
  words: Words['connect'],
  field: CredentialField,
  index: number,
  rejected: RejectedForm | undefined,
): Html {
  const id = inputId(index);
  const problems = (rejected?.violations ?? []).filter((violation) => violation.field === field.name);
  const isInvalid = rejected !== undefined && problems.length > 0;
  const describedBy = [field.hint === undefined ? '' : `${id}-hint`, problems.length > 0 ? `${id}-error` : '']
    .filter((part) => part !== '')
    .join(' ');
  const kept = field.input === 'text' && rejected !== undefined ? enteredText(rejected, field.name) : '';
  const label = words.fromCatalog(field.label);
  return html`<div class="field">
    <label for="${id}">${label}${field.required ? '' : html` <span>${words.optional}</span>`}</label>
    ${field.hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${words.fromCatalog(withLinks(field.hint))}</p>`}
    ${
      problems.length === 0
        ? ''
        : html`<p class="error" id="${id}-error">
            ${problems.map((problem) => problem.description).join(' ')}
          </p>`
    }
    ${control(words, field, { id, value: kept, describedBy, isInvalid })}
  </div>`;
}

/** Whether the form has a masked field. */
export function hasMasked(fields: readonly CredentialField[]): boolean {
  return fields.some(({ input, choices }) => input !== 'text' && choices === undefined);
}

/** The input element: one line, several lines, or a choice. Only text that is not secret is shown again. */
function control(
  words: Words['connect'],
  { name, input, choices, example, required }: CredentialField,
  {
    id,
    value,
    describedBy,
    isInvalid,
  }: { id: string; value: string; describedBy: string; isInvalid: boolean },
): Html {
  const state = html`${describedBy === '' ? '' : html`aria-describedby="${describedBy}"`}
  ${isInvalid ? html`aria-invalid="true"` : ''} ${required ? 'required' : ''}`;
  if (choices !== undefined)
    return html`<select id="${id}" name="${name}" ${state}>
      <option value="">${words.choose}</option>
      ${choices.map(
        (choice) => html`<option value="${choice}" ${choice === value ? 'selected' : ''}>${choice}</option>`,
      )}
    </select>`;
  const placeholder = example === undefined ? '' : html`placeholder="${example}"`;
  const plain = html`autocomplete="off" autocapitalize="off" spellcheck="false"`;
  // A browser drops the first line break after the tag. That is harmless, because the element has no value.
  if (input === 'multiline')
    return withShow(
      words,
      html`<textarea
        id="${id}"
        name="${name}"
        rows="6"
        class="mask"
        ${placeholder}
        ${plain}
        ${state}
      ></textarea>`,
    );
  const line = html`<input
    id="${id}"
    name="${name}"
    type="${input}"
    value="${value}"
    ${placeholder}
    ${plain}
    ${state}
  />`;
  return input === 'password' ? withShow(words, line) : line;
}

/** The problems of the whole form, each with its input. */
function problemsOf(fields: readonly CredentialField[], rejected: RejectedForm | undefined): Problem[] {
  return (rejected?.violations ?? []).map(({ field, description: text }) => {
    const index = fields.findIndex(({ name }) => name === field);
    return { text, inputId: index < 0 ? undefined : inputId(index) };
  });
}

function enteredText(rejected: RejectedForm, name: string): string {
  return Object.hasOwn(rejected.entered, name) ? (rejected.entered[name] ?? '') : '';
}

/** An `https://` address up to a space or a character that no address contains unescaped (RFC 3986 section 2). */
const ADDRESS = /(https:\/\/[^\s<>"'`{}|\\^]+)/;

/** The end of a sentence or of brackets, which does not belong to the address. */
const ENDING = /[.,;:!?)\]]+$/;

/**
 * The text with its https addresses as links to another tab, so that the form stays open, without a referrer.
 * Invalid addresses, and those with a name and a password, stay text. Only for text of the catalog, which the
 * operator trusts.
 */
function withLinks(hint: string): (Html | string)[] {
  return hint.split(ADDRESS).map((part) => {
    const address = part.replace(ENDING, '');
    const url = ADDRESS.test(part) && URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || url.username !== '' || url.password !== '') return part;
    const rest = part.slice(address.length);
    return html`<a href="${url.href}" target="_blank" rel="noopener noreferrer">${address}</a>${rest}`;
  });
}
