/** Webhooks, their deliveries, and the secrets that sign messages, as kysely sees them; see tables.ts. */
import type { WebhookEventType } from '../../core/webhook-events.ts';
import type { DeliveryStatus, ManagedBy } from '../../core/stored-words.ts';
import type { Flag, Json, ReadForm } from './column-types.ts';

/** An endpoint that receives events of an environment. */
export interface WebhookTable {
  id: string;
  environment_id: string;
  /** Unique in its environment. */
  name: string;
  url: string;
  events: Json<readonly WebhookEventType[]>;
  enabled: Flag;
  managed_by: Exclude<ManagedBy, 'catalog'>;
  created_at: number;
  updated_at: number;
}

/** A webhook as read. */
export type Webhook = ReadForm<WebhookTable>;

/**
 * One event on its way to one webhook: outbox and log in one. Written in the transaction of the change it
 * describes.
 */
export interface WebhookDeliveryTable {
  id: string;
  environment_id: string;
  webhook_id: string;
  /** `evt_…`; the same for all webhooks of one event, and in every attempt. */
  event_id: string;
  event_type: WebhookEventType;
  /**
   * The account of the event, or the connection of a remote MCP server: its events keep their order. null in rows of
   * programs that did not write it.
   */
  account_id: string | null;
  /** Sent byte for byte: text, although it is JSON. Holds no secret. */
  body: string;
  status: DeliveryStatus;
  /** Attempts with a known outcome, plus the running one. */
  attempts: number;
  /**
   * While pending: time of the next attempt; 0 means at once, whatever a clock says. A delivery behind another one of
   * its account is put off until that one has ended.
   */
  next_attempt_at: number | null;
  /**
   * While an attempt runs: time until which no other process makes it, in case this process dies. It also identifies
   * the attempt: one that was given up stores nothing.
   */
  taken_until: number | null;
  /** HTTP status of the last attempt; null if there was no answer. */
  last_status: number | null;
  last_failure: string | null;
  created_at: number;
  finished_at: number | null;
}

/** A delivery as read. */
export type WebhookDelivery = ReadForm<WebhookDeliveryTable>;

/** Secrets that sign messages to webhooks and interceptors. The newest one of an environment signs first. */
export interface SigningSecretTable {
  id: string;
  environment_id: string;
  secret_sealed: string;
  created_at: number;
  /** Set by rotation: the secret does not sign after this time. */
  expires_at: number | null;
}

/** A signing secret as read. */
export type SigningSecret = ReadForm<SigningSecretTable>;
