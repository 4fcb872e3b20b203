/**
 * The state that a client carries between a question and the repeated call (2026-07-28, multi round-trip).
 *
 * It passes through the client, so it is signed, expires with the link, and belongs to one principal and to
 * one call. It grants no access: whether the account may be used is looked up again.
 */
import { createHash } from 'node:crypto';
import { createRequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '../core/caller.ts';

/** Facts about a question that are kept in the state. */
export interface ConnectState {
  connected_account_id: string;
  tool: string;
  /** Digest of the arguments, so that an answer cannot be moved to another call. */
  arguments: string;
}

/** Signs and checks states of one principal. */
export class RequestStates {
  readonly #key: Uint8Array;
  readonly #principal: string;

  /** @param key at least 32 bytes, the same in every process of the installation */
  constructor(key: Uint8Array, caller: Caller) {
    this.#key = key;
    this.#principal = JSON.stringify([
      caller.environmentId,
      caller.actor,
      caller.owner?.userId ?? '',
      caller.owner?.organizationId ?? '',
    ]);
  }

  /** @param ttlSeconds time until the state is refused */
  mint(state: unknown, ttlSeconds: number, ctx: ServerContext): Promise<string> {
    return this.#codec(Math.max(1, Math.floor(ttlSeconds))).mint(state, ctx);
  }

  /** @throws Error for a state not minted here for this principal, or expired */
  verify(text: string, ctx: ServerContext): Promise<unknown> {
    return this.#codec(1).verify(text, ctx);
  }

  #codec(ttlSeconds: number) {
    return createRequestStateCodec({ key: this.#key, ttlSeconds, bind: () => this.#principal });
  }
}

/** A digest that does not depend on the order of members, because clients may reorder them. */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, sorted(member)]);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
