/** Addresses of the pages of organizations. */

/** The list; one organization is below it. */
export const ORGANIZATIONS = '/dashboard/organizations';
