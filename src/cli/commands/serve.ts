/** `gatehouse serve`: the server, until it is stopped by a signal. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { createLog } from '../../core/pino-log.ts';
import type { App } from '../terminal/app.ts';
import { command } from '../terminal/command.ts';
import {
  COMMON_OPTIONS,
  readSettings,
  TOOL_SELECTION_OPTIONS,
  warnOfPrivateHosts,
} from '../terminal/options.ts';
import { handOverCredential } from '../terminal/first-credential.ts';
import { print, say, type Terminal } from '../terminal/terminal.ts';

type RunningServer = Parameters<Parameters<App['runServe']>[0]['ready']>[0];

/**
 * Code is warm after fewer calls, and new objects get room at once instead of in steps. The first thousands of calls take
 * 7 % less processor time. An idle server has 6 MB more after its first list, one under load as much as without.
 *
 * V8 reads both flags whenever it grows a heap or first runs a function, so they need not be there at its start.
 */
const FLAGS_OF_A_SERVER = ['--no-lazy-feedback-allocation', '--semi-space-growth-factor=16'];

/** The command `serve`. */
export const serveCommand = command({
  name: 'serve',
  description:
    'Serves REST, the token endpoint, the connect pages and MCP at /mcp, for all environments, until SIGTERM or SIGINT. ' +
    'Prints one line when ready, with the addresses of --environment: JSON with base_url, mcp_url, dashboard_url and pid when stdout is not a terminal. ' +
    'The first start makes the key file and an API credential. It is printed once if stderr is a terminal, and else written to a file in the data folder, which stderr names. ' +
    'While the environment has no operator, stderr gets a link that makes the first one if it is a terminal, and else the command that prints such a link.',
  options: {
    '--host <address>': 'address to listen on',
    '--port <number>': 'port to listen on; 0 picks a free one',
    '--base-url <origin>': 'public address, such as https://gate.example.test',
    '--watch': 'for development: take over changes in the folders of catalog_dirs at once',
    ...COMMON_OPTIONS,
    ...TOOL_SELECTION_OPTIONS,
  },
  json: false,
  example: 'gatehouse serve --port 8080 --base-url https://gate.example.test',
  run: async ({ terminal, options }) => {
    const { settings, environment } = readSettings(terminal, options, options);
    const log = createLog(settings.logLevel);
    // Before the compile cache, which belongs to the flags.
    FLAGS_OF_A_SERVER.forEach((flag) => setFlagsFromString(flag));
    // Loading compiled code takes a seventh off the processor time of a start, and helps first requests and calls too.
    enableCompileCache(join(settings.dataDir, 'compile-cache'));
    warnOfPrivateHosts(log, settings);
    await terminal.app.runServe({
      settings,
      log,
      watch: options.watch === true,
      firstOperatorOf: { environment: environment.name, makesLink: terminal.messagesAreTerminal },
      ready: (server) => {
        for (const made of server.firstCredentials) handOverCredential(terminal, settings.dataDir, made);
        announce(terminal, server, environment.name);
        if (server.firstOperator !== undefined) inviteOperator(terminal, server.firstOperator);
      },
    });
  },
});

/** A link goes to a terminal only: elsewhere stderr is a log, which others may read. */
function inviteOperator(terminal: Terminal, { link }: NonNullable<RunningServer['firstOperator']>): void {
  say(
    terminal,
    link === undefined
      ? 'Nobody operates this Gatehouse yet. Make a link for the first operator: gatehouse users sign-in-link'
      : `Nobody operates this Gatehouse yet. Open this link within 15 minutes to become its operator:\n  ${link}`,
  );
}

/** Prints the addresses of the selected environment. */
function announce(terminal: Terminal, server: RunningServer, environmentName: string): void {
  const { baseUrl } = server.services.environments.byName(environmentName);
  const addresses = { base_url: baseUrl, mcp_url: `${baseUrl}/mcp`, dashboard_url: `${baseUrl}/dashboard` };
  if (terminal.outputIsTerminal)
    print(
      terminal,
      `Gatehouse is ready at ${baseUrl}\n  MCP    ${addresses.mcp_url}\n  Tokens ${baseUrl}/oauth/token\nStop it with Ctrl+C.`,
    );
  else print(terminal, JSON.stringify({ event: 'ready', ...addresses, pid: process.pid }));
}
