/** CUSTOM: any fields, one of which is sent in the header or query parameter that the connector declares. */
import { missingForm, STATIC_AUTH } from './credentials.ts';
import type { AuthorizationTypeFacts } from './facts.ts';

/** The facts of CUSTOM. */
export const custom = {
  needsField: true,
  needsAttach: true,
  isStatic: true,
  credentials: STATIC_AUTH,
  missing: missingForm,
} satisfies AuthorizationTypeFacts;
