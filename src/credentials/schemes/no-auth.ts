/** NO_AUTH: public APIs. Nothing is stored and nothing is attached. */
import type { Scheme } from './scheme.ts';

export const noAuth: Scheme = {
  connect: () => 'none',
  attach: () => ({ headers: {}, query: [], secrets: [] }),
};
