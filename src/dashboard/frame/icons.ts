/** The icons of the dashboard: one sprite per page, and references to it. */
import { html, raw } from 'hono/html';
import type { Html } from './html.ts';

/** The strokes of each icon, in a square of 16. */
const STROKES = {
  home: '<path d="M2.5 7 8 2.5 13.5 7v6.5h-4V9.8h-3v3.7h-4z"/>',
  pulse: '<path d="M1.5 8.5h3l2-5 3 9 2-4h3"/>',
  log: '<path d="M3 2.5h7.5L13 5v8.5H3z"/><path d="M5.5 7h5M5.5 10h5"/>',
  key: '<circle cx="5.2" cy="10.8" r="2.7"/><path d="m7.2 8.8 6-6M11 5l1.8 1.8"/>',
  plug: '<path d="M5.5 2v3.5M10.5 2v3.5M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2.5"/>',
  link: '<path d="M6.5 9.5a2.8 2.8 0 0 0 4 0l2.3-2.3a2.8 2.8 0 0 0-4-4L8 4M9.5 6.5a2.8 2.8 0 0 0-4 0L3.2 8.8a2.8 2.8 0 0 0 4 4L8 12"/>',
  tool: '<path d="M9.7 6.3 3 13M10.5 2.2a3.4 3.4 0 0 0-1 5.3 3.4 3.4 0 0 0 4.3.6 3.4 3.4 0 0 0 .2-3.7l-2 2-2-.5-.5-2z"/>',
  box: '<rect x="2.5" y="2.5" width="11" height="4.5" rx="1"/><rect x="2.5" y="9" width="11" height="4.5" rx="1"/><path d="M5 4.8h.01M5 11.3h.01"/>',
  user: '<circle cx="8" cy="5.3" r="2.8"/><path d="M2.8 13.5c.6-2.7 2.6-4 5.2-4s4.600 1.300 5.2 4"/>',
  org: '<path d="M3 13.500V3h6v10.500M9 6.500h4v7M1.500 13.500h13M5 5.500h2M5 8.500h2M11 9.500h.01"/>',
  code: '<path d="m5.500 4.500-3.500 3.500 3.500 3.500M10.500 4.500l3.500 3.500-3.500 3.500"/>',
  shield:
    '<path d="M8 1.800 13.200 4v3.600c0 3.200-2 5.500-5.200 6.600-3.200-1.100-5.200-3.400-5.200-6.600V4z"/><path d="m5.800 8 1.600 1.600 2.900-3"/>',
  hook: '<path d="M2 5.500 8 9.500l6-4M2 3.500h12v9H2z"/>',
  gear: '<path d="M2.500 4.500h6M12 4.500h1.500M2.500 11.500H4M7.500 11.500h6"/><circle cx="10.200" cy="4.500" r="1.700"/><circle cx="5.800" cy="11.500" r="1.700"/>',
  find: '<circle cx="7" cy="7" r="4.500"/><path d="m10.500 10.500 3.500 3.500"/>',
  moon: '<path d="M13.500 9.600A5.800 5.800 0 0 1 6.400 2.500a5.800 5.800 0 1 0 7.100 7.100z"/>',
  help: '<circle cx="8" cy="8" r="6"/><path d="M6.200 6.300c.2-1 .9-1.600 1.900-1.600 1.100 0 1.900.7 1.900 1.600 0 1.300-1.900 1.500-1.900 2.800M8.100 11.400h.01"/>',
  down: '<path d="m4.500 6.500 3.500 3.500 3.500-3.500"/>',
  warn: '<path d="M8 2.200 14.300 13H1.700zM8 6.500v3M8 11.300h.01"/>',
  stop: '<circle cx="8" cy="8" r="6"/><path d="M8 4.800v3.800M8 11h.01"/>',
  copy: '<rect x="5.500" y="5.500" width="8" height="8" rx="1.500"/><path d="M10.500 3.500v-.2c0-.5-.4-.8-.8-.8H3.300c-.5 0-.8.300-.8.800v6.400c0 .4.300.8.800.8h.2"/>',
  x: '<path d="m4.500 4.500 7 7M11.500 4.500l-7 7"/>',
  plus: '<path d="M8 3.500v9M3.500 8h9"/>',
  play: '<path d="M5 3.200 12.500 8 5 12.800z"/>',
  menu: '<path d="M2.500 4.500h11M2.500 8h11M2.500 11.500h11"/>',
  out: '<path d="M6.500 2.500h-4v11h4M7 8h6.500M11 5.300 13.700 8 11 10.700"/>',
  ext: '<path d="M9 2.500h4.500V7M13.500 2.500 7.500 8.500M11.500 9.500v4h-9v-9h4"/>',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof STROKES;

/** Every icon, once per page; invisible. */
export const SPRITE = raw(
  `<svg width="0" height="0" class="hide" aria-hidden="true"><defs>${Object.entries(STROKES)
    .map(([name, strokes]) => `<symbol id="i-${name}" viewBox="0 0 16 16">${strokes}</symbol>`)
    .join('')}</defs></svg>`,
);

/** An icon. Screen readers skip it, so a text must stand next to it. */
export function icon(name: IconName, tone: '' | 'bad' | 'warn' = ''): Html {
  return html`<svg class="i ${tone}" aria-hidden="true"><use href="#i-${name}"></use></svg>`;
}
