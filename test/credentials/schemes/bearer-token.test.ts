/** BEARER_TOKEN end to end: a personal token in the Authorization header. */
import { describeStoredCredential } from './stored-credential.ts';

describeStoredCredential({
  type: 'BEARER_TOKEN',
  connector: 'bookmarks',
  tool: 'bookmarks_add',
  input: { url: 'https://example.com' },
  path: '/bookmarks',
  entered: { token: 'pat-12345' },
  sent: ({ headers, body }) => [headers['authorization'], body],
  expected: ['Bearer pat-12345', '{"url":"https://example.com"}'],
});
