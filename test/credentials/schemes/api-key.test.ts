/** API_KEY end to end: a key in the header that the connector declares, with its prefix. */
import { describeStoredCredential } from './stored-credential.ts';

describeStoredCredential({
  type: 'API_KEY',
  connector: 'weatherbox',
  tool: 'weatherbox_find',
  input: { query: 'north' },
  path: '/v1/stations',
  entered: { api_key: 'wb-12345' },
  sent: ({ headers }) => headers['authorization'],
  expected: 'Key wb-12345',
});
