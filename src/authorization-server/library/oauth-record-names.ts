/** Kinds of artifacts that our own code reads, and how long they last. */

/** The library's: apps that registered themselves. */
export const REGISTERED_CLIENT = 'Client';

/** The library's: codes on their way from the browser to the client. */
export const AUTHORIZATION_CODE = 'AuthorizationCode';

/** Ours: who allowed what, by id of the library's grant. */
export const APPROVAL = 'Approval';

/** Ours: that a browser session has allowed a client before, by both ids. */
export const REMEMBERED_CONSENT = 'RememberedConsent';

/** A registered client that nobody used for so long is removed. Sessions last no longer than this without a refresh. */
export const UNUSED_CLIENT_MS = 30 * 24 * 60 * 60 * 1_000;
