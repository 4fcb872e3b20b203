/** Webhooks, their deliveries, and the secrets that sign them, as kysely sees them; see tables.ts. */
import type { AccountEventType } from '../../core/account-events.ts';
import type { DeliveryStatus, ManagedBy } from '../../core/stored-words.ts';
import type { Flag, Json } from './column-types.ts';

/** Where an environment's account events are sent. */
export interface WebhookTable {
  id: string;
  environment_id: string;
  /** Unique in its environment. */
  name: string;
  url: string;
  events: Json<readonly AccountEventType[]>;
  enabled: Flag;
  managed_by: Exclude<ManagedBy, 'catalog'>;
  created_at: number;
  updated_at: number;
}

/** One event on its way to one webhook: outbox and log in one. Written in the transaction of what it tells about. */
export interface WebhookDeliveryTable {
  id: string;
  environment_id: string;
  webhook_id: string;
  /** `evt_…`; the same for all webhooks of one event, and in every attempt. */
  event_id: string;
  event_type: AccountEventType;
  /** Sent byte for byte: text, although it is JSON. Holds no secret. */
  body: string;
  status: DeliveryStatus;
  /** Attempts with a known outcome, and the one under way. */
  attempts: number;
  /** While pending: when the next attempt is due; 0: at once, whatever a clock says. */
  next_attempt_at: number | null;
  /** While an attempt is under way: until when nobody else makes one to this webhook, should its process die. Tells attempts apart: one that was given up stores nothing. */
  taken_until: number | null;
  /** HTTP status of the last attempt; null: no answer. */
  last_status: number | null;
  last_failure: string | null;
  created_at: number;
  finished_at: number | null;
}

/** Secrets that sign what we send to webhooks and interceptors; of an environment the newest signs first. */
export interface SigningSecretTable {
  id: string;
  environment_id: string;
  secret_sealed: string;
  created_at: number;
  /** Set by rotation: from then on it no longer signs. */
  expires_at: number | null;
}
