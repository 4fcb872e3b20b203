/** BASIC end to end: the same as BASIC_AUTH under its other name. */
import { describeStoredCredential } from './stored-credential.ts';

describeStoredCredential({
  type: 'BASIC',
  connector: 'printroom',
  tool: 'printroom_list',
  input: {},
  path: '/v2/jobs',
  entered: { username: 'ada', password: 'sécret' },
  sent: ({ headers }) => headers['authorization'],
  // base64 of "ada:sécret" in UTF-8 (RFC 7617 section 2.1)
  expected: 'Basic YWRhOnPDqWNyZXQ=',
});
