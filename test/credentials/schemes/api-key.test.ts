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

describeStoredCredential({
  type: 'API_KEY',
  title: ' in several places',
  connector: 'monitoring',
  tool: 'monitoring_alerts',
  input: {},
  path: '/v2/alerts',
  entered: { api_key: 'key-12345', application_key: 'app-67890', user_email: 'ada@acme.example' },
  sent: ({ headers }) => [headers['x-api-key'], headers['x-application-key'], headers['x-user-email']],
  expected: ['key-12345', 'app-67890', 'ada@acme.example'],
});
