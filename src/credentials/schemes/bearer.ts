/** BEARER_TOKEN: a long-lived token in the Authorization header. */
import { bearerToken, staticField, type Scheme } from './scheme.ts';

export const bearer: Scheme = {
  connect: () => 'form',
  attach: ({ details }) => bearerToken(staticField(details, 'token')),
};
