/** BASIC_AUTH: user name and password in the Authorization header (RFC 7617). */
import { missingForm, STATIC_AUTH } from './credentials.ts';
import type { AuthorizationTypeFacts } from './facts.ts';

/** The facts of BASIC_AUTH. */
export const basicAuth = {
  requiredFields: ['username', 'password'],
  mayFixHalf: true,
  isStatic: true,
  credentials: STATIC_AUTH,
  missing: missingForm,
} satisfies AuthorizationTypeFacts;
