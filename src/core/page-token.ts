/**
 * Opaque page tokens of keyset paging.
 *
 * A token says where the next page starts and which filters it belongs to. It is authenticated, so a changed
 * or foreign token is a 400 and never another tenant's page.
 */
import { createHash, createHmac } from 'node:crypto';
import { invalidField } from './errors.ts';
import { isSameText } from './same-text.ts';

/** Start of a page: after (`next`) or before (`prev`) the row with this creation time and id. */
export interface PagePosition {
  direction: 'next' | 'prev';
  createdAt: number;
  id: string;
  /** In lists in order of identifiers. */
  identifier?: string | undefined;
}

type TokenBody = [
  direction: PagePosition['direction'],
  createdAt: number,
  id: string,
  bound: string,
  identifier: string | null,
];

/** Makes and reads page tokens. */
export class PageTokens {
  readonly #key: Buffer;

  /** @param key at least 32 bytes, the same in every process of the installation */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param filters everything that selects the list (environment, route, filters), in any JSON shape */
  encode(position: PagePosition, filters: unknown): string {
    const { direction, createdAt, id, identifier } = position;
    const body = JSON.stringify([direction, createdAt, id, digest(filters), identifier]);
    return Buffer.from(`${this.#sign(body)}${body}`).toString('base64url');
  }

  /** @throws ServiceError INVALID_ARGUMENT on `page_token` for anything this installation did not issue for these filters */
  decode(token: string, filters: unknown): PagePosition {
    const text = Buffer.from(token, 'base64url').toString('utf8');
    const body = text.slice(22);
    if (isSameText(text.slice(0, 22), this.#sign(body))) {
      const [direction, createdAt, id, bound, identifier] = JSON.parse(body) as TokenBody;
      if (bound === digest(filters)) return { direction, createdAt, id, identifier: identifier ?? undefined };
    }
    throw invalidField(
      'page_token',
      'This page token does not belong to this list. Start again without page_token, with the filters you want.',
      'page_token',
    );
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#key).update(body).digest('base64url').slice(0, 22);
  }
}

function digest(filters: unknown): string {
  return createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 16);
}
