/** Shared parts of the forms for users: labeled inputs, hidden values, error messages. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../core/errors.ts';
import type { Html } from '../frame/layout.ts';

/** One input with its label. */
export interface Input {
  name: string;
  label: string;
  type: 'text' | 'email';
  /** Kind of value that browsers and password managers may fill in. @see HTML, section "Autofill" */
  autocomplete: string;
  hint?: string;
  value?: string;
  maxLength: number;
  isOptional?: boolean;
  /** A code, entered on a numeric keyboard. */
  isNumeric?: boolean;
}

/** @param violations of all fields of the form; those of this input are shown with it */
export function inputField(input: Input, violations: readonly FieldViolation[] = []): Html {
  const { name, label, type, autocomplete, hint, value = '', maxLength } = input;
  const problems = violations.filter((violation) => violation.field === name);
  const ids = [hint === undefined ? '' : `${name}-hint`, problems.length === 0 ? '' : `${name}-error`];
  const describedBy = ids.filter((id) => id !== '').join(' ');
  return html`<div class="field">
    <label for="${name}">${label}${input.isOptional === true ? html` <span>(optional)</span>` : ''}</label>
    ${hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${
      problems.length === 0
        ? ''
        : html`<p class="error" id="${name}-error">
            ${problems.map((problem) => problem.description).join(' ')}
          </p>`
    }
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      maxlength="${maxLength}"
      autocomplete="${autocomplete}"
      autocapitalize="off"
      spellcheck="false"
      ${input.isNumeric === true ? html`inputmode="numeric"` : ''}
      ${describedBy === '' ? '' : html`aria-describedby="${describedBy}"`}
      ${problems.length === 0 ? '' : html`aria-invalid="true"`}
      ${input.isOptional === true ? '' : 'required'}
    />
  </div>`;
}

/** Hidden inputs that carry values along. */
export function hidden(values: Readonly<Record<string, string>>): Html[] {
  return Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

/** A sentence above a form that says why it is shown again. Screen readers read it at once. */
export function alert(problem: string | undefined): Html | string {
  return problem === undefined ? '' : html`<div class="note problem" role="alert"><p>${problem}</p></div>`;
}
