/** Addresses in the hints of a catalog as links. Pure; only for text of the catalog, which the operator trusts. */
import { html } from 'hono/html';
import type { Html } from '../frame/layout.ts';

/** What stands after `https://` up to a space or a sign that no address holds as it is (RFC 3986 section 2). */
const ADDRESS = /(https:\/\/[^\s<>"'`{}|\\^]+)/;

/** The end of a sentence or of brackets, which is not part of the address. */
const ENDING = /[.,;:!?)\]]+$/;

/**
 * The text with its https addresses as links to another tab, so that the form stays open, without a referrer. What is
 * no address, or one with a name and a password in it, stays text.
 */
export function withLinks(hint: string): (Html | string)[] {
  return hint.split(ADDRESS).map((part) => {
    const address = part.replace(ENDING, '');
    const url = ADDRESS.test(part) && URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || url.username !== '' || url.password !== '') return part;
    const rest = part.slice(address.length);
    return html`<a href="${url.href}" target="_blank" rel="noopener noreferrer">${address}</a>${rest}`;
  });
}
