/** Filters of a list: a form that is sent by GET, so that the address can be passed on. */
import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';

/** One filter: choices, or a text. */
export interface Filter {
  name: string;
  label: string;
  /** Choices; the first is everything, with the value ''. Absent: a text. */
  choices?: readonly { value: string; label: string }[];
  /** Of a text. */
  type?: 'text' | 'search' | 'datetime-local';
  placeholder?: string;
}

/** More fields than these are behind a line on phones. */
const FEW = 3;

/** What says how a list is shown, and filters nothing. */
const SHOWING = new Set(['live', 'sort', 'page_token']);

/** Whether something filters the list, also what has no field in its form. */
export function isFiltered(query: URLSearchParams): boolean {
  return [...query].some(([name, value]) => !SHOWING.has(name) && value !== '');
}

/** The form, filled from the query; `Clear filters` only where something filters. */
export function filters(path: string, query: URLSearchParams, fields: readonly Filter[]): Html {
  const form = html`<form class="filters" method="get" action="${path}">
    ${fields.map((field) => html`<label><span>${field.label}</span>${control(field, query.get(field.name) ?? '')}</label>`)}
    <span class="acts"
      ><button class="btn" type="submit">${words.filter}</button>${
        isFiltered(query) ? html`<a class="link" href="${path}">${words.clearFilters}</a>` : ''
      }</span
    >
  </form>`;
  if (fields.length <= FEW) return form;
  return html`<details class="filter-box" ${isFiltered(query) ? 'open' : ''}>
    <summary>${words.filters}</summary>
    ${form}
  </details>`;
}

function control({ name, choices, type = 'text', placeholder = '' }: Filter, value: string): Html {
  // A browser would drop an invalid time, and the person could not see what is wrong.
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) || value === '';
  if (choices === undefined)
    return html`<input
      class="input"
      type="${type === 'datetime-local' && !isTime ? 'text' : type}"
      name="${name}"
      value="${value}"
      maxlength="200"
      placeholder="${placeholder}"
      ${type === 'datetime-local' ? html`step="60"` : ''}
    />`;
  return html`<select name="${name}">
    ${choices.map(
      (choice) =>
        html`<option value="${choice.value}" ${choice.value === value ? 'selected' : ''}>
          ${choice.label}
        </option>`,
    )}
  </select>`;
}

/** Links that choose one of few, such as a period. */
export function segmented(
  label: string,
  choices: readonly { label: string; href: string; isCurrent: boolean }[],
): Html {
  return html`<nav class="seg" aria-label="${label}">
    ${choices.map((choice) => html`<a href="${choice.href}" ${choice.isCurrent ? html`aria-current="true"` : ''}>${choice.label}</a>`)}
  </nav>`;
}
