/** The list of problems above a form that is shown again. */
import { html } from 'hono/html';
import type { Text } from '../words/html.ts';

/** One problem and the input that it is about. */
export interface Problem {
  text: string;
  /** Id of the input; absent for a problem of the form as a whole. */
  inputId?: string | undefined;
}

/** Empty without problems. The heading takes the focus, so that screen readers begin there; each line links to its input. */
export function problemSummary(heading: string, problems: readonly Problem[]): Text {
  if (problems.length === 0) return '';
  return html`<div class="note problem">
    <h2 tabindex="-1" autofocus>${heading}</h2>
    <ul>
      ${problems.map(({ text, inputId }) =>
        inputId === undefined ? html`<li>${text}</li>` : html`<li><a href="#${inputId}">${text}</a></li>`,
      )}
    </ul>
  </div>`;
}
