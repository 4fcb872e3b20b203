/** Markup in words and pages. Values reach it only through the `html` tag, which escapes them. */
import { html } from 'hono/html';

/** Markup made by the `html` tag; everything interpolated into it is escaped. */
export type Html = ReturnType<typeof html>;

/** Words with or without markup. */
export type Text = Html | string;

/** Allows line breaks in host names and addresses after their dots and slashes. */
export function breakable(name: string): Html[] {
  return name
    .split(/(?<=[./@])(?=[^./@])/)
    .map((part, index) => html`${index === 0 ? '' : html`<wbr />`}${part}`);
}
