/** A request that the stand-in refuses, as the provider would. */

/** Becomes `{requestId, error, tag}` with the status. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 401 | 404 | 409;
  readonly tag: string;

  constructor(status: Refusal['status'], tag: string, message: string) {
    super(message);
    this.status = status;
    this.tag = tag;
  }
}
