/** CUSTOM: any fields, sent in the headers and query parameters that the connector declares. */
import { missingForm, STATIC_AUTH } from './credentials.ts';
import type { AuthorizationTypeFacts } from './facts.ts';

/** The facts of CUSTOM. */
export const custom = {
  needsField: true,
  attach: 'fields',
  isStatic: true,
  credentials: STATIC_AUTH,
  missing: missingForm,
} satisfies AuthorizationTypeFacts;
