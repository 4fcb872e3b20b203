/** BEARER_TOKEN: a long-lived token in the Authorization header. */
import { bearerAuthorization, staticField, type StaticScheme } from './scheme.ts';

export const bearer: StaticScheme = {
  connect: () => 'form',
  attach: ({ details }) => bearerAuthorization(staticField(details, 'token')),
};
