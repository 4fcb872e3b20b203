/** Values that a request body takes from account and connection instead of a caller (`from_account`). */

/**
 * For TRUSTED_IDP: where statements run and as whom. The database user is the account's, the rest are params of the
 * connection. With a workgroup there is no cluster and no user.
 */
export const ACCOUNT_VALUES = ['cluster', 'workgroup', 'database', 'db_user'] as const;

/** Name of such a value. */
export type AccountValue = (typeof ACCOUNT_VALUES)[number];
