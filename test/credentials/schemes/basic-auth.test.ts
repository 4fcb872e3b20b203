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

describeStoredCredential({
  type: 'BASIC_AUTH',
  title: ' with a password that is the same for every account',
  connector: 'recruiting',
  tool: 'recruiting_candidates',
  input: {},
  path: '/v1/candidates',
  entered: { username: 'key-12345' },
  sent: ({ headers }) => headers['authorization'],
  // base64 of "key-12345:X"
  expected: 'Basic a2V5LTEyMzQ1Olg=',
});
