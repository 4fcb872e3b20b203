/** Charts as SVG. Sizes are attributes, because the content security policy allows no inline style. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';
import { count } from './format.ts';

/** The series of every chart, in fixed order: works, waits for a person, broken. */
export const SERIES = ['ok', 'wait', 'bad'] as const;

/** One bar: three stacked values. */
export interface Bar {
  /** Under the axis; '' for none. */
  label: string;
  /** First cell of its row in the table. Default: the title. */
  name?: string;
  /** The values of the bar in words. */
  title: string;
  values: readonly [ok: number, wait: number, bad: number];
}

/** A stacked bar chart with its axis, and the same values as a table for people who cannot see the chart. */
export function barChart(chart: {
  says: string;
  bars: readonly Bar[];
  columns: readonly [string, string, string, string];
  /** Below the right end of the axis. */
  end?: string;
}): Html {
  const { says, bars, columns, end } = chart;
  const top = niceTop(Math.max(1, ...bars.map(({ values }) => values[0] + values[1] + values[2])));
  const steps = [1, 2 / 3, 1 / 3, 0];
  return html`<div class="chart">
    <div class="plot">
      <div class="y" aria-hidden="true">
        ${steps.map((step) => html`<span>${count(Math.round(top * step))}</span>`)}
      </div>
      <svg viewBox="0 0 ${bars.length * 10} 200" preserveAspectRatio="none" role="img" aria-label="${says}">
        ${steps.map((step) => {
          const y = (200 * (1 - step)).toFixed(1);
          return html`<line x1="0" x2="${bars.length * 10}" y1="${y}" y2="${y}"></line>`;
        })}
        ${bars.map((bar, index) => drawn(bar, index, top))}
      </svg>
      <div class="x" aria-hidden="true">
        ${bars.filter(({ label }) => label !== '').map(({ label }) => html`<span>${label}</span>`)}${end === undefined ? '' : html`<span>${end}</span>`}
      </div>
    </div>
    <details class="data">
      <summary>${words.showAsTable}</summary>
      <div class="scroll" tabindex="0" role="group" aria-label="${says}">
        <table>
          <thead>
            <tr>
              ${columns.map((column, index) => html`<th scope="col" class="${index === 0 ? '' : 'r'}">${column}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${bars.map(
              ({ name, title, values }) =>
                html`<tr>
                  <td class="num">${name ?? title}</td>
                  ${values.map((value) => html`<td class="r">${count(value)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </div>`;
}

function drawn({ title, values }: Bar, index: number, top: number): Html {
  const x = index * 10 + 1.3;
  let y = 200;
  return html`<g
    ><title>${title}</title>
    <rect class="hit" x="${index * 10}" y="0" width="10" height="200"></rect>${SERIES.map((series, at) => {
      const height = ((values[at] ?? 0) * 200) / top;
      y -= height;
      return height === 0
        ? ''
        : html`<rect
            class="f-${series}"
            x="${x}"
            y="${y.toFixed(2)}"
            width="7.4"
            height="${height.toFixed(2)}"
          ></rect>`;
    })}</g
  >`;
}

/** The next number that divides evenly into three. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const found = [0.3, 0.6, 0.9, 1.5, 3, 6, 9, 15].find((step) => step * power >= most) ?? 15;
  return Math.max(3, found * power);
}

/** The names of the series with their colors. */
export function legend(names: readonly [string, string, string]): Html {
  return html`<div class="legend">
    <span>${names[0]}</span><span class="w">${names[1]}</span><span class="b">${names[2]}</span>
  </div>`;
}

/**
 * A thin bar of three parts. The numbers stand next to it in words.
 * @param last fill of the third part
 */
export function meter(
  parts: readonly [ok: number, wait: number, bad: number],
  kind: 'meter' | 'stack' = 'meter',
  last: 'bad' | 'idle' = 'bad',
): Html {
  const whole = Math.max(1, parts[0] + parts[1] + parts[2]);
  let x = 0;
  return html`<svg class="${kind}" viewBox="0 0 ${whole} 1" preserveAspectRatio="none" aria-hidden="true">
    ${SERIES.map((series, at) => {
      const width = parts[at] ?? 0;
      x += width;
      return width === 0
        ? ''
        : html`<rect
            class="f-${series === 'bad' ? last : series}"
            x="${x - width}"
            width="${width}"
            height="1"
          ></rect>`;
    })}
    ${x === 0 ? html`<rect class="f-idle" width="1" height="1"></rect>` : ''}
  </svg>`;
}

/** A line without an axis below a figure; nothing for fewer than two values. */
export function sparkline(values: readonly number[], tone: 'ok' | 'bad' | 'grey'): Text {
  if (values.length < 2) return '';
  const most = Math.max(...values, 1) * 1.08;
  const points = values.map(
    (value, index) =>
      `${((index * 100) / (values.length - 1)).toFixed(1)},${(30 - (27 * value) / most).toFixed(1)}`,
  );
  return html`<svg class="spark ${tone}" viewBox="0 0 100 32" preserveAspectRatio="none" aria-hidden="true">
    <path class="area" d="M0,32 L${points.join(' L')} L100,32 Z"></path>
    <path d="M${points.join(' L')}"></path>
  </svg>`;
}
