/** API_KEY: a key in the headers or query parameters that the connector declares. */
import { missingForm, STATIC_AUTH } from './credentials.ts';
import type { AuthorizationTypeFacts } from './facts.ts';

/** The facts of API_KEY. */
export const apiKey = {
  requiredFields: ['api_key'],
  attach: 'fields',
  isStatic: true,
  credentials: STATIC_AUTH,
  missing: missingForm,
} satisfies AuthorizationTypeFacts;
