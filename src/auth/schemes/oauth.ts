/** OAUTH: the access token in the Authorization header (RFC 6750). */
import type { Scheme } from './scheme.ts';

export const oauth: Scheme = (details) => {
  const token = details.oauth_token?.access_token ?? '';
  return { headers: { authorization: `Bearer ${token}` }, query: [], secrets: [token] };
};
