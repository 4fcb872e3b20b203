/** BASIC end to end: the same as BASIC_AUTH under its other name. */
import { describeStoredCredential } from './stored-credential.ts';

describeStoredCredential({
  type: 'BASIC',
  connector: 'printroom',
  tool: 'printroom_list',
  input: {},
  path: '/v2/jobs',
  entered: { username: 'ada', password: 'secret' },
  sent: ({ headers }) => headers['authorization'],
  // base64 of "ada:secret"
  expected: 'Basic YWRhOnNlY3JldA==',
});
