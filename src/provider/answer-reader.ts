/**
 * Turns what came back from a provider into a result or a failure. Only a 2xx answer with JSON or nothing
 * is a success; the provider's text is data, capped and without live secrets.
 */
import { invalidField, type ServiceError } from '../core/errors.ts';
import { parseJsonAnswer, textAt, UnreadableAnswer } from './json-answer.ts';
import type { OutboundFailureKind } from './outbound-failure.ts';
import type { OutboundResponse } from './outbound.ts';
import {
  answerSentence,
  ProviderFailure,
  statusFor,
  transportFailure,
  type FailureContext,
  type ToolError,
  type TransportProblem,
} from './provider-failure.ts';
import { SecretScrubber } from './secret-scrubber.ts';

/** Longest body of a provider in an error, in characters. */
const MAX_BODY_CHARACTERS = 4_000;

/** Longest message of a provider in an error, in characters. */
const MAX_MESSAGE_CHARACTERS = 1_000;

/** Where a provider's error bodies hold message and code, and which codes are conflicts. */
export interface ErrorRules {
  /** Dotted paths tried in order, e.g. `error.message`. */
  message: readonly string[];
  code: readonly string[];
  /** Codes that mean a conflict. */
  conflicts: readonly string[];
}

/** A 2xx answer. */
export interface ProviderAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Null for an empty body; the body itself where text was wanted. */
  json: unknown;
}

/** Reads the answers of one call. */
export class AnswerReader {
  readonly #context: FailureContext;
  readonly #errors: ErrorRules;
  readonly #executionId: string;
  readonly #scrubber: SecretScrubber;

  /** @param secrets credentials in the request; masked in everything the provider says */
  constructor(context: FailureContext, errors: ErrorRules, executionId: string, secrets: readonly string[]) {
    this.#context = context;
    this.#errors = errors;
    this.#executionId = executionId;
    this.#scrubber = new SecretScrubber(secrets);
  }

  /**
   * @param retryAfterMs what the answer's `Retry-After` says
   * @param wanted `text`: a 2xx need not be JSON
   * @throws ProviderFailure for every status but 2xx, and for a 2xx that is not JSON
   */
  read(response: OutboundResponse, retryAfterMs: number | undefined, wanted?: 'text'): ProviderAnswer {
    const text = this.#scrubber.scrub(response.body.toString('utf8'));
    if (response.status < 200 || response.status > 299)
      throw this.#refusal(response.status, text, retryAfterMs);
    try {
      return {
        status: response.status,
        headers: this.#cleanHeaders(response.headers),
        json: wanted === 'text' ? text : parseJsonAnswer(text),
      };
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
      throw this.#failure('unreadable', true, {
        provider_status: response.status,
        provider_body: cut(text, MAX_BODY_CHARACTERS),
      });
    }
  }

  /** The failure of a call that got no answer. */
  failure(kind: OutboundFailureKind, sent: boolean): ServiceError {
    if (kind !== 'invalid_request') return this.#failure(kind, sent, {});
    return invalidField(
      'tool_input',
      'A value cannot be sent as part of an HTTP request. Remove line breaks, control characters and characters outside Latin-1 from values that become headers.',
      'http',
    );
  }

  #failure(kind: TransportProblem, sent: boolean, seen: Partial<ToolError>): ProviderFailure {
    const { code, sentence } = transportFailure(this.#context, kind, sent);
    return new ProviderFailure(sentence, kind === 'timeout' ? 504 : 502, this.#toolError({ code, ...seen }));
  }

  #refusal(status: number, text: string, retryAfterMs: number | undefined): ProviderFailure {
    const body = readIfJson(text);
    const code = textAt(body, this.#errors.code);
    const message = textAt(body, this.#errors.message);
    const isConflict = code !== undefined && this.#errors.conflicts.includes(code);
    const retryAfter = retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1_000);
    const toolError = this.#toolError({
      code: code === undefined ? `HTTP_${status}` : cut(code, MAX_MESSAGE_CHARACTERS),
      message: message === undefined ? null : cut(message, MAX_MESSAGE_CHARACTERS),
      provider_status: status,
      provider_body: text.length > MAX_BODY_CHARACTERS ? cut(text, MAX_BODY_CHARACTERS) : body,
      retry_after: retryAfter,
    });
    const sentence = answerSentence(this.#context, status, retryAfter, isConflict);
    return new ProviderFailure(sentence, statusFor(status, isConflict), toolError);
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

/** Never leaves half a character at the end. */
function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '')}…`;
}
