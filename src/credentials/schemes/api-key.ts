/** API_KEY and CUSTOM: stored fields in the headers and query parameters that the connector declares. */
import { placesOf } from '../../catalog/model/credential-places.ts';
import { attachedAt, staticField, type StaticScheme } from './scheme.ts';

export const apiKey: StaticScheme = {
  connect: () => 'form',
  attach: ({ details, auth }) => attachedAt(placesOf(auth), ({ field = '' }) => staticField(details, field)),
};
