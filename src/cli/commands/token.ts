/** `gatehouse token`: an access token for the REST API and MCP, for the operator of this machine. */
import { adminCommand } from '../terminal/command.ts';
import { commaList } from '../terminal/options.ts';

/** The command `token`. */
export const tokenCommand = adminCommand({
  name: 'token',
  description:
    'Prints an access token of an API credential, without its secret. Interceptors are asked, and the audit log records it.',
  options: {
    '--credential <id>': 'cred_…; default: the oldest that has the scopes',
    '--scopes <words>': {
      about: 'what the token may do, separated by commas; default: all that the credential may',
      parse: commaList,
    },
  },
  example: 'curl -H "authorization: Bearer $(gatehouse token)" http://127.0.0.1:3000/api/v1/tools',
  run: async ({ admin, caller, options: { credential, scopes = [] }, out }) => {
    const issued = await admin.operatorTokens.issue(caller, { credentialId: credential, scopes });
    if (out.isJson) out.json(issued);
    else out.print(issued.access_token);
  },
});
