/** The operator's brand on pages: the stylesheet with its accent color, and the address of its logo. */
import { createHash } from 'node:crypto';
import type { Brand, Logo } from '../../core/environment.ts';
import { accentStyle } from './accent.ts';
import { STYLESHEET } from './stylesheet.ts';

/** A stylesheet and its source expression for the policy's `style-src`, which allows this text only. */
export interface PageStyle {
  text: string;
  source: string;
}

/** Stylesheets by accent. There are at most as many as environments. */
const styles = new Map<string, PageStyle>();

/** The one stylesheet of all pages of a brand. */
export function styleOf({ accent = '' }: Brand = {}): PageStyle {
  const known = styles.get(accent);
  if (known !== undefined) return known;
  const text = STYLESHEET + (accent === '' ? '' : accentStyle(accent));
  const source = `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const style = { text, source };
  styles.set(accent, style);
  return style;
}

const ENDINGS = { 'image/png': 'png', 'image/svg+xml': 'svg' } as const;

/** Addresses by logo. Logos are read once, at start. */
const paths = new WeakMap<Logo, string>();

/** The address of a logo. It changes with the picture, so browsers may keep it. */
export function logoPath(logo: Logo): string {
  const known = paths.get(logo);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(logo.bytes).digest('hex').slice(0, 16);
  const path = `/brand/logo-${hash}.${ENDINGS[logo.mediaType]}`;
  paths.set(logo, path);
  return path;
}
