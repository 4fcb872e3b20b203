/** BEARER_TOKEN: a long-lived token in the Authorization header (RFC 6750). */
import { missingForm, STATIC_AUTH } from './credentials.ts';
import type { AuthorizationTypeFacts } from './facts.ts';

/** The facts of BEARER_TOKEN. */
export const bearerToken = {
  requiredFields: ['token'],
  isStatic: true,
  credentials: STATIC_AUTH,
  missing: missingForm,
} satisfies AuthorizationTypeFacts;
