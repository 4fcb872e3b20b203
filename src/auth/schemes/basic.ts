/** BASIC and BASIC_AUTH: user name and password in the Authorization header (RFC 7617). */
import { staticField, type Scheme } from './scheme.ts';

export const basic: Scheme = (details) => {
  const password = staticField(details, 'password');
  const encoded = Buffer.from(`${staticField(details, 'username')}:${password}`).toString('base64');
  return {
    headers: { authorization: `Basic ${encoded}` },
    query: [],
    secrets: [encoded, password].filter((secret) => secret !== ''),
  };
};
