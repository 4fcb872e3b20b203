/** Forms: hidden fields, problems, fields with label, hint and error, buttons. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../core/errors.ts';
import { formMark } from '../../pages/frame/spent-forms.ts';
import type { DashboardContext } from '../frame/dashboard-context.ts';
import type { Html, Text } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';

/** What was typed, by field; `''` for what was not. */
export type Typed = Readonly<Record<string, string>>;

/** A form that is sent to one of our own paths, and carried out once however often it is sent. */
export function form(c: DashboardContext, action: string, content: Text, kind = ''): Html {
  return html`<form class="${kind}" method="post" action="${action}">${ownFields(c)} ${content}</form>`;
}

/** The hidden fields of every form; `PostedForms` requires them. */
export function ownFields(c: DashboardContext): Html {
  return html`<input type="hidden" name="csrf" value="${c.get('csrf')}" /><input
      type="hidden"
      name="once"
      value="${formMark(c.get('shownAt'))}"
    />`;
}

/** A button that changes something at once, as a form of its own. */
export function actionButton(
  c: DashboardContext,
  action: string,
  label: Text,
  options: { kind?: string; values?: Typed } = {},
): Html {
  return form(
    c,
    action,
    html`${hidden(options.values ?? {})}<button class="btn ${options.kind ?? ''}" type="submit">
        ${label}
      </button>`,
    'inline',
  );
}

