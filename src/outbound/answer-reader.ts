/**
 * Turns a provider's answer into a result or a failure. Only a 2xx answer with JSON or an empty body is a
 * success. The provider's text is data: capped, and without live secrets.
 */
import { invalidField, type ServiceError } from '../core/errors.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { fits, type AnswerCondition } from './answer-condition.ts';
import { isAmong } from './error-code.ts';
import { adviceFor, secondsToMidnight, type AdviceRule } from './failure-advice.ts';
import { parseJsonAnswer, textAt, UnreadableAnswer } from './json-answer.ts';
import type { OutboundFailureKind } from './outbound-failure.ts';
import type { OutboundResponse } from './outbound.ts';
import {
  adviceSentence,
  answerSentence,
  CREDENTIAL_REFUSED,
  ProviderFailure,
  refusedSentence,
  statusFor,
  transportFailure,
  type FailureContext,
  type ToolError,
  type TransportProblem,
} from './provider-failure.ts';
import { SecretScrubber } from './secret-scrubber.ts';
import type { Unreached } from './unreachable.ts';

/** Maximum length of a provider's body in an error, in characters. */
const MAX_BODY_CHARACTERS = 4_000;

/** Maximum length of a provider's message in an error, in characters. */
const MAX_MESSAGE_CHARACTERS = 1_000;

/** Tells where a provider's error bodies hold message and code, and which codes are conflicts. */
export interface ErrorRules {
  /** Dotted paths tried in order, e.g. `error.message`. */
  message: readonly string[];
  code: readonly string[];
  /** Codes that mean a conflict. */
  conflicts: readonly string[];
  /** Codes that mean that the credential is refused, with any status. */
  reconnect_codes?: readonly string[];
  /** Conditions under which a 2xx answer means that the credential is refused. */
  refused_answer?: AnswerCondition | readonly AnswerCondition[];
  /** Conditions under which a 2xx answer means that the call has failed, for a reason given by message and code. */
  failed_answer?: AnswerCondition | readonly AnswerCondition[];
  /** Meanings of answers; the first rule that matches counts. */
  advice?: readonly AdviceRule[];
}

/** A 2xx answer. */
export interface ProviderAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Null for an empty body; the body itself if text was requested. */
  json: unknown;
}

/** Reads the answers of one call. */
export class AnswerReader {
  readonly #context: FailureContext;
  readonly #errors: ErrorRules;
  readonly #executionId: string;
  readonly #scrubber: SecretScrubber;
  readonly #clock: Clock;

  /** @param secrets credentials in the request; masked in all text from the provider */
  constructor(
    context: FailureContext,
    errors: ErrorRules,
    executionId: string,
    secrets: readonly string[],
    clock: Clock = systemClock,
  ) {
    this.#clock = clock;
    this.#context = context;
    this.#errors = errors;
    this.#executionId = executionId;
    this.#scrubber = new SecretScrubber(secrets);
  }

