/** A request that the stand-in calendar refuses, as the provider would. */

/** Becomes `{error: {code, message, innerError}}` with the status. */
export class MailRefusal extends Error {
  override readonly name = 'MailRefusal';
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 415;
  readonly code: string;

  constructor(status: MailRefusal['status'], code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** 400: the query or the form of the body is wrong. */
export function badRequest(message: string, code = 'BadRequest'): MailRefusal {
  return new MailRefusal(400, code, message);
}

/** 400: a member of the event has an invalid value. */
export function invalidProperty(message: string): MailRefusal {
  return new MailRefusal(400, 'ErrorPropertyValidationFailure', message);
}

/** 404: no event has the id. */
export function itemNotFound(): MailRefusal {
  return new MailRefusal(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');
}

/** The token or the sharing does not allow it. */
export function accessDenied(): MailRefusal {
  return new MailRefusal(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
}
