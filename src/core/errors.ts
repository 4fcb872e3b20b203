/**
 * Every failure this service reports: one class, the codes of docs/contract.md#8-errors, nothing secret.
 *
 * `message` and `details` reach the caller, so they hold our own words only; `cause` reaches the log.
 * Exactly two files turn an error into bytes: http/listener/error-response.ts and mcp/tool-error.ts.
 */

/** Per error code: the HTTP status and the google.rpc code of the body (docs/contract.md#8-errors). */
const CODES = {
  INVALID_ARGUMENT: { status: 400, rpc: 3 },
  CONNECTED_ACCOUNT_NOT_ACTIVE: { status: 400, rpc: 9 },
  CONNECTION_MISSING: { status: 400, rpc: 9 },
  UNAUTHENTICATED: { status: 401, rpc: 16 },
  PERMISSION_DENIED: { status: 403, rpc: 7 },
  IDENTIFIER_MISMATCH: { status: 403, rpc: 7 },
  POLICY_DENIED: { status: 403, rpc: 7 },
  WRONG_HOST: { status: 403, rpc: 7 },
  WRONG_ORIGIN: { status: 403, rpc: 7 },
  RESOURCE_NOT_FOUND: { status: 404, rpc: 5 },
  ALREADY_EXISTS: { status: 409, rpc: 6 },
  IDEMPOTENCY_CONFLICT: { status: 409, rpc: 6 },
  TOO_LARGE: { status: 413, rpc: 8 },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, rpc: 3 },
  RATE_LIMITED: { status: 429, rpc: 8 },
  UNAVAILABLE: { status: 503, rpc: 14 },
  TOOL_ERROR: { status: 502, rpc: 14 },
} as const;

/**
 * HTTP statuses that a TOOL_ERROR may carry, with their google.rpc codes; every other provider failure is
 * 502.
 */
const TOOL_ERROR_RPC: Readonly<Record<number, number>> = { 403: 7, 404: 5, 409: 6, 429: 8, 502: 14, 504: 4 };

/** Stable code of a failure; the `error_code` of the body. */
export type ErrorCode = keyof typeof CODES;

/** All error codes, for the generated documentation. */
export const ERROR_CODES = CODES;

/** One rejected field. `constraint` is a stable word such as `required`, `type`, `max_length`, `unknown`. */
export interface FieldViolation {
  field: string;
  description: string;
  constraint: string;
}

/** Builds one rejected field from its three texts. */
export function violation(field: string, description: string, constraint: string): FieldViolation {
  return { field, description, constraint };
}

/** A failure with a code, a message for the caller and details for programs. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** Members of the error's detail object in addition to `error_code`; JSON, snake_case. */
  readonly details: Readonly<Record<string, unknown>>;
  /** HTTP status. Differs from the code's own only for TOOL_ERROR. */
  readonly status: number;
  /** Seconds after which the caller may try again; becomes `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** True if the same call under the same idempotency key already received this failure. */
  readonly isReplay: boolean;
  /** The message where the details are not shown whole; absent if it is the same. */
  readonly shortMessage: string | undefined;
  /** Further failures of the same kind, if a request had several: each becomes a detail of its own. */
  readonly others: readonly ServiceError[];

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: Record<string, unknown>;
      cause?: unknown;
      status?: number;
      retryAfterSeconds?: number | undefined;
      isReplay?: boolean;
      shortMessage?: string | undefined;
      others?: readonly ServiceError[];
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.status = options.status ?? CODES[code].status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isReplay = options.isReplay ?? false;
    this.shortMessage = options.shortMessage;
    this.others = options.others ?? [];
  }

  /** The rejected fields, `details.field_violations`; empty where the failure is about none. */
  get violations(): readonly FieldViolation[] {
    const { field_violations: violations } = this.details;
    return Array.isArray(violations) ? violations : [];
  }

  /** Numeric google.rpc code of the body. */
  get rpcCode(): number {
    return this.code === 'TOOL_ERROR' ? (TOOL_ERROR_RPC[this.status] ?? 14) : CODES[this.code].rpc;
  }
}

/**
 * INVALID_ARGUMENT with every violation found, so that a caller can fix all of them at once.
 *
 * The message repeats the violations in one line, so that a person reading a log sees them too.
 */
export function invalidArgument(violations: readonly FieldViolation[]): ServiceError {
  const lines = violations.map((v) => (v.field === '' ? v.description : `${v.field}: ${v.description}`));
  return new ServiceError('INVALID_ARGUMENT', `The request is not valid. ${lines.join(' ')}`, {
    details: { field_violations: violations },
  });
}

/** INVALID_ARGUMENT about one field. */
export function invalidField(field: string, description: string, constraint: string): ServiceError {
  return invalidArgument([violation(field, description, constraint)]);
}

/** RESOURCE_NOT_FOUND. Does not reveal whether it exists for somebody else. @param what such as `user` */
export function notFound(what: string): ServiceError {
  return new ServiceError('RESOURCE_NOT_FOUND', `There is no such ${what}.`);
}

/** The body of every error answer of the REST API (docs/contract.md#8-errors). */
export function errorBody(error: ServiceError): {
  code: number;
  message: string;
  details: Record<string, unknown>[];
} {
  return {
    code: error.rpcCode,
    message: error.message,
    details: [error, ...error.others].map(({ code, details }) => ({ error_code: code, ...details })),
  };
}

/** The code of an error of Node.js, a driver or a library, for example `ENOENT`; `undefined` if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
