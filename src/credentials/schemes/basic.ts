/** BASIC and BASIC_AUTH: user name and password in the Authorization header (RFC 7617). */
import { staticField, type StaticScheme } from './scheme.ts';

export const basic: StaticScheme = {
  connect: () => 'form',
  attach({ details }) {
    const [username, password] = [staticField(details, 'username'), staticField(details, 'password')];
    const encoded = Buffer.from(`${username}:${password}`).toString('base64');
    return {
      headers: { authorization: `Basic ${encoded}` },
      query: [],
      // Without a password, the user name is the key.
      secrets: [encoded, password === '' ? username : password],
    };
  },
};
