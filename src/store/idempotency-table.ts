/** The columns of idempotency_keys, as kysely sees them; see tables.ts. */

/** A call that was made under an idempotency key, and how it ended; kept for a day. */
export interface IdempotencyKeyTable {
  id: string;
  environment_id: string;
  /** The API credential that sent the key. With account and key unique in its environment. */
  actor: string;
  account_id: string;
  key_hash: string;
  /** Hash of the tool's name and its input. */
  input_hash: string;
  /** `held`; `sent`: the provider may have seen it; `done`. */
  state: string;
  /** The process that makes the call; only it may store how it ended. */
  lease_owner: string | null;
  lease_until: number | null;
  /** Status and body of the answer. */
  outcome_sealed: string | null;
  created_at: number;
}
