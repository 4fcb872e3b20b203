/** The form of a connect page: exactly the fields the connector declares, and the faults found in them. */
import { html } from 'hono/html';
import type { LinkPage } from '../../links/links.ts';
import type { CredentialField } from '../../catalog/model/types.ts';
import type { FieldViolation } from '../../core/errors.ts';
import type { Html } from '../frame/layout.ts';

/** A form that is shown again because of invalid fields. */
export interface RejectedForm {
  violations: readonly FieldViolation[];
  /** As entered; secret fields among them are never shown again. */
  entered: Readonly<Record<string, string>>;
}

/**
 * The problems, if any, and the form.
 *
 * @param submit label of the button
 */
export function credentialForm(
  { csrf, fields }: LinkPage,
  rejected: RejectedForm | undefined,
  submit: Html | string,
): Html {
  return html`${rejected === undefined ? '' : problemSummary(fields, rejected.violations)}
    <form method="post">
      <input type="hidden" name="csrf" value="${csrf}" />
      ${fields.map((field, index) => formField(field, index, rejected))} ${warning('what you enter')}
      <button type="submit">${submit}</button>
    </form>`;
}

/** @param what subject of the sentence about somebody else's agent */
export function warning(what: string): Html {
  return html`<div class="note">
    <p><strong>Did you ask for this?</strong></p>
    <p>If the link reached you unexpectedly, close this page: ${what} would serve somebody else's agent.</p>
  </div>`;
}

/** Ids of the inputs: from their position, because names are not ours to choose. */
function inputId(index: number): string {
  return `field-${index}`;
}

function formField(field: CredentialField, index: number, rejected: RejectedForm | undefined): Html {
  const id = inputId(index);
  const problems = (rejected?.violations ?? []).filter((violation) => violation.field === field.name);
  const isInvalid = rejected !== undefined && problems.length > 0;
  const describedBy = [field.hint === undefined ? '' : `${id}-hint`, problems.length > 0 ? `${id}-error` : '']
    .filter((part) => part !== '')
    .join(' ');
  const kept = field.input === 'text' && rejected !== undefined ? enteredText(rejected, field.name) : '';
  return html`<div class="field">
    <label for="${id}">${field.label}${field.required ? '' : html` <span>(optional)</span>`}</label>
    ${field.hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${withLinks(field.hint)}</p>`}
    ${
      problems.length === 0
        ? ''
        : html`<p class="error" id="${id}-error">
            ${problems.map((problem) => problem.description).join(' ')}
          </p>`
    }
    <input
      id="${id}"
      name="${field.name}"
      type="${field.input}"
      value="${kept}"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      ${describedBy === '' ? '' : html`aria-describedby="${describedBy}"`}
      ${isInvalid ? html`aria-invalid="true"` : ''}
      ${field.required ? 'required' : ''}
    />
  </div>`;
}

function enteredText(rejected: RejectedForm, name: string): string {
  return Object.hasOwn(rejected.entered, name) ? (rejected.entered[name] ?? '') : '';
}

/** The problems, above the form: screen readers announce them at once, and each line links to its field. */
function problemSummary(fields: readonly CredentialField[], violations: readonly FieldViolation[]): Html {
  return html`<div class="note problem" role="alert">
    <p><strong>Nothing was stored.</strong> Please look at this again:</p>
    <ul>
      ${violations.map((violation) => {
        const index = fields.findIndex((field) => field.name === violation.field);
        return html`<li>
          ${
            index < 0
              ? violation.description
              : html`<a href="#${inputId(index)}">${violation.description}</a>`
          }
        </li>`;
      })}
    </ul>
  </div>`;
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
