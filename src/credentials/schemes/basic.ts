/** BASIC and BASIC_AUTH: user name and password in the Authorization header (RFC 7617); the connector may say one of them. */
import { staticField, type StaticScheme } from './scheme.ts';

export const basic: StaticScheme = {
  connect: () => 'form',
  attach({ details, auth: { fixed = {} } }) {
    const username = fixed.username ?? staticField(details, 'username');
    const password = fixed.password ?? staticField(details, 'password');
    const encoded = Buffer.from(`${username}:${password}`).toString('base64');
    // Without a password of its own, the user name is the key.
    const isKey = password === '' || fixed.password !== undefined;
    return {
      headers: { authorization: `Basic ${encoded}` },
      query: [],
      secrets: [encoded, isKey ? username : password],
    };
  },
};
