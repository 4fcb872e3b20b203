/** Tables that limit calls and remember their outcomes, as kysely sees them; see tables.ts. */

/** Calls counted in the current minute; keys begin with the environment's id. */
export interface RateWindowTable {
  key: string;
  points: number;
  /** End of the window. */
  expire: number;
}

/** A call under an idempotency key, and its outcome; kept for a day. */
export interface IdempotencyKeyTable {
  id: string;
  environment_id: string;
  /** The API credential that sent the key. Unique in its environment together with account and key. */
  actor: string;
  account_id: string;
  key_hash: string;
  /** Keyed hash of the call: a tool's name and its input, or a proxied request. */
  input_hash: string;
  /** `sent`: the provider may have seen it. */
  state: 'held' | 'sent' | 'done';
  /** The process that makes the call; only this process may store the outcome. */
  lease_owner: string | null;
  lease_until: number | null;
  /** The sealed outcome of the call: its result, or the error of its answer. */
  outcome_sealed: string | null;
  created_at: number;
}
