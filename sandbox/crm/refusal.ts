/** A request that the stand-in CRM refuses, as the provider would. */

/** Becomes `{status_code, type, code, message}` with the status. */
export class CrmRefusal extends Error {
  override readonly name = 'CrmRefusal';
  readonly status: 400 | 401 | 403 | 404 | 409 | 413;
  readonly code: string;

  constructor(status: CrmRefusal['status'], code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  get type(): string {
    return this.status === 401 || this.status === 403 ? 'auth_error' : 'invalid_request_error';
  }
}

/** 400 validation_type: the request itself is wrong. */
export function invalid(message: string): CrmRefusal {
  return new CrmRefusal(400, 'validation_type', message);
}

/** 400 value_not_found: a value of the body names something that does not exist. */
export function valueNotFound(message: string): CrmRefusal {
  return new CrmRefusal(400, 'value_not_found', message);
}

/** 404 not_found. @param what e.g. `task` */
export function notFound(what: string, id: string): CrmRefusal {
  return new CrmRefusal(404, 'not_found', `There is no ${what} with the slug or ID "${id}".`);
}
