/**
 * Sends one signed POST to an endpoint of the operator and reports the outcome. Repeats nothing, follows no
 * redirect, and never throws for a failure of the endpoint.
 *
 * The address policy of src/outbound decides which hosts it reaches: any public https host, and private hosts
 * that the operator has allowed.
 */
import type { Clock } from '../core/clock.ts';
import { OutboundFailure, type OutboundFailureKind } from '../outbound/outbound-failure.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { UnreadableSecret } from '../vault/vault.ts';
import { signedHeaders, type HeaderFamily } from './signing.ts';
import type { SigningSecrets } from './signing-secrets.ts';

/** Maximum size of an answer, unpacked. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** One POST of JSON. */
export interface SignedPost {
  environmentId: string;
  url: string;
  /** `evt_…` */
  id: string;
  body: string;
  families: readonly HeaderFamily[];
  /** Limit for the whole exchange. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Outcome of a POST. */
export interface PostOutcome {
  /** The request's headers that describe the message; empty if it could not be signed. */
  sent: Readonly<Record<string, string>>;
  /** True for a complete answer with a 2xx status. */
  isDelivered: boolean;
  /** Null if there was no complete answer. */
  status: number | null;
  body: Buffer | null;
  /** Content type of the answer; null without an answer or header. */
  contentType: string | null;
  /** A sentence of our own; null if it was delivered. */
  failure: string | null;
  kind: OutboundFailureKind | 'status' | 'signing_secret' | null;
}

interface SignedSenderDeps {
  outbound: Pick<Outbound, 'send'>;
  secrets: Pick<SigningSecrets, 'signing'>;
  clock: Clock;
}

export class SignedSender {
  readonly #deps: SignedSenderDeps;

  constructor(deps: SignedSenderDeps) {
    this.#deps = deps;
  }

  /** Signs and sends. @throws ServiceError UNAVAILABLE if the database cannot be read */
  async post({
    environmentId,
    url,
    id,
    body,
    families,
    timeoutMs,
    signal,
  }: SignedPost): Promise<PostOutcome> {
    let secrets: string[];
    try {
      secrets = await this.#deps.secrets.signing(environmentId);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      return failed({}, 'signing_secret', 'The signing secret cannot be opened. Rotate it.');
    }
    const message = { id, timestamp: Math.floor(this.#deps.clock.now() / 1_000), body };
    const sent = { 'content-type': 'application/json', ...signedHeaders(families, secrets, message) };
    try {
      const answer = await this.#deps.outbound.send({
        method: 'POST',
        url: new URL(url),
        headers: sent,
        body,
        headersTimeoutMs: timeoutMs,
        totalTimeoutMs: timeoutMs,
        maxResponseBytes: MAX_ANSWER_BYTES,
        // Interceptors have connections of their own: people wait for them, and a backlog of webhooks may be long.
        tenant: `${environmentId} ${families.join()}`,
        ...(signal !== undefined && { signal }),
      });
      const isDelivered = answer.status >= 200 && answer.status < 300;
      return {
        sent,
        isDelivered,
        status: answer.status,
        body: answer.body,
        contentType: answer.headers['content-type'] ?? null,
        failure: isDelivered ? null : refusalOf(answer.status),
        kind: isDelivered ? null : 'status',
      };
    } catch (error) {
      if (error instanceof OutboundFailure) return failed(sent, error.kind, error.message);
      throw error;
    }
  }
}

function failed(
  sent: PostOutcome['sent'],
  kind: OutboundFailureKind | 'signing_secret',
  failure: string,
): PostOutcome {
  return { sent, isDelivered: false, status: null, body: null, contentType: null, failure, kind };
}

function refusalOf(status: number): string {
  const redirected = status >= 300 && status < 400;
  return redirected
    ? `The endpoint answered ${status}. Redirects are not followed: enter the final address.`
    : `The endpoint answered ${status}.`;
}
