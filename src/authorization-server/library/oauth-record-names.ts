/** Kinds of stored records that our own code reads, and their lifetimes. */

/** The library's: authorization requests that wait for the answer of a person. */
export const WAITING_REQUEST = 'Interaction';

/** The library's: apps that registered themselves. */
export const REGISTERED_CLIENT = 'Client';

/** The library's: authorization codes. */
export const AUTHORIZATION_CODE = 'AuthorizationCode';

/** Ours: approvals of users, by id of the library's grant. */
export const APPROVAL = 'Approval';

/** Ours: earlier consent of a browser session to a client, by both ids. */
export const REMEMBERED_CONSENT = 'RememberedConsent';

/** A registered client that is unused for this long is removed. Without a refresh, sessions do not outlast it. */
export const UNUSED_CLIENT_MS = 30 * 24 * 60 * 60 * 1_000;
