/**
 * The files of the dashboard: one style sheet and one script. Their names contain a hash of their content, and they
 * are compressed once.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { ADDED_STYLE } from './added-style.ts';
import { CARD_STYLE } from './card-style.ts';
import { FORM_STYLE } from './form-style.ts';
import { LAYOUT_STYLE } from './layout-style.ts';
import { SCREEN_STYLE } from './screen-style.ts';
import { SCRIPT } from './script.ts';
import { TABLE_STYLE } from './table-style.ts';
import { TOOL_STYLE } from './tool-style.ts';

/** A file as it is served. */
export interface Asset {
  path: string;
  contentType: string;
  plain: Buffer;
  gzipped: Buffer;
}

const FOLDER = '/dashboard/assets';

const STYLE = [LAYOUT_STYLE, CARD_STYLE, TABLE_STYLE, FORM_STYLE, ADDED_STYLE, TOOL_STYLE, SCREEN_STYLE].join(
  '',
);

/** htmx, read from its package so that its version is the one of package.json. */
const HTMX = readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'), 'utf8');

/** htmx without the reference to its source map, which developer tools would request in vain. */
const WITHOUT_SOURCE_MAP = HTMX.replace(/\n?\/\/# sourceMappingURL=\S*\s*$/, '');

function asset(extension: 'css' | 'js', contentType: string, text: string): Asset {
  const plain = Buffer.from(text);
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  return {
    path: `${FOLDER}/dashboard.${hash}.${extension}`,
    contentType,
    plain,
    gzipped: gzipSync(plain, { level: 9 }),
  };
}

/** Paths of the files, and the settings of htmx, for use in pages. */
export const ASSETS = {
  style: asset('css', 'text/css; charset=utf-8', STYLE),
  script: asset('js', 'text/javascript; charset=utf-8', `${WITHOUT_SOURCE_MAP}\n${SCRIPT}`),
  /** htmx must add no styles of its own, because the content security policy forbids them. */
  htmxConfig: JSON.stringify({ includeIndicatorCSS: false, history: false }),
  tabIcon: `data:image/svg+xml,${encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0f7a61" stroke-width="2.2" stroke-linecap="round"><path d="M4 21V10a8 8 0 0 1 16 0v11M2.5 21h19M8.5 21v-8.5a3.5 3.5 0 0 1 7 0V21"/></svg>',
  )}`,
};

/** The file at a path; `undefined` for any other path. */
export function assetAt(path: string): Asset | undefined {
  return [ASSETS.style, ASSETS.script].find((one) => one.path === path);
}
