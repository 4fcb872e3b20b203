/** NO_AUTH: public APIs. Nothing is stored and nothing is attached. */
import type { AuthorizationTypeFacts } from './facts.ts';

/** The facts of NO_AUTH. */
export const noAuth = { fields: [], missing: () => [] } satisfies AuthorizationTypeFacts;
