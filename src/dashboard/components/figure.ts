/** Figures: one number with its unit, how it changed, and its course. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';

/** A number that somebody looks at every morning. */
export interface Figure {
  label: string;
  value: string;
  unit?: string;
  /** In words of direction; a tone only where up or down is good or bad. */
  change?: { text: string; tone: '' | 'good' | 'worse' } | undefined;
  /** A sentence instead of a course. */
  detail?: Text;
  drawing?: Text;
}

/** Up to four of them in a row. */
export function figures(all: readonly Figure[]): Html {
  return html`<div class="grid four">${all.map((figure) => shown(figure))}</div>`;
}

function shown({ label, value, unit, change, detail, drawing }: Figure): Html {
  return html`<section class="card kpi">
    <h2>${label}</h2>
    <p class="fig">
      <strong>${value}${unit === undefined ? '' : html`<small>${unit}</small>`}</strong>${
        change === undefined ? '' : html`<span class="delta ${change.tone}">${change.text}</span>`
      }
    </p>
    ${detail === undefined ? '' : html`<p class="sub">${detail}</p>`} ${drawing ?? ''}
  </section>`;
}
