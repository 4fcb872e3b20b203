/** Badges: a shape and a word, never color alone. Dot: works; ring: waits for a person; diamond: broken. */
import { html } from 'hono/html';
import type { AccountStatus } from '../../core/stored-words.ts';
import type { Html, Text } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';

/** State that a badge shows. */
export type Tone = 'ok' | 'wait' | 'bad' | 'idle' | 'info';

/** A badge. `flat` has no shape, for words that are not a state. */
export function badge(tone: Tone, word: Text, isFlat = false): Html {
  return html`<span class="badge ${tone} ${isFlat ? 'flat' : ''}">${word}</span>`;
}

/** A quiet label, such as the name of an app. */
export function tag(word: Text): Html {
  return html`<span class="tag">${word}</span>`;
}

const TONES: Readonly<Record<AccountStatus, Tone>> = {
  ACTIVE: 'ok',
  EXPIRED: 'bad',
  PENDING_AUTH: 'wait',
  PENDING_VERIFICATION: 'wait',
  DISCONNECTED: 'idle',
};

/** The status of a connected account. */
export function accountStatus(status: AccountStatus): Html {
  return badge(TONES[status], words.statuses[status]);
}

/** The first letter of an app in a colored square, instead of its logo. */
export function monogram(name: string): Html {
  const letter = /^./u.exec(name.trim())?.[0].toUpperCase() ?? '?';
  const shades = ['a', 'o', 'y', 's', 'e'];
  const shade = shades[(letter.codePointAt(0) ?? 0) % shades.length] ?? 'a';
  return html`<span class="tile ${shade}" aria-hidden="true">${letter}</span>`;
}
