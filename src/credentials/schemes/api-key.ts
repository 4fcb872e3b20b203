/** API_KEY and CUSTOM: one stored field in the header or query parameter that the connector declares. */
import { staticField, type StaticScheme } from './scheme.ts';

export const apiKey: StaticScheme = {
  connect: () => 'form',
  attach({ details, auth: { attach } }) {
    if (attach === undefined) return { headers: {}, query: [], secrets: [] };
    const key = staticField(details, attach.field);
    const value = `${attach.prefix}${key}`;
    return attach.in === 'header'
      ? { headers: { [attach.name]: value }, query: [], secrets: [key] }
      : { headers: {}, query: [[attach.name, value]], secrets: [key] };
  },
};
