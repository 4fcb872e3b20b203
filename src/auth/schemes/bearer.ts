/** BEARER_TOKEN: a long-lived token in the Authorization header (RFC 6750). */
import { staticField, type Scheme } from './scheme.ts';

export const bearer: Scheme = (details) => {
  const token = staticField(details, 'token');
  return { headers: { authorization: `Bearer ${token}` }, query: [], secrets: [token] };
};
