/** The columns of idempotency_keys, as kysely sees them; see tables.ts. */

/** A call that was made under an idempotency key, and how it ended; kept for a day. */
export interface IdempotencyKeyTable {
  id: string;
  environment_id: string;
  /** The API credential that sent the key. With account and key unique in its environment. */
  actor: string;
  account_id: string;
  key_hash: string;
  /** Keyed hash of what is called with which input: a tool's name and its input, or a proxied request. */
  input_hash: string;
  /** `held`; `sent`: the provider may have seen it; `done`. */
  state: string;
  /** The process that makes the call; only it may store how it ended. */
  lease_owner: string | null;
  lease_until: number | null;
  /** How the call ended, sealed: its result, or the error it is answered with. */
  outcome_sealed: string | null;
  created_at: number;
}
