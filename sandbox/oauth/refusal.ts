/** A request for consent or for tokens that the stand-in refuses (RFC 6749 sections 4.1.2.1 and 5.2). */

/** Becomes `{error, error_description}`. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  readonly error:
    'invalid_request' | 'invalid_client' | 'invalid_grant' | 'invalid_scope' | 'unsupported_grant_type';

  constructor(error: OAuthRefusal['error'], description: string) {
    super(description);
    this.error = error;
  }

  get status(): 400 | 401 {
    return this.error === 'invalid_client' ? 401 : 400;
  }
}
