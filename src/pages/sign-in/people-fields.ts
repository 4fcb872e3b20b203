/** Shared parts of the forms for users: labeled inputs, hidden values, error messages. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../core/errors.ts';
import { problemSummary } from '../frame/problem-summary.ts';
import type { Html, Text } from '../words/html.ts';
import type { Words } from '../words/words.ts';

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
  /** Whether it has the focus when the page opens without problems. */
  isFirst?: boolean;
}

/** @param violations of all fields of the form; those of this input are shown with it */
export function inputField(
  words: Words['signIn'],
  input: Input,
  violations: readonly FieldViolation[] = [],
): Html {
  const { name, label, type, autocomplete, hint, value = '', maxLength } = input;
  const problems = violations.filter((violation) => violation.field === name);
  const isFocused = input.isFirst === true && violations.length === 0;
  const ids = [hint === undefined ? '' : `${name}-hint`, problems.length === 0 ? '' : `${name}-error`];
  const describedBy = ids.filter((id) => id !== '').join(' ');
  return html`<div class="field">
    <label for="${name}"
      >${label}${input.isOptional === true ? html` <span>${words.optional}</span>` : ''}</label
    >
    ${hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${
      problems.length === 0
        ? ''
        : html`<p class="error" id="${name}-error">
            ${problems.map((problem) => inWords(words, problem)).join(' ')}
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
      ${isFocused ? 'autofocus' : ''}
    />
  </div>`;
}

/** Hidden inputs that carry values along. */
export function hidden(values: Readonly<Record<string, string>>): Html[] {
  return Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

/** The hidden field, also used as a query parameter, of a sign-in that has to be proven again. */
export function againField(isAgain: boolean): Record<string, string> {
  return isAgain ? { again: '1' } : {};
}

/** The problems of a form that is shown again, each with the label of its input. */
export function formProblems(
  words: Words['signIn'],
  violations: readonly FieldViolation[],
  labels: Readonly<Record<string, string>>,
): Text {
  return problemSummary(
    words.correctThis,
    violations.map((violation) => {
      const label = labels[violation.field];
      const text = inWords(words, violation);
      return label === undefined ? { text } : { text: `${label}: ${text}`, inputId: violation.field };
    }),
  );
}

function inWords(words: Words['signIn'], { constraint, description }: FieldViolation): string {
  return words.violations[constraint] ?? description;
}

/** A warning above a form. */
export function caution(sentence: string | undefined): Text {
  return sentence === undefined ? '' : html`<div class="note problem"><p>${sentence}</p></div>`;
}
