/** BEARER_TOKEN: a long-lived token in the Authorization header. */
import { bearerAuthorization, staticField, type Scheme } from './scheme.ts';

export const bearer: Scheme = {
  connect: () => 'form',
  attach: ({ details }) => bearerAuthorization(staticField(details, 'token')),
};
