/**
 * A failed provider call, as callers see it: one sentence of our own that says what happened and what to do.
 * The provider's text is data in `details.tool_error`.
 */
import { ServiceError } from '../core/errors.ts';
import type { AdviceRule } from './failure-advice.ts';
import type { OutboundFailureKind } from './outbound-failure.ts';
import type { Effect } from './retry.ts';
import { connectText, tlsText, type Unreached } from './unreachable.ts';

/**
 * `details.tool_error` of a TOOL_ERROR (docs/contract.md#8-errors). Texts of the provider are capped and
 * contain no live secret.
 */
export interface ToolError {
  /** The provider's own code, otherwise a code of ours: `HTTP_503`, `PROVIDER_TIMEOUT`, … */
  code: string;
  /** The provider's own message; null if it sent none. */
  message: string | null;
  /** Null if there was no answer. */
  provider_status: number | null;
  /** The answer's JSON, or its shortened text. */
  provider_body: unknown;
  /** Seconds. */
  retry_after: number | null;
  /** Scopes that would allow the call; filled in by code that knows the tool. */
  required_scopes: readonly string[] | null;
  /** Null outside a tool call, when a credential was renewed to be read. */
  execution_id: string | null;
}

/** Advice for refused input, if the reason is in the details, and below if it is next to the message. */
const SEE_REASON = 'See tool_error for its reason, correct the input and call again.';
const CORRECT = 'Correct the input and call again.';

/** A message for a reader who has the reason before it, and no details. */
function besideReason(message: string): string {
  return message
    .replace(SEE_REASON, CORRECT)
    .replaceAll(/(\. )?tool_error\.message/g, (_, stop?: string) =>
      stop === undefined ? 'the answer above' : '. The answer above',
    );
}

/** TOOL_ERROR with typed details, for rules that depend on the provider's status. */
export class ProviderFailure extends ServiceError {
  readonly toolError: ToolError;
  /** The answer's `WWW-Authenticate`, for rules that need to know what was refused; not shown. */
  readonly challenge: string | undefined;

  /** @param more details added by code that knows the account */
  constructor(
    message: string,
    status: number,
    toolError: ToolError,
    more: {
      details?: Record<string, unknown>;
      cause?: unknown;
      challenge?: string | undefined;
    } = {},
  ) {
    super('TOOL_ERROR', message, {
      status,
      cause: more.cause,
      details: { tool_error: toolError, ...more.details },
      shortMessage: besideReason(message),
      retryAfterSeconds: toolError.retry_after ?? undefined,
    });
    this.toolError = toolError;
    this.challenge = more.challenge;
  }
}

/**
 * `tool_error.code` if a token could not be renewed: the status is that of the token endpoint, not of an
 * answer to the call.
 */
export const RENEWAL_FAILED = 'TOKEN_REFRESH_FAILED';

/** `tool_error.code` of a 2xx answer that says that the credential is no longer valid. */
export const CREDENTIAL_REFUSED = 'CREDENTIAL_REFUSED';

/** The provider's name and the effect of the call, to word the message. */
export interface FailureContext {
  /** The provider's name for people. */
  title: string;
  effect: Effect;
}

/** Provider statuses that callers get unchanged; every other one becomes 502 (docs/contract.md#8-errors). */
const PASSED_STATUSES: ReadonlySet<number> = new Set([403, 404, 409, 429]);

/** @param isConflict whether the connector names the provider's code as a conflict */
export function statusFor(providerStatus: number, isConflict: boolean): number {
  if (isConflict) return 409;
  return PASSED_STATUSES.has(providerStatus) ? providerStatus : 502;
}

/** The sentences for an answer that its connector explains. @param retryAfter seconds, if known */
export function adviceSentence(
  { title, effect }: FailureContext,
  status: number,
  retryAfter: number | null,
  { says, retry, resets_daily_in: timeZone }: AdviceRule,
): string {
  const unknown = status >= 500 ? unknownOutcome(effect) : '';
  const parts = [`${title} answered ${status}: ${says}${unknown}`];
  if (timeZone !== undefined && retryAfter !== null)
    parts.push(`That is in ${timeLeft(retryAfter)}. Do not repeat the call before then.`);
  if (retry) parts.push(`Try again ${later(retryAfter)}.`);
  return parts.join(' ');
}