/** Values that are carried along. */
export function hidden(values: Typed): Html[] {
  return Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

/** Marks a field that takes the focus, as `takesFocus` does for other elements. */
export function focusMark(isPart: boolean): Html {
  return isPart ? html`data-focus` : html`autofocus`;
}

/**
 * Attribute of the element that takes the focus: when the page loads, or through our script when htmx inserts a
 * part into a loaded page.
 */
export function takesFocus(isPart: boolean): Html {
  return html`tabindex="-1" ${focusMark(isPart)}`;
}

/**
 * The problems of a form that is shown again, each with a link to its field. The heading takes the focus.
 *
 * @param isPart htmx inserts it into the page
 */
export function problems(
  violations: readonly FieldViolation[],
  labels: Readonly<Record<string, string>>,
  isPart = false,
): Text {
  if (violations.length === 0) return '';
  return html`<div class="problems">
    <h2 ${takesFocus(isPart)}>${words.correctThis}</h2>
    <ul>
      ${violations.map(({ field, description }) => {
        const known = Object.keys(labels).find((name) => isAbout(field, name));
        return known === undefined
          ? html`<li>${field === '' ? '' : `${field}: `}${description}</li>`
          : html`<li><a href="#${inputId(known)}">${labels[known]}: ${description}</a></li>`;
      })}
    </ul>
  </div>`;
}

/** The reason why a button had no effect. Problems name no field, because nothing was entered. */
export function refusal(violations: readonly FieldViolation[]): Text {
  return problems(
    violations.map((one) => ({ ...one, field: '' })),
    {},
  );
}

/** One labeled input. */
export interface Field {
  /** Name in the form, and of the field in violations. */
  name: string;
  label: string;
  /** Type in small monospaced letters, such as `integer`. */
  type?: string;
  hint?: Text;
  isOptional?: boolean;
  /** `secret` is never shown again after a problem. */
  input?:
    | { kind: 'text' | 'email' | 'url' | 'number' | 'secret'; maxLength?: number; placeholder?: string }
    | { kind: 'lines'; rows?: number; maxLength?: number }
    | { kind: 'select'; choices: readonly { value: string; label: string }[] };
  /** Value in a newly opened form. A form that is shown again has the entered value. */
  value?: string;
  /** `focusMark`, for the field that takes the focus. */
  focus?: Html | undefined;
}

/** A field with its problems above its input. */
export function field(given: Field, violations: readonly FieldViolation[] = []): Html {
  const { name, label, type, hint, isOptional = false } = given;
  const id = inputId(name);
  const own = violations.filter((violation) => isAbout(violation.field, name));
  const describedBy = [hint === undefined ? '' : `${id}-hint`, own.length === 0 ? '' : `${id}-wrong`].filter(
    Boolean,
  );
  const attributes = html`id="${id}" name="${name}" ${own.length === 0 ? '' : html`aria-invalid="true"`}
  ${describedBy.length === 0 ? '' : html`aria-describedby="${describedBy.join(' ')}"`}
  ${isOptional ? '' : 'required'} ${given.focus ?? ''}`;
  return html`<div class="field">
    <div class="top">
      <label for="${id}">${label}</label
      >${type === undefined ? '' : html`<span class="type">${type}</span>`}${
        isOptional ? html`<span class="opt">${words.optional}</span>` : ''
      }
    </div>
    ${own.length === 0 ? '' : html`<p class="wrong" id="${id}-wrong">${own.map(({ description }) => description).join(' ')}</p>`}
    ${control(given, attributes)}
    ${hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

function control({ input = { kind: 'text' }, value = '' }: Field, attributes: Html): Html {
  switch (input.kind) {
    case 'select':
      return html`<select ${attributes}>
        ${input.choices.map((choice) => html`<option value="${choice.value}" ${choice.value === value ? 'selected' : ''}>${choice.label}</option>`)}
      </select>`;
    case 'lines':
      return html`<textarea
        ${attributes}
        rows="${input.rows ?? 5}"
        maxlength="${input.maxLength ?? 20_000}"
        spellcheck="false"
      >
${value}</textarea>`;
    case 'secret':
      // The button appears only with the script, which also sets its label.
      return html`<span class="masked"
        ><input
          class="input"
          ${attributes}
          type="password"
          maxlength="${input.maxLength ?? 4_000}"
          autocomplete="off"
          spellcheck="false"
        /><button class="btn small" type="button" data-show="${words.show}" data-hide="${words.hide}" hidden>
          ${words.show}
        </button></span
      >`;
    case 'number':
      return html`<input
        class="input num"
        ${attributes}
        type="text"
        inputmode="numeric"
        value="${value}"
        maxlength="${input.maxLength ?? 20}"
        placeholder="${input.placeholder ?? ''}"
        autocomplete="off"
      />`;
    default:
      return html`<input
        class="input"
        ${attributes}
        type="${input.kind}"
        value="${value}"
        maxlength="${input.maxLength ?? 1_000}"
        placeholder="${input.placeholder ?? ''}"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
      />`;
  }
}

/** Several tick boxes with one name. Read them with `Posted.all`. */
export function checks(
  group: {
    name: string;
    label: string;
    hint?: Text;
    choices: readonly { value: string; label: Text; detail?: Text }[];
    ticked: readonly string[];
  },
  violations: readonly FieldViolation[] = [],
): Html {
  const { name, choices, ticked } = group;
  return fieldset(
    group,
    html`<div class="checks">
      ${choices.map(
        (choice) =>
          html`<label
            ><input
              type="checkbox"
              name="${name}"
              value="${choice.value}"
              ${ticked.includes(choice.value) ? 'checked' : ''}
            /><span
              >${choice.label}${choice.detail === undefined ? '' : html`<small>${choice.detail}</small>`}</span
            ></label
          >`,
      )}
    </div>`,
    violations.filter((violation) => isAbout(violation.field, name)),
  );
}

/** Several inputs under one label. @param own problems that are shown here */
export function fieldset(
  { name, label, type, hint }: Pick<Field, 'name' | 'label' | 'type' | 'hint'>,
  content: Html,
  own: readonly FieldViolation[],
): Html {
  return html`<fieldset class="field" id="${inputId(name)}" tabindex="-1">
    <legend>${label}${type === undefined ? '' : html` <span class="type">${type}</span>`}</legend>
    ${own.length === 0 ? '' : html`<p class="wrong">${own.map(({ description }) => description).join(' ')}</p>`}
    ${hint === undefined ? '' : html`<p class="hint">${hint}</p>`} ${content}
  </fieldset>`;
}

/** One tick box; its value is `true`. */
export function check(box: { name: string; label: Text; detail?: Text; isTicked: boolean }): Html {
  return html`<div class="field">
    <label class="check" for="${inputId(box.name)}"
      ><input
        id="${inputId(box.name)}"
        type="checkbox"
        name="${box.name}"
        value="true"
        ${box.isTicked ? 'checked' : ''}
      /><span>${box.label}${box.detail === undefined ? '' : html`<small>${box.detail}</small>`}</span></label
    >
  </div>`;
}

/** The end of a form: its button, and a link to leave it. */
export function buttons(
  submit: Text,
  options: { kind?: 'primary' | 'danger-solid'; cancel?: { href: string; label: string } } = {},
): Html {
  const { kind = 'primary', cancel } = options;
  return html`<div class="buttons">
    <button class="btn ${kind}" type="submit">${submit}</button>
    ${cancel === undefined ? '' : html`<a class="btn plain" href="${cancel.href}">${cancel.label}</a>`}
  </div>`;
}

/** Whether a violation is about a field or something inside it: `urls[0]` is about `urls`. */
function isAbout(violated: string, name: string): boolean {
  return violated === name || violated.startsWith(`${name}.`) || violated.startsWith(`${name}[`);
}

function inputId(name: string): string {
  return `f-${name.replaceAll(/[^\w-]/g, '-')}`;
}
