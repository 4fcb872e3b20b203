/** BASIC_AUTH end to end: user name and password as RFC 7617 writes them. */
import { describeStoredCredential } from './stored-credential.ts';

describeStoredCredential({
  type: 'BASIC_AUTH',
  connector: 'helpdesk',
  tool: 'helpdesk_find',
  input: { query: 'printer' },
  path: '/api/tickets',
  entered: { username: 'ada@acme.example', password: 'p:ss word' },
  sent: ({ headers }) => headers['authorization'],
  // base64 of "ada@acme.example:p:ss word"
  expected: 'Basic YWRhQGFjbWUuZXhhbXBsZTpwOnNzIHdvcmQ=',
});
