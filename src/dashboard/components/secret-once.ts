/** The card that shows a secret once, right after it was made. */
import { html } from 'hono/html';
import type { Html, Text } from '../frame/html.ts';
import { frame as words } from '../words/frame.ts';
import { badge } from './badge.ts';
import { card, linkButton } from './card.ts';
import { copyableCode } from './code.ts';

/** A secret, with its purpose. Send the page as the answer to the POST, so that its address shows nothing later. */
export function secretOnce(secret: {
  /** Such as `Client secret of CI`. */
  title: string;
  value: string;
  /** Name of the variable in an .env file. */
  variable: string;
  /** Further blocks, such as a complete curl command. */
  more?: Text;
  /** Path of the button `I have stored it`. */
  next: string;
}): Html {
  const { title, value, variable, more, next } = secret;
  return card({
    id: 'secret',
    kind: 'once',
    title,
    action: badge('wait', words.secret.once),
    content: html`<p class="lead">${words.secret.lead}</p>
      ${copyableCode(words.secret.value, value)} ${copyableCode(words.secret.asLine, `${variable}=${value}`)}
      ${more ?? ''}
      <div class="buttons">${linkButton(next, words.secret.stored, 'primary')}</div>`,
  });
}
