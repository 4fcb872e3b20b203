/** Markup of pages. Values reach it only through the `html` tag, which escapes them. */
import type { html } from 'hono/html';

/** Markup made by the `html` tag; everything interpolated into it is escaped. */
export type Html = ReturnType<typeof html>;

/** Text with or without markup. */
export type Text = Html | string;
