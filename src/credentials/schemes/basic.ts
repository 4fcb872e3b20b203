/** BASIC and BASIC_AUTH: user name and password in the Authorization header (RFC 7617). */
import { staticField, type Scheme } from './scheme.ts';

export const basic: Scheme = {
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
