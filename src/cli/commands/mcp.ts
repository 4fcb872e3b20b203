/** `gatehouse mcp`: MCP over stdio. Prints nothing on stdout itself, because stdout carries the protocol. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { createLog } from '../../core/pino-log.ts';
import { command } from '../terminal/command.ts';
import {
  COMMON_OPTIONS,
  readSettings,
  TOOL_SELECTION_OPTIONS,
  warnOfPrivateHosts,
} from '../terminal/options.ts';

/** The command `mcp`. */
export const mcpCommand = command({
  name: 'mcp',
  description:
    'Serves MCP on stdin and stdout for one desktop client. Uses the accounts of mcp.user_id (default: local). ' +
    '"gatehouse init" prints the snippet for the client.',
  options: { ...COMMON_OPTIONS, ...TOOL_SELECTION_OPTIONS },
  json: false,
  example: 'gatehouse mcp --config /home/me/gatehouse/gatehouse.yaml --toolsets websearch.search --read-only',
  run: async ({ terminal, options, out }) => {
    const { settings, environment } = readSettings(terminal, options, options);
    const log = createLog(settings.logLevel);
    out.say(`gatehouse: data in ${settings.dataDir}`);
    // Desktop clients start this every day and wait for it; loading the program's compiled code halves the wait.
    enableCompileCache(join(settings.dataDir, 'compile-cache'));
    warnOfPrivateHosts(log, settings);
    await terminal.app.runStdio({ settings, log, environment: environment.name });
  },
});
