/** CUSTOM end to end: a field of the connector's own, in the query parameter that it declares. */
import { describeStoredCredential } from './stored-credential.ts';

describeStoredCredential({
  type: 'CUSTOM',
  connector: 'parcels',
  tool: 'parcels_find',
  input: { query: 'books' },
  path: '/parcels',
  entered: { access_code: 'code&12345' },
  sent: ({ query, headers }) => [Object.fromEntries(query), headers['authorization']],
  expected: [{ q: 'books', code: 'code&12345' }, undefined],
});