  /**
   * @param retryAfterMs time from the answer's `Retry-After`
   * @param wanted `text`: a 2xx need not be JSON
   * @throws ProviderFailure for every status except 2xx, and for a 2xx that is not JSON, refuses the credential
   * or tells a failure
   */
  read(response: OutboundResponse, retryAfterMs: number | undefined, wanted?: 'text'): ProviderAnswer {
    const text = this.#scrubber.scrub(response.body.toString('utf8'));
    if (response.status < 200 || response.status > 299) throw this.#refusal(response, text, retryAfterMs);
    const json = wanted === 'text' ? text : this.#parsed(response.status, text);
    const failure = wanted === 'text' ? undefined : this.#failureIn(json, response, text, retryAfterMs);
    if (failure !== undefined) throw failure;
    return { status: response.status, headers: this.#cleanHeaders(response.headers), json };
  }

  #parsed(status: number, text: string): unknown {
    try {
      return parseJsonAnswer(text);
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
      throw this.#failure('unreadable', true, {
        provider_status: status,
        provider_body: cut(text, MAX_BODY_CHARACTERS),
      });
    }
  }

  /** The failure that a 2xx answer tells, if its connector says how. */
  #failureIn(
    json: unknown,
    response: OutboundResponse,
    text: string,
    retryAfterMs: number | undefined,
  ): ProviderFailure | undefined {
    const { refused_answer: refused, failed_answer: failed } = this.#errors;
    if (refused !== undefined && fits(refused, json)) return this.#refusedCredential(response.status, json);
    return failed !== undefined && fits(failed, json)
      ? this.#refusal(response, text, retryAfterMs)
      : undefined;
  }

  #refusedCredential(status: number, json: unknown): ProviderFailure {
    const toolError = this.#toolError({
      code: CREDENTIAL_REFUSED,
      provider_status: status,
      provider_body: json,
    });
    return new ProviderFailure(refusedSentence(this.#context, status), 502, toolError);
  }

  /** Removes live secrets from an answer that is passed on. */
  clean(response: OutboundResponse): OutboundResponse {
    return {
      status: response.status,
      headers: this.#cleanHeaders(response.headers),
      body: this.#scrubber.scrubBytes(response.body),
    };
  }

  /**
   * The failure that a tool would report for such an answer; `undefined` for a status below 400, unless a 2xx
   * tells one.
   */
  failureOf(response: OutboundResponse, retryAfterMs: number | undefined): ProviderFailure | undefined {
    const { status, body } = response;
    const { refused_answer: refused, failed_answer: failed } = this.#errors;
    const mayTell = status <= 299 && (refused !== undefined || failed !== undefined);
    if (status < 400 && !mayTell) return undefined;
    const text = this.#scrubber.scrub(body.toString('utf8'));
    if (status >= 400) return this.#refusal(response, text, retryAfterMs);
    return this.#failureIn(readIfJson(text), response, text, retryAfterMs);
  }

  /** The failure of a call that got no answer. */
  failure(kind: OutboundFailureKind, sent: boolean, unreached?: Unreached): ServiceError {
    if (kind !== 'invalid_request') return this.#failure(kind, sent, {}, unreached);
    return invalidField(
      'tool_input',
      'A value cannot be sent as part of an HTTP request. Remove line breaks, control characters and characters outside Latin-1 from values that become headers.',
      'http',
    );
  }

  #failure(
    kind: TransportProblem,
    sent: boolean,
    seen: Partial<ToolError>,
    unreached?: Unreached,
  ): ProviderFailure {
    const { code, sentence } = transportFailure(this.#context, kind, sent, unreached);
    return new ProviderFailure(sentence, kind === 'timeout' ? 504 : 502, this.#toolError({ code, ...seen }));
  }

  #refusal(
    { status, headers }: OutboundResponse,
    text: string,
    retryAfterMs: number | undefined,
  ): ProviderFailure {
    const body = readIfJson(text);
    const code = textAt(body, this.#errors.code);
    const message = textAt(body, this.#errors.message);
    const { conflicts, reconnect_codes: refusals = [] } = this.#errors;
    const isConflict = isAmong(conflicts, code);
    const advice = adviceFor(this.#errors.advice ?? [], status, code);
    const retryAfter = this.#retryAfter(retryAfterMs, advice?.resets_daily_in);
    const toolError = this.#toolError({
      code: code === undefined ? `HTTP_${status}` : cut(code, MAX_MESSAGE_CHARACTERS),
      message: message === undefined ? null : cut(message, MAX_MESSAGE_CHARACTERS),
      provider_status: status,
      provider_body: text.length > MAX_BODY_CHARACTERS ? cut(text, MAX_BODY_CHARACTERS) : body,
      retry_after: retryAfter,
    });
    const sentence =
      advice !== undefined
        ? adviceSentence(this.#context, status, retryAfter, advice)
        : status < 500 && isAmong(refusals, code)
          ? refusedSentence(this.#context, status)
          : answerSentence(this.#context, status, retryAfter, isConflict);
    const challenge = headers['www-authenticate'];
    return new ProviderFailure(sentence, statusFor(status, isConflict), toolError, {
      challenge: challenge === undefined ? undefined : cut(challenge, MAX_MESSAGE_CHARACTERS),
    });
  }

  /** Seconds until the midnight that resets a daily limit, otherwise as the provider says. */
  #retryAfter(retryAfterMs: number | undefined, timeZone: string | undefined): number | null {
    if (timeZone !== undefined) return secondsToMidnight(timeZone, this.#clock.now());
    return retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1_000);
  }

  #toolError(known: Partial<ToolError> & { code: string }): ToolError {
    return {
      message: null,
      provider_status: null,
      provider_body: null,
      retry_after: null,
      required_scopes: null,
      execution_id: this.#executionId,
      ...known,
    };
  }

  #cleanHeaders(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, this.#scrubber.scrub(value)]),
    );
  }
}

/** The JSON of an error's body, or its text. */
function readIfJson(text: string): unknown {
  try {
    return parseJsonAnswer(text);
  } catch {
    return text;
  }
}

/** Cuts a text without leaving half a character at the end. */
function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '')}…`;
}
