/** Values that a request body takes from account and connection instead of a caller (`from_account`). */

/**
 * For TRUSTED_IDP: where statements run, and as which user. The database user comes from the account, the
 * others from params of the connection. A workgroup has neither cluster nor user.
 */
export const ACCOUNT_VALUES = ['cluster', 'workgroup', 'database', 'db_user'] as const;

/** Name of such a value. */
export type AccountValue = (typeof ACCOUNT_VALUES)[number];