function later(seconds: number | null): string {
  if (seconds === null) return 'a little later';
  return seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`;
}

function timeLeft(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The sentence for a refused credential, with any status. */
export function refusedSentence({ title }: FailureContext, status: number): string {
  return `${title} refused the credential of this account (${status}). Call once more; if it is refused again, the answer says how to connect the account again.`;
}

/** The sentence for an answer other than 2xx. */
export function answerSentence(
  context: FailureContext,
  status: number,
  retryAfter: number | null,
  isConflict: boolean,
): string {
  const { title, effect } = context;
  const when = later(retryAfter);
  if (isConflict || status === 409) {
    return `${title} reports a conflict with something that exists already (${status}). Look it up, or change the input.`;
  }
  if (status === 401) return refusedSentence(context, status);
  if (status === 402)
    return `${title} requires payment or more credits for this call (402). Check the plan of the account there.`;
  if (status === 403) {
    return `${title} does not allow this account to do this (403). Check its permissions there; repeating the call will not help.`;
  }
  if (status === 404 || status === 410) {
    return `${title} has nothing at this address (${status}). Check the ids in the input.`;
  }
  if (status === 429)
    return `${title} accepts no more calls from this account for now (429). Try again ${when}.`;
  if (status >= 300 && status < 400) {
    return `${title} answered with a redirect (${status}), which is not followed. Check the address of the connection.`;
  }
  if (status < 500) {
    return `${title} rejected the request (${status}). ${SEE_REASON}`;
  }
  return `${title} failed while handling the request (${status}).${unknownOutcome(effect)} Try again ${when}.`;
}

/**
 * Reasons why there is no usable answer. An unwritable request is the caller's mistake and not a transport
 * problem.
 */
export type TransportProblem = Exclude<OutboundFailureKind, 'invalid_request'> | 'unreadable';

const TRANSPORT: Readonly<
  Record<TransportProblem, { code: string; text: string | ((unreached: Unreached | undefined) => string) }>
> = {
  refused_address: {
    code: 'ADDRESS_REFUSED',
    text: 'has an address that outbound calls may not reach. The operator can allow it with GATEHOUSE_ALLOW_PRIVATE_HOSTS.',
  },
  connect: { code: 'PROVIDER_UNREACHABLE', text: connectText },
  tls: { code: 'PROVIDER_CERTIFICATE', text: tlsText },
  timeout: { code: 'PROVIDER_TIMEOUT', text: 'did not answer in time.' },
  aborted: { code: 'CANCELLED', text: 'did not answer before the call was canceled.' },
  reset: { code: 'PROVIDER_CONNECTION_LOST', text: 'broke the connection before its answer was complete.' },
  bad_response: { code: 'PROVIDER_ANSWER_UNREADABLE', text: 'answered with something that is not HTTP.' },
  bad_encoding: {
    code: 'PROVIDER_ANSWER_UNREADABLE',
    text: 'sent a compressed answer that cannot be unpacked.',
  },
  too_large: {
    code: 'PROVIDER_ANSWER_TOO_LARGE',
    text: 'sent an answer larger than allowed. Ask for less, for example a smaller page.',
  },
  unreadable: {
    code: 'PROVIDER_ANSWER_UNREADABLE',
    text: 'answered with something other than JSON, perhaps a page of a gateway in between.',
  },
};

/**
 * Our code and sentence for a call without a usable answer. @param unreached the host called, if no
 * connection was established
 */
export function transportFailure(
  { title, effect }: FailureContext,
  kind: TransportProblem,
  sent: boolean,
  unreached?: Unreached,
): { code: string; sentence: string } {
  const { code, text } = TRANSPORT[kind];
  const happened = typeof text === 'string' ? text : text(unreached);
  return { code, sentence: `${title} ${happened}${sent ? unknownOutcome(effect) : ''}` };
}

/** Warns the caller if a request was sent and its outcome is unknown. */
function unknownOutcome(effect: Effect): string {
  return effect === 'read' ? '' : ' It is not known whether the change was made: check before repeating it.';
}
