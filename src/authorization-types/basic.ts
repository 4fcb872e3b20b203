/** BASIC: the same as BASIC_AUTH, under another name of the API. */
import { missingForm, STATIC_AUTH } from './credentials.ts';
import type { AuthorizationTypeFacts } from './facts.ts';

/** The facts of BASIC. */
export const basic = {
  requiredFields: ['username', 'password'],
  mayFixHalf: true,
  isStatic: true,
  credentials: STATIC_AUTH,
  missing: missingForm,
} satisfies AuthorizationTypeFacts;
