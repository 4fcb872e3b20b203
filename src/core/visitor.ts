/** What is known of the browser or program behind a request, for interceptors and the audit log. */
export interface Visitor {
  /** Network address; '' when there is none. */
  ip: string;
  /** As sent, at most 1,024 characters; '' when not sent. */
  userAgent: string;
  /** ISO 3166-1 alpha-2, from the operator's header; '' when not known. */
  region: string;
  /** From the operator's header; '' when not known. */
  city: string;
}

/** Nobody's request: the command line and the program itself. */
export const NO_VISITOR: Visitor = { ip: '', userAgent: '', region: '', city: '' };
