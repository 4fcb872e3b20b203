/** `gatehouse mcp`: MCP over stdio. Writes nothing to stdout itself: that belongs to the protocol. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Command } from 'commander';
import type { SettingsFlags } from '../../settings/settings.ts';
import { createLog } from '../../core/pino-log.ts';
import {
  addCommonOptions,
  addSurfaceOptions,
  readSettings,
  warnOfPrivateHosts,
  type CommonOptions,
} from '../terminal/options.ts';
import { say, type Terminal } from '../terminal/terminal.ts';

/** The command `mcp`. */
export function createCommand(terminal: Terminal): Command {
  const command = new Command('mcp')
    .description(
      'Serves MCP on stdin and stdout for one desktop client. Uses the accounts of mcp.user_id (default: local). ' +
        '"gatehouse init" prints the snippet for the client.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  gatehouse mcp --config /home/me/gatehouse/gatehouse.yaml --toolsets websearch.search --read-only',
    );
  addSurfaceOptions(addCommonOptions(command));
  return command.action(async (options: CommonOptions & SettingsFlags) => {
    const { settings, environment } = readSettings(terminal, options, options);
    const log = createLog(settings.logLevel);
    say(terminal, `gatehouse: data in ${settings.dataDir}`);
    warnOfPrivateHosts(log, settings);
    // Desktop clients start this every day and wait for it; loading the program's compiled code halves the wait.
    enableCompileCache(join(settings.dataDir, 'compile-cache'));
    await terminal.app.runStdio({ settings, log, environment: environment.name });
  });
}
