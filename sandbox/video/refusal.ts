/** A request that the stand-in YouTube refuses, as the provider would. */

/** The provider's classification of an error: `youtube.parameter`, `youtube.quota`, `global` … */
interface Place {
  domain?: string;
  /** Location of the fault, e.g. the name of a parameter. */
  location?: string;
  locationType?: 'parameter' | 'header' | 'other';
}

/** Status as a word, as newer Google services write it. */
const WORDS = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
} as const;

/** Becomes `{error: {code, message, errors, …}}` with the status. */
export class VideoRefusal extends Error {
  override readonly name = 'VideoRefusal';
  readonly status: keyof typeof WORDS;
  readonly reason: string;
  readonly #place: Place;

  /** @param reason code for programs, e.g. `videoNotFound` */
  constructor(status: VideoRefusal['status'], reason: string, message: string, place: Place = {}) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.#place = place;
  }

  /** @param isNewForm Analytics and Reporting: includes the status as a word */
  body(isNewForm: boolean): object {
    const { domain = 'global', ...where } = this.#place;
    const isScope = this.reason === 'insufficientPermissions';
    return {
      error: {
        code: this.status,
        message: this.message,
        errors: [{ message: this.message, domain, reason: this.reason, ...where }],
        ...((isNewForm || isScope || this.status === 401) && { status: WORDS[this.status] }),
        ...(isScope && { details: [SCOPE_DETAIL] }),
      },
    };
  }
}

const SCOPE_DETAIL = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  domain: 'googleapis.com',
};

/** 400 about one parameter. */
export function badParameter(parameter: string, message: string, reason = 'invalidParameter'): VideoRefusal {
  const place = { domain: 'youtube.parameter', location: parameter, locationType: 'parameter' } as const;
  return new VideoRefusal(400, reason, message, place);
}

/** 400 about the body. @param domain of the resource, e.g. `video` */
export function badBody(domain: string, reason: string, message: string): VideoRefusal {
  return new VideoRefusal(400, reason, message, {
    domain: `youtube.${domain}`,
    location: 'body',
    locationType: 'other',
  });
}

/** 403 about a resource of somebody else, or one that must not be changed. */
export function forbidden(domain: string, reason: string, message: string): VideoRefusal {
  return new VideoRefusal(403, reason, message, { domain: `youtube.${domain}` });
}

/** 404 with the reason of its resource: `videoNotFound`, `playlistNotFound` … */
export function notFound(what: string, parameter: string): VideoRefusal {
  return new VideoRefusal(
    404,
    `${what}NotFound`,
    `The ${what} identified by the <code>${parameter}</code> parameter cannot be found.`,
    { domain: `youtube.${what}`, location: parameter, locationType: 'parameter' },
  );
}
